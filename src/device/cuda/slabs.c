/* slabs.c - deals out pieces of slabs: the smallest that is large enough. Neighbours that are free
 * become one piece. */
#include "device/cuda/slabs.h"

#include "base/memory.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* Pieces are aligned to the first, and slabs are multiples of the second. */
enum { ALIGNMENT = 256, GRANULE = 1 << 21, LEAST_SLAB = 2 * GRANULE };

static size_t round_up(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/* The number of pieces that begin before an address. */
static int64_t pieces_before(const sct_cuda_slabs *slabs, const char *address) {
    int64_t lo = 0, hi = slabs->count;
    while (lo < hi) {
        int64_t middle = (lo + hi) / 2;
        if ((uintptr_t)slabs->piece[middle].base < (uintptr_t)address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool insert(sct_cuda_slabs *slabs, sct_cuda_piece piece) {
    sct_cuda_piece *list = sct_memory_grow(slabs->piece, slabs->count, &slabs->room, sizeof *list);
    if (!list)
        return false;
    slabs->piece = list;
    int64_t at = pieces_before(slabs, piece.base);
    memmove(&list[at + 1], &list[at], (size_t)(slabs->count - at) * sizeof *list);
    list[at] = piece;
    slabs->count++;
    return true;
}

static void remove_piece(sct_cuda_slabs *slabs, int64_t at) {
    slabs->count--;
    memmove(&slabs->piece[at], &slabs->piece[at + 1],
            (size_t)(slabs->count - at) * sizeof *slabs->piece);
}

/* Whether a piece and the next are parts of one slab. */
static bool adjoins(const sct_cuda_slabs *slabs, int64_t at) {
    return at >= 0 && at + 1 < slabs->count && !slabs->piece[at + 1].first;
}

/* ---- Slabs ---- */

/* Gives slabs back that are free as a whole. */
static void trim(sct_cuda_slabs *slabs) {
    for (int64_t at = slabs->count - 1; at >= 0; at--)
        if (slabs->piece[at].first && !slabs->piece[at].used && !adjoins(slabs, at)) {
            cudaFree(slabs->piece[at].base);
            remove_piece(slabs, at);
        }
}

static bool add_slab(sct_cuda_slabs *slabs, size_t bytes) {
    void *base;
    size_t size = bytes < LEAST_SLAB ? LEAST_SLAB : round_up(bytes, GRANULE);
    cudaError_t error = cudaMalloc(&base, size);
    if (error) {
        trim(slabs);
        error = cudaMalloc(&base, size);
    }
    if (error) {
        cudaGetLastError();
        return false;
    }
    if (insert(slabs, (sct_cuda_piece){.base = base, .bytes = size, .first = true}))
        return true;
    cudaFree(base);
    return false;
}

bool sct_cuda_slabs_reserve(sct_cuda_slabs *slabs, size_t bytes) {
    slabs->only = add_slab(slabs, bytes);
    return slabs->only;
}

bool sct_cuda_slabs_lend(sct_cuda_slabs *slabs, void *base, size_t bytes) {
    if (slabs->count > 0 ||
        !insert(slabs, (sct_cuda_piece){.base = base, .bytes = bytes, .first = true}))
        return false;
    slabs->only = slabs->lent = true;
    return true;
}

void sct_cuda_slabs_clear(sct_cuda_slabs *slabs) {
    for (int64_t at = 0; at < slabs->count && !slabs->lent; at++)
        if (slabs->piece[at].first)
            cudaFree(slabs->piece[at].base);
    free(slabs->piece);
    pthread_mutex_destroy(&slabs->lock);
}

/* ---- Pieces ---- */

/* The smallest free piece of at least this size; -1: none. */
static int64_t find(const sct_cuda_slabs *slabs, size_t bytes) {
    int64_t best = -1;
    for (int64_t at = 0; at < slabs->count; at++) {
        const sct_cuda_piece *piece = &slabs->piece[at];
        if (!piece->used && piece->bytes >= bytes &&
            (best < 0 || piece->bytes < slabs->piece[best].bytes))
            best = at;
    }
    return best;
}

static void *take(sct_cuda_slabs *slabs, size_t size) {
    int64_t at = find(slabs, size);
    if (at < 0 && !slabs->only && add_slab(slabs, size))
        at = find(slabs, size);
    if (at < 0)
        return NULL;
    sct_cuda_piece *piece = &slabs->piece[at];
    sct_cuda_piece rest = {.base = piece->base + size, .bytes = piece->bytes - size};
    if (rest.bytes > 0 && !insert(slabs, rest))
        return NULL;
    piece = &slabs->piece[at]; /* the list may have moved */
    piece->bytes = size;
    piece->used = true;
    return piece->base;
}

void *sct_cuda_slabs_alloc(sct_cuda_slabs *slabs, size_t bytes) {
    size_t size = bytes ? round_up(bytes, ALIGNMENT) : ALIGNMENT;
    if (size < bytes || size > PTRDIFF_MAX)
        return NULL;
    pthread_mutex_lock(&slabs->lock);
    void *taken = take(slabs, size);
    pthread_mutex_unlock(&slabs->lock);
    return taken;
}

/* Joins a free piece with the next one. */
static void join(sct_cuda_slabs *slabs, int64_t at) {
    if (!adjoins(slabs, at) || slabs->piece[at].used || slabs->piece[at + 1].used)
        return;
    slabs->piece[at].bytes += slabs->piece[at + 1].bytes;
    remove_piece(slabs, at + 1);
}

void sct_cuda_slabs_release(sct_cuda_slabs *slabs, void *memory) {
    pthread_mutex_lock(&slabs->lock);
    int64_t at = pieces_before(slabs, memory);
    slabs->piece[at].used = false;
    join(slabs, at);
    join(slabs, at - 1);
    pthread_mutex_unlock(&slabs->lock);
}
