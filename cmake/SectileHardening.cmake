# SectileHardening.cmake - compiler and linker options that make memory errors hard to exploit: stack
# canaries, checked calls of the C library (_FORTIFY_SOURCE), position-independent code, and relocations
# that are resolved at start and then read-only (full RELRO). And no program looks for libraries in the
# current folder.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# The C library checks calls only in code that is optimised. Who sets _FORTIFY_SOURCE, as distributions do,
# keeps that level.
function(sectile_harden)
    check_pie_supported(LANGUAGES C)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON PARENT_SCOPE)
    check_c_compiler_flag(-fstack-protector-strong sectile_has_stack_protector)
    if(sectile_has_stack_protector)
        add_compile_options(-fstack-protector-strong)
    endif()
    if(NOT CMAKE_C_FLAGS MATCHES _FORTIFY_SOURCE)
        add_compile_options(
            "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    endif()
    check_linker_flag(C LINKER:-z,relro,-z,now sectile_has_relro)
    if(sectile_has_relro)
        add_link_options(LINKER:-z,relro,-z,now)
    endif()
    # Until they are installed, CMake ends the search paths of what it will install with separators, and
    # the loader takes the empty name behind one for the current folder. Now the name is that of the root.
    foreach(kind EXECUTABLE SHARED_LIBRARY)
        set(separator CMAKE_${kind}_RUNTIME_C_FLAG_SEP)
        if("${${separator}}" STREQUAL ":")
            set(${separator} ":/" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()
