/* device_processes_fabric.c - the fabric for devices of processes keeps the rules of fabrics on
 * stand-ins for CUDA, of which each process has its own; also where processes cannot use each
 * other's memory. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "fabric/device_processes/device_processes.h"
#include "fabric/processes/rank.h"
#include "processes/device_processes.h"
#include "processes/ranks.h"
#include "rules/device_memory.h"
#include "support/check.h"

#include <cuda_runtime_api.h>
#include <string.h>

enum { DEVICES = 2 };

/* What processes can do with each other's memory. */
typedef enum sharing {
    SHARE_ALL,
    SHARE_NOT_OWN,    /* rank 1 cannot share its own */
    SHARE_NOT_OTHERS, /* nor can any rank open that of others */
    SHARE_SAME_DEVICE /* each process has only one of the devices */
} sharing;

static sct_status open_one(const char *list, int rank, sct_device **device) {
    sct_cuda_context *made;
    sct_status status = sct_cuda_context_create(list, 1, &made);
    return status ? status : sct_device_cuda(made, rank % made->group.count, device);
}

static sct_status open_own(void *context, int rank, sct_device **device) {
    static const char *const lists[DEVICES] = {"0", "1"};
    const sharing *how = context;
    return open_one(*how == SHARE_SAME_DEVICE ? lists[rank % DEVICES] : NULL, rank, device);
}

static void start(sharing how, int delay, uint64_t seed) {
    stand_in_start(
        (stand_in_machine){.devices = DEVICES, .delay_us = delay, .seed = seed, .major = 9});
    if (how == SHARE_NOT_OWN && ranks_rank() == 1)
        stand_in_fail(CALL_IPC_GET, 1);
    if (how == SHARE_NOT_OTHERS)
        stand_in_fail(CALL_IPC_OPEN, 1);
}

static void test_fabric(sharing how, int delay, uint64_t seed) {
    staged_ranks apart = {.per_node = SCT_ALL_RANKS_FAR, .path = SCT_PATH_SOCKETS};
    apart.direct = how == SHARE_ALL || (how == SHARE_NOT_OWN && ranks_rank() == 1);
    start(how, delay, seed);
    device_processes_fabric_rules(apart, seed, open_own, &how);
    stand_in_end();
}

static void test_shared_memory(void) {
    sct_device *device;
    start(SHARE_ALL, 0, 1);
    if (CHECK(open_one(NULL, ranks_rank(), &device) == SCT_OK)) {
        shared_memory_rules(device);
        device->ops->close(device);
    }
    stand_in_end();
}

/* ---- Memory of the user ---- */

enum { ROUNDS = 30, OFFSET = 1000, WIDTH = 64 };

/* Wraps memory of the user within an allocation, which is freed as soon as it is allowed. */
static void wrap(sct_fabric *fabric, sct_device *device, char *sent, char *got) {
    char *memory;
    sct_target from = {.rank = (fabric->rank + 1) % fabric->size, .part = {0, 0, 1, WIDTH}};
    sct_event event;
    sct_stream *stream;
    CHECK(cudaMalloc((void **)&memory, OFFSET + WIDTH) == cudaSuccess);
    sct_memory block = {memory + OFFSET, WIDTH, 1, WIDTH};
    memory_put(device, block.base, sent, WIDTH);
    CHECK(fabric->ops->segment_wrap(fabric, 1, &block, &from.segment) == SCT_OK);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    CHECK(sct_fabric_get(fabric, stream, &from, got, WIDTH, &event) == SCT_OK);
    CHECK(!event.ops && sct_device_drain(device, stream) == SCT_OK);
    device->ops->stream_close(stream);
    CHECK(got[0] == from.rank && got[WIDTH - 1] == from.rank);
    fabric->ops->segment_close(from.segment);
    CHECK(cudaFree(memory) == cudaSuccess);
}

static void test_wrapped(void) {
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = SCT_ALL_RANKS_FAR}};
    char sent[WIDTH], got[WIDTH];
    sct_fabric *ranks, *fabric;
    sct_device *device;
    start(SHARE_ALL, 0, 1);
    memset(sent, ranks_rank(), sizeof sent);
    if (CHECK(ranks_open_fabric(&options, &ranks) == SCT_OK) &&
        CHECK(open_one(NULL, ranks_rank(), &device) == SCT_OK) &&
        CHECK(sct_fabric_device_processes(ranks, device, &options, &fabric) == SCT_OK)) {
        for (int i = 0; i < ROUNDS; i++)
            wrap(fabric, device, sent, got);
        fabric->ops->close(fabric);
        device->ops->close(device);
    }
    stand_in_end();
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    test_shared_memory();
    test_wrapped();
    for (int how = SHARE_ALL; how <= SHARE_SAME_DEVICE; how++)
        test_fabric((sharing)how, how % 2 ? 0 : 20, seed + (uint64_t)how);
    return check_report("device_processes_fabric");
}
