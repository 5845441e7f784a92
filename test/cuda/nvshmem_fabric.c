/* nvshmem_fabric.c - the fabric for devices of processes keeps the rules of fabrics where they
 * share memory by NVSHMEM, on stand-ins: with so many ranks on each emulated host. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "fabric/bounce/bounce.h"
#include "fabric/device_processes/device_processes.h"
#include "fabric/processes/rank.h"
#include "processes/device_processes.h"
#include "processes/ranks.h"
#include "rules/device_memory.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, HEAP = 1 << 25 };

static void join(int rank, sct_device **device) {
    sct_cuda_context *made;
    sct_nvshmem_id mine = {{0}}, all[MOST_RANKS];
    CHECK(sct_cuda_context_create(NULL, 1, &made) == SCT_OK);
    CHECK(sct_device_cuda(made, rank % made->group.count, device) == SCT_OK);
    CHECK(rank != 0 || sct_nvshmem_functions()->name(&mine) == 0);
    ranks_gather(&mine, sizeof mine, all);
    CHECK(sct_device_cuda_prepare_join(*device, rank, ranks_size()) == SCT_OK);
    CHECK(sct_device_cuda_join(*device, &all[0]) == SCT_OK);
}

static sct_status open_joined(void *context, int rank, sct_device **device) {
    (void)context;
    join(rank, device);
    return sct_device_cuda_make_heap(*device, HEAP);
}

/* ---- Moves ---- */

enum { LINES = 400, COUNT = 5000, PITCH = 5120, BYTES = LINES * PITCH, STREAMS = 2 };

static void fill(int rank, unsigned char *bytes) {
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(17 * rank + i % 251);
}

static void check_lines(int rank, const unsigned char *got) {
    unsigned char *want = malloc(BYTES);
    int wrong = 0;
    fill(rank, want);
    for (int line = 0; line < LINES; line++)
        wrong += memcmp(got + line * PITCH, want + line * PITCH, COUNT) != 0;
    CHECK_CASE(wrong == 0, "%d lines are wrong", wrong);
    free(want);
}

/* Each stream moves its share of the lines. Where they do not go into the heap, all go by one
 * buffer, in pieces. */
static void move(sct_device *device, const char *from, char *to) {
    sct_stream *stream[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        int64_t at = (int64_t)i * LINES / STREAMS * PITCH;
        sct_command command = {.work = SCT_DO_MOVE,
                               .strided = {.lines = LINES / STREAMS,
                                           .count = COUNT,
                                           .from = from + at,
                                           .from_ld = PITCH,
                                           .to = to + at,
                                           .to_ld = PITCH}};
        CHECK(device->ops->stream_open(device, &stream[i]) == SCT_OK);
        CHECK(device->ops->submit(stream[i], &command) == SCT_OK);
    }
    for (int i = 0; i < STREAMS; i++) {
        CHECK(sct_device_drain(device, stream[i]) == SCT_OK);
        device->ops->stream_close(stream[i]);
    }
}

/* From memory of the next rank, which is on another host: to the heap, to other memory of the GPU,
 * and to the host. */
static void move_from_next(sct_device *device, const char *from, int next) {
    unsigned char *host = device->ops->alloc_host(device, BYTES);
    char *in_heap = memory_new(device, BYTES, 0);
    void *other = NULL;
    CHECK(cudaMalloc(&other, BYTES) == cudaSuccess);
    move(device, from, in_heap);
    memory_take(device, in_heap, host, BYTES);
    check_lines(next, host);
    move(device, from, other);
    memory_take(device, other, host, BYTES);
    check_lines(next, host);
    memset(host, 0, BYTES);
    move(device, from, (char *)host);
    check_lines(next, host);
    CHECK(cudaFree(other) == cudaSuccess);
    memory_free(device, in_heap);
    device->ops->release_host(device, host);
}

