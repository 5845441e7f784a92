# SectileOpencl.cmake - finds OpenCL and CLBlast.

# sectile_find_opencl() makes the target sectile::opencl, if both are found, and sets
# sectile_opencl_flags, in the caller's scope, to the linker flags.
function(sectile_find_opencl)
    sectile_find(OpenCL CL/cl.h)
    set(all_flags ${flags})
    set(all_include ${include})
    sectile_find(clblast clblast_c.h)
    list(APPEND all_flags ${flags})
    list(APPEND all_include ${include})
    if("${all_flags};${all_include}" MATCHES "NOTFOUND")
        return()
    endif()
    add_library(sectile::opencl INTERFACE IMPORTED)
    target_link_libraries(sectile::opencl INTERFACE ${all_flags})
    target_include_directories(sectile::opencl SYSTEM INTERFACE ${all_include})
    set(sectile_opencl_flags "${all_flags}" PARENT_SCOPE)
endfunction()
