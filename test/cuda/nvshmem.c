/* nvshmem.c - the functions of NVSHMEM between processes of this host, of which some pretend to be
 * on other hosts. */
#include "cuda/as_host/nvshmem_host.h"
#include "cuda/state.h"

#include "base/strided.h"
#include "support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RANKS = 16 };

/* What the ranks of a group share. */
typedef struct meeting {
    atomic_int arrived, round;
    shared_allocation heap[MOST_RANKS];
} meeting;

/* Where others find it. */
typedef struct place {
    int process, file;
} place;

static meeting *group;
static int own_rank, all_ranks;
static char *heap[MOST_RANKS]; /* as this process has them open */

static meeting *map(int file) {
    meeting *mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static void meet(void) {
    int round = atomic_load(&group->round);
    if (atomic_fetch_add(&group->arrived, 1) + 1 == all_ranks) {
        atomic_store(&group->arrived, 0);
        atomic_store(&group->round, round + 1);
    }
    while (atomic_load(&group->round) == round)
        sched_yield();
}

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *name) {
    if (call_fails(CALL_NVSHMEM_NAME))
        return 1;
    place here = {.process = getpid(), .file = memfd_create("nvshmem", 0)};
    if (here.file < 0 || ftruncate(here.file, sizeof(meeting)) != 0)
        return 1;
    memcpy(name, &here, sizeof here);
    return 0;
}

int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t *name,
                                    nvshmemx_init_attr_t *how) {
    *how = (nvshmemx_init_attr_t){.rank = rank, .ranks = ranks, .name = *name};
    return 0;
}

int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t *how) {
    place there;
    char path[64];
    CHECK(flags == NVSHMEMX_INIT_WITH_UNIQUEID && how->ranks <= MOST_RANKS && !group);
    if (call_fails(CALL_NVSHMEM_INIT))
        return 1;
    memcpy(&there, &how->name, sizeof there);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", there.process, there.file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || !(group = map(file)))
        return 1;
    own_rank = how->rank;
    all_ranks = how->ranks;
    meet();
    if (own_rank == 0)
        close(there.file);
    things_add(1);
    return 0;
}

void nvshmemx_hostlib_finalize(void) {
    meet();
    munmap(group, sizeof *group);
    group = NULL;
    things_add(-1);
}

/* The same on all ranks, and not more than any of them allows. */
void *nvshmem_malloc(size_t bytes) {
    const char *wanted = getenv("SECTILE_CUDA_BYTES");
    size_t available, all;
    CHECK(cudaMemGetInfo(&available, &all) == cudaSuccess);
    CHECK(bytes <= (wanted ? strtoull(wanted, NULL, 10) : available / 2));
    bool fails = call_fails(CALL_NVSHMEM_MALLOC);
    char *made = fails ? NULL : emulated_new(bytes, *current_device());
    if (made)
        CHECK(emulated_share(made, &group->heap[own_rank]));
    meet();
    for (int rank = 0; rank < all_ranks && made; rank++)
        CHECK(group->heap[rank].bytes == bytes);
    heap[own_rank] = made;
    return made;
}

/* Others may have it open until then. */
void nvshmem_free(void *memory) {
    for (int rank = 0; rank < all_ranks; rank++)
        if (rank != own_rank && heap[rank])
            CHECK(emulated_close(heap[rank]));
    meet();
    CHECK(emulated_delete(memory));
    memset(heap, 0, sizeof heap);
}

static char *find(const void *address, int rank) {
    if (!heap[rank])
        heap[rank] = emulated_open(&group->heap[rank]);
    return heap[rank] + ((const char *)address - heap[own_rank]);
}

int nvshmem_team_translate_pe(nvshmem_team_t from, int rank, nvshmem_team_t to) {
    int per_host = machine()->ranks_per_host ? machine()->ranks_per_host : all_ranks;
    CHECK(from == NVSHMEM_TEAM_WORLD && to == NVSHMEMX_TEAM_NODE);
    return rank / per_host == own_rank / per_host ? rank % per_host : -1;
}

void *nvshmem_ptr(const void *address, int rank) {
    bool near = nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, rank, NVSHMEMX_TEAM_NODE) >= 0;
    return near || machine()->linked ? find(address, rank) : NULL;
}

typedef struct get_task {
    const void *from;
    void *to;
    size_t bytes;
} get_task;

static void run_get(void *payload) {
    const get_task *t = payload;
    memcpy(t->to, t->from, t->bytes);
}

static bool in_heap(const char *memory, size_t bytes) {
    uintptr_t first = (uintptr_t)heap[own_rank], at = (uintptr_t)memory;
    return at >= first && at - first + bytes <= group->heap[own_rank].bytes;
}

void nvshmemx_getmem_on_stream(void *to, const void *from, size_t bytes, int rank,
                               cudaStream_t stream) {
    call_fails(CALL_NVSHMEM_GET);
    CHECK(in_heap(to, bytes) && in_heap(from, bytes) && bytes > 0);
    area source = {.base = find(from, rank),
                   .lines = 1,
                   .width = bytes,
                   .kind = TOUCH_READ,
                   .stream = stream->number,
                   .device = stream->device,
                   .seen = &stream->seen,
                   .peer_copy = true};
    area target = source;
    target.base = to;
    target.kind = TOUCH_WRITE;
    order_lock();
    order_next(stream->number, &stream->seen);
    get_task task = {memory_touch(&source), memory_touch(&target), bytes};
    order_unlock();
    stream_push(stream, run_get, &task, sizeof task);
}
