/* runtime.c - the functions of CUDA's runtime that concern devices, memory, copies and kernels. */
#include "cuda/kernels.h"
#include "cuda/state.h"

#include "base/memory.h"
#include "base/strided.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Devices ---- */

cudaError_t cudaGetDeviceCount(int *count) {
    *count = machine()->devices;
    if (machine()->driverless)
        return fail_with(cudaErrorInsufficientDriver);
    return *count > 0 ? cudaSuccess : fail_with(cudaErrorNoDevice);
}

cudaError_t cudaDriverGetVersion(int *version) {
    *version = machine()->driverless ? 0 : CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (call_fails(CALL_SET_DEVICE) || device < 0 || device >= machine()->devices)
        return fail_with(cudaErrorInvalidDevice);
    *current_device() = device;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    CHECK(device != peer);
    *can = !machine()->apart;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    CHECK(flags == 0 && !machine()->apart);
    if (!peers_enable(*current_device(), peer))
        return fail_with(cudaErrorTooManyPeers);
    return fail_with(cudaErrorPeerAccessAlreadyEnabled); /* as if by another world */
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer) {
    CHECK(attribute == cudaDevP2PAttrNativeAtomicSupported && device != peer);
    *value = !machine()->apart && !machine()->unequal;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    CHECK(attribute == cudaDevAttrComputeCapabilityMajor && device < machine()->devices);
    *value = machine()->major;
    return cudaSuccess;
}

/* The name of a device is its number, and that of its process if others do not see it. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *about, int device) {
    memset(about, 0, sizeof *about);
    about->uuid.bytes[0] = (char)(device + 1);
    pid_t process = getpid();
    if (machine()->linked)
        memcpy(&about->uuid.bytes[1], &process, sizeof process);
    return cudaSuccess;
}

enum { GREATEST_PRIORITY = -5 };

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return take_failure();
}

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error == cudaErrorNoDevice       ? "no CUDA-capable device is detected"
                                              : "an emulated failure";
}

/* ---- Memory ---- */

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    if (call_fails(CALL_MALLOC))
        return fail_with(cudaErrorMemoryAllocation);
    *memory = emulated_new(bytes, *current_device());
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
    CHECK(emulated_delete(memory));
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags) {
    CHECK(flags == cudaHostAllocPortable);
    if (call_fails(CALL_HOST_ALLOC))
        return fail_with(cudaErrorMemoryAllocation);
    *memory = sct_memory_alloc(bytes);
    things_add(1);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory) {
    free(memory);
    things_add(-1);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory) {
    if (call_fails(CALL_ATTRIBUTES))
        return fail_with(cudaErrorInvalidValue);
    int device = memory_device(memory);
    *attributes = (struct cudaPointerAttributes){
        .type = device < 0 ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice, .device = device};
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *all) {
    *available = (size_t)1 << (30 + *current_device());
    *all = 2 * *available;
    return cudaSuccess;
}

static area area_of(cudaStream_t stream, const void *base, int64_t lines, size_t width,
                    int64_t pitch, touch_kind kind) {
    return (area){.base = base,
                  .lines = lines,
                  .width = width,
                  .pitch = pitch,
                  .kind = kind,
                  .stream = stream->number,
                  .device = stream->device,
                  .seen = &stream->seen};
}

/* Stream-ordered memory: all that touch it come after the one and before the other. */
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream) {
    if (call_fails(CALL_MALLOC))
        return fail_with(cudaErrorMemoryAllocation);
    *memory = emulated_new(bytes, stream->device);
    order_lock();
    order_next(stream->number, &stream->seen);
    area all = area_of(stream, *memory, 1, bytes, 0, TOUCH_WRITE);
    memory_touch(&all);
    order_unlock();
    return cudaSuccess;
}

static void delete (void *payload) {
    emulated_delete(*(void **)payload);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
    order_lock();
    order_next(stream->number, &stream->seen);
    area first = area_of(stream, memory, 1, 1, 0, TOUCH_WRITE);
    memory_touch(&first);
    order_unlock();
    stream_push(stream, delete, &memory, sizeof memory);
    if (machine()->idle)
        emulated_delete(memory);
    return cudaSuccess;
}

/* ---- Copies ---- */

typedef struct copy_task {
    int64_t lines;
    size_t width, from_pitch, to_pitch;
    const void *from;
    void *to;
} copy_task;

static void copy(void *payload) {
    const copy_task *t = payload;
    sct_strided_move(t->lines, t->width, t->from, t->from_pitch, t->to, t->to_pitch);
}

static void push_copy(cudaStream_t stream, copy_task t, bool peer_copy) {
    order_lock();
    order_next(stream->number, &stream->seen);
    area from = area_of(stream, t.from, t.lines, t.width, (int64_t)t.from_pitch, TOUCH_READ);
    area to = area_of(stream, t.to, t.lines, t.width, (int64_t)t.to_pitch, TOUCH_WRITE);
    from.peer_copy = to.peer_copy = peer_copy;
    if (!machine()->idle) {
        t.from = memory_touch(&from);
        t.to = memory_touch(&to);
    }
    order_unlock();
    stream_push(stream, copy, &t, sizeof t);
}

