# SectileBlas.cmake - finds a CBLAS. The build and the installed package both use it.

# sectile_find_blas(KIND) makes the target sectile::blas, and sets in the caller's scope
# sectile_blas_flags, what a linker needs; or, if there is none, sectile_blas_missing, what is.
function(sectile_find_blas kind)
    if(kind STREQUAL "openblas")
        sectile_find(openblas cblas.h openblas openblas-pthread)
        set(missing "OpenBLAS, its library and cblas.h (SECTILE_BLAS=cblas takes another)")
    elseif(kind STREQUAL "cblas")
        find_library(SECTILE_CBLAS_LIBRARY NAMES cblas blis mkl_rt blas)
        find_path(SECTILE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES blis)
        set(flags ${SECTILE_CBLAS_LIBRARY})
        set(include ${SECTILE_CBLAS_INCLUDE})
        set(missing "set SECTILE_CBLAS_LIBRARY and SECTILE_CBLAS_INCLUDE (the folder of cblas.h)")
    elseif(kind STREQUAL "plain")
        # It is compiled into the library; the header can be that of any other.
        find_path(SECTILE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas openblas-pthread blis)
        set(flags)
        set(include ${SECTILE_CBLAS_INCLUDE})
        set(missing "cblas.h")
    else()
        set(flags NOTFOUND)
        set(missing "SECTILE_BLAS is ${kind}, must be openblas, cblas or plain")
    endif()

    if("${flags}" MATCHES "NOTFOUND$" OR "${include}" MATCHES "NOTFOUND$")
        set(sectile_blas_missing "${missing}" PARENT_SCOPE)
        return()
    endif()
    add_library(sectile::blas INTERFACE IMPORTED)
    target_link_libraries(sectile::blas INTERFACE ${flags})
    target_include_directories(sectile::blas SYSTEM INTERFACE ${include})
    set(sectile_blas_flags "${flags}" PARENT_SCOPE)
endfunction()