static void test_moves(void) {
    int next = (ranks_rank() + 1) % ranks_size();
    unsigned char *host = malloc(BYTES);
    char sign = 0, signs[MOST_RANKS];
    sct_memory_handle mine, all[MOST_RANKS];
    sct_device *device;
    stand_in_start((stand_in_machine){.devices = 1, .delay_us = 200, .ranks_per_host = 1});
    CHECK(open_joined(NULL, ranks_rank(), &device) == SCT_OK);
    char *own = memory_new(device, BYTES, 0);
    fill(ranks_rank(), host);
    memory_put(device, own, host, BYTES);
    CHECK(!device->ops->share(device, host, BYTES, &mine));
    CHECK(!device->ops->share(device, own, HEAP, &mine));
    CHECK(device->ops->share(device, own, BYTES, &mine));
    ranks_gather(&mine, sizeof mine, all);
    char *from = device->ops->attach(device, &all[next]);
    if (CHECK(from != NULL && !device->ops->can_use(device, from)))
        move_from_next(device, from, next);
    memset(&mine, 0, sizeof mine);
    CHECK(!device->ops->attach(device, &mine));
    CHECK(!device->ops->alloc(device, HEAP));
    ranks_gather(&sign, sizeof sign, signs);
    memory_free(device, own);
    device->ops->close(device);
    stand_in_end();
    free(host);
}

/* A heap that leaves no room for the buffer; and one for a device that has memory of its own
 * already. */
static void test_heaps(void) {
    for (int used = 0; used < 2; used++) {
        sct_device *device;
        void *memory = NULL;
        stand_in_start((stand_in_machine){.devices = 1});
        join(ranks_rank(), &device);
        if (used)
            CHECK((memory = device->ops->alloc(device, 1)) != NULL);
        CHECK(sct_device_cuda_make_heap(device, used ? HEAP : 1000) == SCT_NO_MEMORY);
        CHECK_CASE(strstr(sct_last_reason(), used ? "a heap of NVSHMEM" : "a buffer of NVSHMEM"),
                   "%s", sct_last_reason());
        if (used)
            device->ops->release(device, memory);
        device->ops->close(device);
        stand_in_end();
    }
}

/* ---- Rules ---- */

/* Collective: the gets by NVSHMEM of all ranks. */
static int64_t count_gets(void) {
    int64_t mine = stand_in_count(CALL_NVSHMEM_GET), of_ranks[MOST_RANKS], all = 0;
    ranks_gather(&mine, sizeof mine, of_ranks);
    for (int r = 0; r < ranks_size(); r++)
        all += of_ranks[r];
    return all;
}

/* Gets by NVSHMEM go to other hosts, unless these are linked, and nowhere else. */
static void test_rules(int ranks_per_host, bool linked, uint64_t seed) {
    bool direct = linked || ranks_per_host == ranks_size();
    stand_in_start((stand_in_machine){.devices = 2,
                                      .delay_us = 20,
                                      .seed = seed,
                                      .ranks_per_host = ranks_per_host,
                                      .linked = linked});
    device_processes_fabric_rules((staged_ranks){.per_node = SCT_ALL_RANKS_FAR,
                                                 .beside = 1, /* without NVSHMEM */
                                                 .path = SCT_PATH_SOCKETS,
                                                 .direct = direct},
                                  seed, open_joined, NULL);
    CHECK((count_gets() > 0) == !direct);
    CHECK(stand_in_count(CALL_IPC_GET) == 0);
    stand_in_end();
}

/* ---- Additions ---- */

