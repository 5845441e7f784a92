/* symmetric.c - see symmetric.h. */
#include "device/cuda/symmetric.h"

#include "base/checked.h"
#include "device/cuda/cuda.h"
#include "device/cuda/two_steps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- Opening and closing ---- */

sct_status sct_device_cuda_prepare_join(sct_device *device, int rank, int ranks) {
    sct_cuda_device *self = (sct_cuda_device *)device;
    sct_cuda_symmetric *made = calloc(1, sizeof *made + (size_t)ranks * sizeof made->part[0]);
    if (!made)
        return sct_no_memory("a heap of NVSHMEM");
    *made = (sct_cuda_symmetric){.nvshmem = sct_nvshmem_functions(),
                                 .device = self,
                                 .rank = rank,
                                 .ranks = ranks,
                                 .bouncing = PTHREAD_MUTEX_INITIALIZER,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};
    self->symmetric = made;
    return sct_cuda_check(cudaSetDevice(self->gpu->id), "use a device");
}

sct_status sct_device_cuda_join(sct_device *device, const sct_nvshmem_id *id) {
    sct_cuda_symmetric *self = ((sct_cuda_device *)device)->symmetric;
    self->joined = self->nvshmem->join(self->rank, self->ranks, id) == 0;
    return self->joined ? SCT_OK : sct_fail(SCT_NO_ENGINE, "path: NVSHMEM could not be started");
}

static sct_status open_bounce(sct_cuda_symmetric *self) {
    self->bounce = sct_cuda_slabs_alloc(&self->device->slabs, SCT_CUDA_BUFFER_BYTES);
    if (!self->bounce)
        return sct_no_memory("a buffer of NVSHMEM");
    return sct_cuda_check(cudaEventCreateWithFlags(&self->emptied, cudaEventDisableTiming),
                          "make an event");
}

sct_status sct_device_cuda_make_heap(sct_device *device, size_t bytes) {
    sct_cuda_symmetric *self = ((sct_cuda_device *)device)->symmetric;
    void *heap;
    if (self->nvshmem->alloc(bytes, &heap))
        return sct_fail(SCT_NO_MEMORY, "path: NVSHMEM has no %zu bytes for its heap", bytes);
    self->heap = heap;
    self->bytes = bytes;
    device->spans_hosts = true;
    if (!sct_cuda_slabs_lend(&self->device->slabs, heap, bytes))
        return sct_no_memory("a heap of NVSHMEM");
    return open_bounce(self);
}

