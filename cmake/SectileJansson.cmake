# SectileJansson.cmake - finds jansson, which reads JSON. The build and the installed package both
# use it.

# sectile_find_jansson() makes the target sectile::jansson, if jansson is found, and sets
# sectile_jansson_flags, in the caller's scope, to the linker flags.
function(sectile_find_jansson)
    sectile_find(jansson jansson.h)
    if("${flags}" MATCHES "NOTFOUND$" OR "${include}" MATCHES "NOTFOUND$")
        return()
    endif()
    add_library(sectile::jansson INTERFACE IMPORTED)
    target_link_libraries(sectile::jansson INTERFACE ${flags})
    target_include_directories(sectile::jansson SYSTEM INTERFACE ${include})
    set(sectile_jansson_flags "${flags}" PARENT_SCOPE)
endfunction()
