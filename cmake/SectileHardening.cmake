# SectileHardening.cmake - options that stop a bug in memory from being more than a crash: canaries on the
# stack, checked calls of the C library, addresses that change with each run, and tables of functions that
# are complete when the program starts and read-only from then on.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# The C library checks calls only in code that is optimised.
function(sectile_harden)
    check_pie_supported(LANGUAGES C)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON PARENT_SCOPE)
    check_c_compiler_flag(-fstack-protector-strong sectile_has_stack_protector)
    if(sectile_has_stack_protector)
        add_compile_options(-fstack-protector-strong)
    endif()
    add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    check_linker_flag(C LINKER:-z,relro,-z,now sectile_has_relro)
    if(sectile_has_relro)
        add_link_options(LINKER:-z,relro,-z,now)
    endif()
endfunction()
