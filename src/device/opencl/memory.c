/* memory.c - buffers: those with a range of addresses, and those that are room in between; and
 * memory of the host from which devices copy fast.
 *
 * For that, OpenCL is asked for a buffer in memory of the host (CL_MEM_ALLOC_HOST_PTR), which most
 * drivers pin; it stays mapped until it is freed. If OpenCL has none, ordinary memory is
 * allocated. */
#include "base/memory.h"
#include "device/opencl/context.h"
#include "device/opencl/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The number of ranges that begin at or before an address. */
static int64_t ranges_until(const sct_cl_context *context, const char *address) {
    int64_t lo = 0, hi = context->ranges;
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if ((uintptr_t)context->range[middle].base <= (uintptr_t)address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* With the lock held. */
static bool insert(sct_cl_context *context, sct_cl_range range) {
    sct_cl_range *list =
        sct_memory_grow(context->range, context->ranges, &context->room, sizeof *list);
    if (!list)
        return false;
    context->range = list;
    int64_t at = ranges_until(context, range.base);
    memmove(&list[at + 1], &list[at], (size_t)(context->ranges - at) * sizeof *list);
    list[at] = range;
    context->ranges++;
    return true;
}

void *sct_cl_alloc(sct_cl_context *context, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *base = mmap(NULL, bytes + 1, PROT_NONE, flags, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(context->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &error);
    bool inserted = false;
    if (error == CL_SUCCESS) {
        pthread_rwlock_wrlock(&context->memory_lock);
        inserted = insert(context, (sct_cl_range){base, bytes + 1, buffer});
        pthread_rwlock_unlock(&context->memory_lock);
        if (!inserted)
            clReleaseMemObject(buffer);
    }
    if (!inserted)
        munmap(base, bytes + 1);
    return inserted ? base : NULL;
}

void sct_cl_release(sct_cl_context *context, void *memory) {
    pthread_rwlock_wrlock(&context->memory_lock);
    int64_t at = ranges_until(context, memory) - 1;
    sct_cl_range range = context->range[at];
    context->ranges--;
    memmove(&context->range[at], &context->range[at + 1],
            (size_t)(context->ranges - at) * sizeof range);
    pthread_rwlock_unlock(&context->memory_lock);
    clReleaseMemObject(range.buffer);
    munmap(range.base, range.bytes);
}

sct_cl_place sct_cl_find(sct_cl_context *context, const void *memory) {
    sct_cl_place place = {.buffer = NULL};
    pthread_rwlock_rdlock(&context->memory_lock);
    int64_t at = ranges_until(context, memory) - 1;
    if (at >= 0) {
        const sct_cl_range *range = &context->range[at];
        size_t offset = (uintptr_t)memory - (uintptr_t)range->base;
        if (offset < range->bytes)
            place = (sct_cl_place){range->buffer, offset};
    }
    pthread_rwlock_unlock(&context->memory_lock);
    return place;
}

void sct_cl_room_clear(sct_cl_room *room) {
    if (room->buffer)
        clReleaseMemObject(room->buffer);
    room->buffer = NULL;
    room->bytes = 0;
}

sct_status sct_cl_room_grow(sct_cl_room *room, size_t bytes) {
    if (bytes <= room->bytes)
        return SCT_OK;
    cl_int error;
    sct_cl_room_clear(room);
    cl_mem made = clCreateBuffer(room->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error == CL_SUCCESS) {
        room->buffer = made;
        room->bytes = bytes;
    }
    return sct_cl_check(error, "make room for a command");
}

/* ---- Memory of the host ---- */

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