void sct_cuda_symmetric_close(sct_cuda_symmetric *self) {
    if (!self)
        return;
    if (self->emptied)
        cudaEventDestroy(self->emptied);
    for (int r = 0; r < self->ranks; r++)
        if (self->part[r].window)
            munmap(self->part[r].window, self->bytes);
    if (self->joined)
        self->nvshmem->leave(self->heap);
    pthread_mutex_destroy(&self->bouncing);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

/* ---- Addresses ---- */

static bool lies_in(const char *base, size_t bytes, const void *memory) {
    uintptr_t first = (uintptr_t)base, address = (uintptr_t)memory;
    return base && address >= first && address - first < bytes;
}

/* Whether an address lies in the part of a rank that has been attached. `gpu` is the GPU that adds
 * to it; NULL: the address is in a window, and no GPU can use it. */
static bool find_part(sct_cuda_symmetric *self, const void *memory, sct_cuda_gpu **gpu) {
    bool found = false;
    pthread_mutex_lock(&self->lock);
    for (int r = 0; r < self->ranks && !found; r++) {
        const sct_cuda_part *part = &self->part[r];
        found = lies_in(part->base ? part->base : part->window, self->bytes, memory);
        *gpu = found && part->base ? part->gpu : NULL;
    }
    pthread_mutex_unlock(&self->lock);
    return found;
}

cudaError_t sct_cuda_find_owner(const sct_cuda_device *device, const void *memory,
                                sct_cuda_gpu **gpu) {
    bool found = device->symmetric && find_part(device->symmetric, memory, gpu);
    return found ? cudaSuccess : sct_cuda_find_gpu(device->context, memory, gpu);
}

int sct_cuda_symmetric_rank(sct_cuda_symmetric *self, const void *memory, size_t *offset) {
    int found = -1;
    pthread_mutex_lock(&self->lock);
    for (int r = 0; r < self->ranks && found < 0; r++)
        if (lies_in(self->part[r].window, self->bytes, memory)) {
            *offset = (size_t)((const char *)memory - self->part[r].window);
            found = r;
        }
    pthread_mutex_unlock(&self->lock);
    return found;
}

/* What a handle says. */
typedef struct place {
    size_t heap, offset; /* how large the heap is, and where in it */
    int rank;
    cudaUUID_t gpu;
} place;
_Static_assert(sizeof(place) <= sizeof(sct_memory_handle), "a place fits into a handle");

bool sct_cuda_symmetric_share(const sct_cuda_symmetric *self, const void *memory, size_t bytes,
                              sct_memory_handle *handle) {
    size_t offset = (size_t)((const char *)memory - self->heap);
    if (!lies_in(self->heap, self->bytes, memory) || bytes > self->bytes - offset)
        return false;
    place shared;
    memset(&shared, 0, sizeof shared);
    shared.heap = self->bytes;
    shared.offset = offset;
    shared.rank = self->rank;
    shared.gpu = self->device->gpu->uuid;
    memcpy(handle->bytes, &shared, sizeof shared);
    return true;
}

static char *open_window(size_t bytes) {
    void *window = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return window == MAP_FAILED ? NULL : window;
}

/* Additions must be atomic. Of a GPU of this process CUDA reports whether they are, and otherwise
 * it has a mailbox. A GPU of another host is reached by NVLink or not at all, and NVLink makes them
 * atomic: they are then made as those to memory of this rank's GPU. */
static void open_part(const sct_cuda_symmetric *self, const place *shared, sct_cuda_part *part) {
    part->gpu = sct_cuda_gpu_named(self->device->context, &shared->gpu);
    if (!part->gpu && !self->nvshmem->beside(shared->rank))
        part->gpu = self->device->gpu;
    part->base = part->gpu ? self->nvshmem->find(self->heap, shared->rank) : NULL;
    if (!part->base)
        part->window = open_window(self->bytes);
}

void *sct_cuda_symmetric_attach(sct_cuda_symmetric *self, const sct_memory_handle *handle) {
    place shared;
    memcpy(&shared, handle->bytes, sizeof shared);
    if (shared.heap != self->bytes || shared.offset >= shared.heap || shared.rank < 0 ||
        shared.rank >= self->ranks)
        return NULL;
    sct_cuda_part *part = &self->part[shared.rank];
    pthread_mutex_lock(&self->lock);
    if (!part->base && !part->window)
        open_part(self, &shared, part);
    char *base = part->base ? part->base : part->window;
    pthread_mutex_unlock(&self->lock);
    return base ? base + shared.offset : NULL;
}

/* ---- Moves from a window ---- */

/* To the heap, from so far in the part of a rank. */
static void get(sct_stream *stream, const sct_strided_work *w, int rank, size_t offset) {
    sct_cuda_symmetric *self = stream->device->symmetric;
    const char *from = self->heap + offset;
    bool dense = w->from_ld == w->count && w->to_ld == w->count;
    int64_t lines = dense ? 1 : w->lines, count = dense ? w->lines * w->count : w->count;
    pthread_mutex_lock(&self->lock);
    for (int64_t line = 0; line < lines; line++)
        self->nvshmem->get((char *)w->to + line * w->to_ld, from + line * w->from_ld, (size_t)count,
                           rank, stream->stream);
    pthread_mutex_unlock(&self->lock);
}

/* First step: fetches a piece into the bounce buffer, once the piece before has been copied out of
 * it. The second step copies the piece from there to its destination. */
static sct_status fill_bounce(sct_stream *stream, const sct_strided_work *piece,
                              const void *context) {
    sct_cuda_symmetric *self = stream->device->symmetric;
    size_t offset = 0;
    (void)context;
    int rank = sct_cuda_symmetric_rank(self, piece->from, &offset);
    cudaError_t error = cudaStreamWaitEvent(stream->stream, self->emptied, 0);
    if (!error)
        get(stream, piece, rank, offset);
    return sct_cuda_check(error, "use a buffer");
}

static sct_status empty_bounce(sct_stream *stream, const sct_strided_work *piece,
                               const void *context) {
    cudaEvent_t emptied = stream->device->symmetric->emptied;
    sct_status status = sct_cuda_move(stream, piece);
    (void)context;
    return status ? status
                  : sct_cuda_check(cudaEventRecord(emptied, stream->stream), "use a buffer");
}

sct_status sct_cuda_symmetric_move(sct_stream *stream, const sct_strided_work *work, int rank,
                                   size_t offset) {
    sct_cuda_symmetric *self = stream->device->symmetric;
    if (lies_in(self->heap, self->bytes, work->to)) {
        get(stream, work, rank, offset);
        return SCT_OK;
    }
    const sct_cuda_two_steps how = {self->bounce, 1, 1, fill_bounce, empty_bounce, NULL};
    pthread_mutex_lock(&self->bouncing);
    sct_status status = sct_cuda_in_two_steps(stream, work, &how);
    pthread_mutex_unlock(&self->bouncing);
    return status;
}