static cudaError_t copy_block(const copy_task *t, enum cudaMemcpyKind kind, cudaStream_t stream) {
    if (call_fails(CALL_COPY))
        return fail_with(cudaErrorLaunchFailure);
    CHECK(kind == cudaMemcpyDefault && t->width > 0 && t->lines > 0);
    CHECK(memory_device(t->from) >= 0 || memory_device(t->to) >= 0 || stand_in_failed());
    push_copy(stream, *t, false);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy_block(&(copy_task){1, bytes, bytes, bytes, from, to}, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t lines, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    if (width > to_pitch || width > from_pitch || to_pitch > INT32_MAX || from_pitch > INT32_MAX)
        return fail_with(cudaErrorInvalidPitchValue);
    return copy_block(&(copy_task){(int64_t)lines, width, from_pitch, to_pitch, from, to}, kind,
                      stream);
}

static cudaError_t copy_between(const copy_task *t, int from, int to, cudaStream_t stream) {
    if (call_fails(CALL_COPY_PEER))
        return fail_with(cudaErrorLaunchFailure);
    CHECK(memory_device(t->from) == from && memory_device(t->to) == to);
    push_copy(stream, *t, true);
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    return copy_between(&(copy_task){1, bytes, bytes, bytes, from, to}, from_device, to_device,
                        stream);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    CHECK(p->extent.depth == 1);
    return copy_between(&(copy_task){(int64_t)p->extent.height, p->extent.width, p->srcPtr.pitch,
                                     p->dstPtr.pitch, p->srcPtr.ptr, p->dstPtr.ptr},
                        p->srcDevice, p->dstDevice, stream);
}

/* ---- Kernels ---- */

typedef struct kernel_task {
    void (*kernel)(sct_cuda_work);
    kernel_grid grid;
    sct_cuda_work work;
} kernel_task;

static void launch(void *payload) {
    const kernel_task *t = payload;
    kernel_run(t->kernel, t->grid, t->work);
}

/* Bytes of an element as the kernel counts them. */
static size_t element_bytes(const kernel_task *t, bool target) {
    if (t->kernel == sct_cuda_convert_kernel)
        return (t->work.narrow != 0) == target ? 2 : 4;
    bool by_parts = t->kernel == sct_cuda_copy_kernel || t->kernel == sct_cuda_add_kernel;
    return (size_t)(t->work.bytes * (by_parts ? 1 : t->work.parts));
}

/* Checks what a kernel touches, and gives it the addresses where that is. */
static void touch_blocks(cudaStream_t stream, kernel_task *t) {
    sct_cuda_work *w = &t->work;
    bool turns = t->kernel == sct_cuda_transpose_kernel;
    size_t from_bytes = element_bytes(t, false), to_bytes = element_bytes(t, true);
    area from = area_of(stream, w->from, w->lines, (size_t)w->count * from_bytes,
                        w->from_ld * (int64_t)from_bytes, TOUCH_READ);
    area to = area_of(stream, w->to, turns ? w->count : w->lines,
                      (size_t)(turns ? w->lines : w->count) * to_bytes,
                      w->to_ld * (int64_t)to_bytes, w->atomic ? TOUCH_ATOMIC : TOUCH_WRITE);
    CHECK(memory_device(w->to) >= 0 || stand_in_failed());
    w->to = memory_touch(&to);
    if (t->kernel == sct_cuda_scale_kernel)
        return;
    CHECK(memory_device(w->from) >= 0 || stand_in_failed());
    w->from = memory_touch(&from);
}

/* Counts what is particular about a kernel, and tells whether it is to fail for that. */
static bool note_launch(const cudaLaunchConfig_t *config, const kernel_task *t) {
    bool fails = false;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (CHECK(config->attrs[i].id == cudaLaunchAttributePriority) &&
            config->attrs[i].val.priority == GREATEST_PRIORITY)
            fails |= call_fails(CALL_LAUNCH_URGENT);
    if (!t->work.atomic)
        return fails;
    note_addition((int64_t)t->grid.across * t->grid.down, (int64_t)t->grid.wide * t->grid.high);
    return call_fails(CALL_LAUNCH_ATOMIC) || fails;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments) {
    if (call_fails(CALL_LAUNCH))
        return fail_with(cudaErrorLaunchFailure);
    cudaStream_t stream = config->stream;
    kernel_task t = {
        .grid = {config->gridDim.x, config->gridDim.y, config->blockDim.x, config->blockDim.y}};
    memcpy(&t.kernel, &kernel, sizeof t.kernel);
    memcpy(&t.work, arguments[0], sizeof t.work);
    bool fits = config->gridDim.x > 0 && config->gridDim.y > 0 && config->gridDim.y <= 65535 &&
                config->blockDim.x * config->blockDim.y <= 1024;
    if (!CHECK(fits) || !CHECK(stream->device == *current_device()))
        return fail_with(cudaErrorInvalidConfiguration);
    if (note_launch(config, &t))
        return fail_with(cudaErrorLaunchFailure);
    order_lock();
    order_next(stream->number, &stream->seen);
    if (!machine()->idle)
        touch_blocks(stream, &t);
    order_unlock();
    stream_push(stream, launch, &t, sizeof t);
    return cudaSuccess;
}
