/* host_memory.c - allocates memory of the host from which devices copy fast. OpenCL is asked for a
 * buffer in memory of the host (CL_MEM_ALLOC_HOST_PTR), which most drivers pin; it stays mapped
 * until it is freed. If OpenCL has none, ordinary memory is allocated. */
#include "base/memory.h"
#include "device/opencl/stream.h"

#include <stdlib.h>

struct sct_cl_mapped {
    sct_cl_mapped *next;
    cl_mem buffer;
    void *memory;
};

static void unmap(sct_cl_device *device, const sct_cl_mapped *mapped) {
    if (mapped->memory) {
        clEnqueueUnmapMemObject(device->placing, mapped->buffer, mapped->memory, 0, NULL, NULL);
        clFlush(device->placing);
    }
    clReleaseMemObject(mapped->buffer); /* which lasts until the command has run */
}

/* False: OpenCL has no such memory. */
static bool map(sct_cl_device *device, size_t bytes, sct_cl_mapped *mapped) {
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
    size_t size = bytes ? bytes : 1;
    cl_int error;
    mapped->buffer = clCreateBuffer(device->context->context, flags, size, NULL, &error);
    if (error != CL_SUCCESS)
        return false;
    device->base.waits++;
    mapped->memory = clEnqueueMapBuffer(device->placing, mapped->buffer, CL_TRUE,
                                        CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        mapped->memory = NULL;
    if (mapped->memory && (uintptr_t)mapped->memory % SCT_ALIGNMENT == 0)
        return true;
    unmap(device, mapped);
    return false;
}

void *sct_cl_alloc_host(sct_device *base, size_t bytes) {
    sct_cl_device *device = (sct_cl_device *)base;
    sct_cl_mapped *made = malloc(sizeof *made);
    if (!made || !map(device, bytes, made)) {
        free(made);
        return sct_memory_alloc(bytes);
    }
    pthread_mutex_lock(&device->mapped_lock);
    made->next = device->mapped;
    device->mapped = made;
    pthread_mutex_unlock(&device->mapped_lock);
    return made->memory;
}

/* Takes memory out of the list; NULL: it is not mapped. */
static sct_cl_mapped *take(sct_cl_device *device, const void *memory) {
    pthread_mutex_lock(&device->mapped_lock);
    sct_cl_mapped **link = &device->mapped;
    while (*link && (*link)->memory != memory)
        link = &(*link)->next;
    sct_cl_mapped *taken = *link;
    if (taken)
        *link = taken->next;
    pthread_mutex_unlock(&device->mapped_lock);
    return taken;
}

void sct_cl_release_host(sct_device *base, void *memory) {
    sct_cl_device *device = (sct_cl_device *)base;
    sct_cl_mapped *mapped = take(device, memory);
    if (mapped)
        unmap(device, mapped);
    else
        free(memory);
    free(mapped);
}
