# SectileCuda.cmake - finds the toolkit of CUDA, and compiles its kernels.

# sectile_find_cuda() sets sectile_nvcc, in the caller's scope, and has the targets CUDA::cudart and
# CUDA::cublas made, if all of these are found. Older toolkits do not know sm_100.
function(sectile_find_cuda)
    find_package(CUDAToolkit 12.8 QUIET GLOBAL)
    if(CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart AND TARGET CUDA::cublas)
        set(sectile_nvcc ${CUDAToolkit_NVCC_EXECUTABLE} PARENT_SCOPE)
    endif()
endfunction()

# sectile_find_nvshmem() makes the target sectile::nvshmem, if that is found, and sets, in the caller's
# scope, sectile_nvshmem to it, sectile_nvshmem_include, and sectile_nvshmem_flags for the linker.
# NVSHMEM_HOME may say where it is.
function(sectile_find_nvshmem)
    set(folders ${NVSHMEM_HOME} $ENV{NVSHMEM_HOME})
    find_library(SECTILE_LIBRARY_nvshmem NAMES nvshmem_host libnvshmem_host.so.3 HINTS ${folders}
        PATH_SUFFIXES lib)
    find_path(SECTILE_INCLUDE_nvshmem nvshmem_host.h HINTS ${folders}
        PATH_SUFFIXES include nvshmem nvshmem_12 nvshmem_13)
    if(NOT SECTILE_LIBRARY_nvshmem OR NOT SECTILE_INCLUDE_nvshmem)
        return()
    endif()
    add_library(sectile::nvshmem INTERFACE IMPORTED)
    target_link_libraries(sectile::nvshmem INTERFACE ${SECTILE_LIBRARY_nvshmem})
    set(sectile_nvshmem sectile::nvshmem PARENT_SCOPE)
    set(sectile_nvshmem_include ${SECTILE_INCLUDE_nvshmem} PARENT_SCOPE)
    set(sectile_nvshmem_flags ${SECTILE_LIBRARY_nvshmem} PARENT_SCOPE)
endfunction()

# sectile_compile_cuda(SOURCE OBJECT [FLAG...]) has nvcc compile a file for each architecture of
# SECTILE_CUDA_ARCHITECTURES, and for those that are still to come. The object needs no C++ library.
function(sectile_compile_cuda source object)
    set(code)
    foreach(architecture IN LISTS SECTILE_CUDA_ARCHITECTURES)
        list(APPEND code -gencode arch=compute_${architecture},code=sm_${architecture})
    endforeach()
    list(GET SECTILE_CUDA_ARCHITECTURES -1 latest)
    list(APPEND code -gencode arch=compute_${latest},code=compute_${latest})
    set(host -Wall,-Wextra,-fPIC,-fvisibility=hidden)
    string(APPEND host ,-fno-threadsafe-statics,-fno-exceptions,-fno-rtti)
    set(errors $<$<BOOL:${SECTILE_WERROR}>:-Werror=all-warnings>)
    add_custom_command(OUTPUT ${object}
        COMMAND ${sectile_nvcc} -c -O3 ${errors} ${code} -Xcompiler ${host}
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src ${ARGN}
            -MD -MF ${object}.d -MT ${object} -o ${object} ${source}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "Compiling ${source} for CUDA ${SECTILE_CUDA_ARCHITECTURES}"
        COMMAND_EXPAND_LISTS
        VERBATIM)
endfunction()
