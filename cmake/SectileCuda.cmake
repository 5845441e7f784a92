# SectileCuda.cmake - finds the toolkit of CUDA, and compiles its kernels.

# sectile_find_cuda() sets sectile_nvcc, in the caller's scope, and has the targets CUDA::cudart and
# CUDA::cublas made, if all of these are found.
function(sectile_find_cuda)
    find_package(CUDAToolkit QUIET GLOBAL)
    if(CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart AND TARGET CUDA::cublas)
        set(sectile_nvcc ${CUDAToolkit_NVCC_EXECUTABLE} PARENT_SCOPE)
    endif()
endfunction()

# sectile_compile_cuda(SOURCE OBJECT) has nvcc compile a file for each architecture of
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
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
            -MD -MF ${object}.d -MT ${object} -o ${object} ${source}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "Compiling ${source} for CUDA ${SECTILE_CUDA_ARCHITECTURES}"
        COMMAND_EXPAND_LISTS
        VERBATIM)
endfunction()