static void add_to_next(sct_fabric *fabric, sct_device *device) {
    enum { PIECES = 3, NUMBERS = SCT_PIECE_MOST_BYTES / sizeof(double), GAP = 5, VALUE = 7 };
    sct_memory own = {.lines = PIECES, .width = NUMBERS * sizeof(double)};
    sct_target to = {.rank = (fabric->rank + 1) % fabric->size, .part = {0, 0, PIECES, own.width}};
    size_t pitch = own.width + GAP * sizeof(double), bytes = PIECES * pitch;
    double *host = malloc(bytes), *from = memory_new(device, bytes, 0);
    sct_event event;
    if (!CHECK(fabric->ops->segment_open(fabric, 1, &own, &to.segment) == SCT_OK))
        return;
    for (size_t i = 0; i < bytes / sizeof *host; i++)
        host[i] = VALUE;
    memory_put(device, from, host, bytes);
    memory_put(device, own.base, host, PIECES * own.width);
    int64_t copies = stand_in_count(CALL_COPY), gets = stand_in_count(CALL_NVSHMEM_GET),
            additions = stand_in_count(CALL_LAUNCH_ATOMIC);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, from, pitch, &to, &event) == SCT_OK);
    CHECK(sct_event_wait(event) == SCT_OK);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    CHECK(stand_in_count(CALL_COPY) - copies == PIECES);
    CHECK(stand_in_count(CALL_NVSHMEM_GET) - gets == PIECES);
    CHECK(stand_in_count(CALL_LAUNCH_ATOMIC) - additions == PIECES);
    memory_take(device, own.base, host, PIECES * own.width);
    for (int i = 0; i < PIECES * NUMBERS; i++)
        CHECK(host[i] == 2 * VALUE);
    fabric->ops->segment_close(to.segment);
    memory_free(device, from);
    free(host);
}

/* What is added on another host does not pass through memory of the hosts: a piece is copied to the
 * outbox, fetched from there by NVSHMEM, and added by a kernel. */
static void test_additions(void) {
    sct_world_options apart = {.size = sizeof apart,
                               .engine_options =
                                   &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                            .ranks_per_node = SCT_ALL_RANKS_FAR},
                               .path = SCT_PATH_SOCKETS};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    stand_in_start((stand_in_machine){.devices = 1, .delay_us = 200, .ranks_per_host = 1});
    CHECK(ranks_open_fabric(&apart, &ranks) == SCT_OK);
    CHECK(open_joined(NULL, ranks->rank, &device) == SCT_OK);
    if (CHECK(sct_fabric_device_processes(ranks, device, NULL, &fabric) == SCT_OK)) {
        add_to_next(fabric, device);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
    stand_in_end();
}

/* ---- Memory of the user ---- */

enum { WRAPPED = 3000, OWN = 1000, ADDED = 10 };

static void fill_with(sct_device *device, double *to, double value) {
    double host[WRAPPED];
    for (int i = 0; i < WRAPPED; i++)
        host[i] = value;
    memory_put(device, to, host, sizeof host);
}

static void check_all(sct_device *device, const double *from, double want) {
    double host[WRAPPED];
    int wrong = 0;
    memory_take(device, from, host, sizeof host);
    for (int i = 0; i < WRAPPED; i++)
        wrong += host[i] != want;
    CHECK_CASE(wrong == 0, "%d are wrong, such as %g for %g", wrong, host[0], want);
}

/* Each rank gets the memory of the next one, without NVSHMEM, and adds to it. */
static void use_next(sct_fabric *fabric, sct_device *device, double *user, double *mine) {
    enum { BYTES_EACH = WRAPPED * sizeof *user };
    sct_memory block = {(char *)user, BYTES_EACH, 1, BYTES_EACH};
    sct_target next = {.rank = (fabric->rank + 1) % fabric->size, .part = {0, 0, 1, BYTES_EACH}};
    sct_event event;
    int64_t gets = stand_in_count(CALL_NVSHMEM_GET);
    fill_with(device, user, OWN + fabric->rank);
    if (!CHECK(fabric->ops->segment_wrap(fabric, 1, &block, &next.segment) == SCT_OK))
        return;
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    CHECK(sct_fabric_get(fabric, NULL, &next, mine, BYTES_EACH, &event) == SCT_OK);
    CHECK(sct_event_wait(event) == SCT_OK);
    check_all(device, mine, OWN + next.rank);
    CHECK(stand_in_count(CALL_NVSHMEM_GET) == gets);
    fill_with(device, mine, ADDED);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, mine, BYTES_EACH, &next, &event) == SCT_OK);
    CHECK(sct_event_wait(event) == SCT_OK);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    check_all(device, user, OWN + fabric->rank + ADDED);
    fabric->ops->segment_close(next.segment);
}

