# SectileFind.cmake - finds a library, by pkg-config if possible. The build and the installed package
# both use it.

# sectile_find(LIBRARY HEADER [FOLDER...]) sets, in the caller's scope, `flags` to the linker flags
# and `include` to the folder of the header, which is also looked for in the given subfolders. What
# is not found ends in NOTFOUND.
function(sectile_find library header)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(SECTILE_PKG_${library} QUIET ${library})
    endif()
    if(SECTILE_PKG_${library}_FOUND)
        set(flags ${SECTILE_PKG_${library}_LDFLAGS} PARENT_SCOPE)
        set(include ${SECTILE_PKG_${library}_INCLUDE_DIRS} PARENT_SCOPE)
        return()
    endif()
    find_library(SECTILE_LIBRARY_${library} ${library})
    find_path(SECTILE_INCLUDE_${library} ${header} PATH_SUFFIXES ${ARGN})
    set(flags ${SECTILE_LIBRARY_${library}} PARENT_SCOPE)
    set(include ${SECTILE_INCLUDE_${library}} PARENT_SCOPE)
endfunction()
