# SectileBlas.cmake - finds a CBLAS. The build and the installed package both use it.

# sectile_find_blas(KIND) makes the target sectile::blas and sets, in the caller's scope,
# sectile_blas_flags to the linker flags. If it finds no BLAS, it sets sectile_blas_missing to what
# is missing.
function(sectile_find_blas kind)
    if(kind STREQUAL "openblas")
        sectile_find(openblas cblas.h openblas openblas-pthread)
        set(missing "OpenBLAS, its library and cblas.h (for another BLAS, set SECTILE_BLAS=cblas)")
    elseif(kind STREQUAL "cblas")
        find_library(SECTILE_CBLAS_LIBRARY NAMES cblas blis mkl_rt blas)
        find_path(SECTILE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES blis)
        set(flags ${SECTILE_CBLAS_LIBRARY})
        set(include ${SECTILE_CBLAS_INCLUDE})
        set(missing "set SECTILE_CBLAS_LIBRARY and SECTILE_CBLAS_INCLUDE (the folder of cblas.h)")
    elseif(kind STREQUAL "plain")
        # The plain BLAS is compiled into the library; the header of any other BLAS will do.
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