/* It is not in the heap. */
static void test_wrapped(stand_in_machine machine) {
    enum { BYTES_EACH = WRAPPED * sizeof(double) };
    sct_world_options apart = {.size = sizeof apart,
                               .engine_options =
                                   &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                            .ranks_per_node = SCT_ALL_RANKS_FAR},
                               .path = SCT_PATH_SOCKETS};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    void *user = NULL;
    machine.devices = 2;
    stand_in_start(machine);
    CHECK(ranks_open_fabric(&apart, &ranks) == SCT_OK);
    CHECK(open_joined(NULL, ranks->rank, &device) == SCT_OK);
    CHECK(cudaMalloc(&user, BYTES_EACH) == cudaSuccess);
    if (CHECK(sct_fabric_device_processes(ranks, device, NULL, &fabric) == SCT_OK)) {
        double *mine = memory_new(device, BYTES_EACH, 0);
        use_next(fabric, device, user, mine);
        memory_free(device, mine);
        fabric->ops->close(fabric);
    }
    CHECK(cudaFree(user) == cudaSuccess);
    device->ops->close(device);
    stand_in_end();
}

/* ---- Memory runs out ---- */

/* Collective: whether the n-th allocation or mapping of any rank fails as it opens outboxes; all
 * ranks then have a reason. */
static bool open_outboxes(sct_fabric *ranks, sct_device *device, long n, bool *unattached) {
    sct_bounce bounce;
    bool of_ranks[MOST_RANKS], any = false;
    CHECK(sct_bounce_open(&bounce, device) == SCT_OK);
    alloc_countdown = n;
    sct_status status = sct_bounce_open_outboxes(&bounce, ranks);
    bool failed = alloc_countdown < 0;
    alloc_countdown = -1;
    ranks_gather(&failed, sizeof failed, of_ranks);
    for (int r = 0; r < ranks_size(); r++)
        any = any || of_ranks[r];
    CHECK_CASE(any == (status != SCT_OK), "allocation %ld: %s", n, sct_status_name(status));
    *unattached = any && strstr(sct_last_reason(), "could not be attached");
    sct_bounce_close(&bounce);
    return any;
}

static void test_memory(void) {
    enum { MOST = 100 };
    sct_world_options apart = {.size = sizeof apart,
                               .engine_options =
                                   &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                            .ranks_per_node = SCT_ALL_RANKS_FAR},
                               .path = SCT_PATH_SOCKETS};
    sct_cuda_context *context;
    sct_device *device;
    sct_fabric *ranks;
    bool unattached;
    long n = 0, times = 0;
    stand_in_start((stand_in_machine){.devices = 1, .ranks_per_host = 1});
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_OK);
    CHECK(sct_device_cuda(context, 0, &device) == SCT_OK);
    alloc_countdown = 0;
    CHECK(sct_device_cuda_prepare_join(device, ranks_rank(), ranks_size()) == SCT_NO_MEMORY);
    device->ops->close(device);
    CHECK(ranks_open_fabric(&apart, &ranks) == SCT_OK);
    CHECK(open_joined(NULL, ranks_rank(), &device) == SCT_OK);
    while (n < MOST && open_outboxes(ranks, device, n++, &unattached))
        times += unattached;
    CHECK_CASE(times > 0 && n < MOST, "%ld allocations, %ld unattached", n, times);
    ranks->ops->close(ranks);
    device->ops->close(device);
    stand_in_end();
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    for (int ranks_per_host = 1; ranks_per_host <= ranks_size(); ranks_per_host++)
        test_rules(ranks_per_host, false, seed++);
    test_rules(1, true, seed);
    test_moves();
    test_heaps();
    test_additions();
    test_wrapped((stand_in_machine){.ranks_per_host = 1});
    test_wrapped((stand_in_machine){.ranks_per_host = 1, .linked = true});
    test_wrapped((stand_in_machine){.ranks_per_host = 2, .unequal = true});
    test_memory();
    return check_report("nvshmem_fabric");
}
