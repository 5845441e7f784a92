/* staged.c - ranks that are processes without MPI, each with a device. */
#include "processes/staged.h"

#include "fabric/processes/processes.h"
#include "fabric/staged/staged.h"
#include "processes/ranks.h"
#include "rules/device_memory.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    ranks_gather(mine, bytes, all);
    return 0;
}

/* A get that was waited for has written memory of the device. */
static void get_to_device(sct_fabric *fabric, sct_device *device) {
    enum { BYTES = 1 << 16, ROUNDS = 20 };
    int next = (fabric->rank + 1) % fabric->size;
    sct_memory own = {.lines = 1, .width = BYTES};
    sct_target from = {.rank = next, .lines = 1, .width = BYTES};
    char *host = malloc(BYTES);
    if (!CHECK(host && fabric->ops->segment_open(fabric, 1, &own, &from.segment) == SCT_OK))
        return;
    memory_put(device, own.base, memset(host, 1 + fabric->rank, BYTES), BYTES);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    for (int i = 0; i < ROUNDS; i++) {
        sct_ticket ticket;
        char *got = memory_new(device, BYTES, 0);
        CHECK(fabric->ops->get(fabric, &from, got, BYTES, &ticket) == SCT_OK);
        CHECK(fabric->ops->wait(fabric, ticket) == SCT_OK);
        memory_take(device, got, host, BYTES);
        CHECK(host[0] == 1 + next && memcmp(host, host + 1, BYTES - 1) == 0);
        memory_free(device, got);
    }
    fabric->ops->segment_close(from.segment);
    free(host);
}

void staged_fabric_rules(int ranks_per_node, uint64_t seed, device_opener *opener, void *context) {
    sct_world_options options = {.size = sizeof options, .ranks_per_node = ranks_per_node};
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .rank = ranks_rank(), .ranks = ranks_size(), .allgather = gather};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    if (!CHECK(sct_fabric_processes(&bootstrap, &options, &ranks) == SCT_OK) ||
        !CHECK(opener(context, ranks->rank, &device) == SCT_OK))
        return;
    if (CHECK(sct_fabric_staged(ranks, device, &fabric) == SCT_OK)) {
        CHECK(fabric->ranks_per_node == 1 && fabric->path == SCT_PATH_SOCKETS);
        CHECK(!fabric->needs_progress);
        fabric_rules(fabric, device, seed);
        get_to_device(fabric, device);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
}
