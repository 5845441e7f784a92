/* devices_fabric.c - ranks that are threads, each with a device. */
#include "rules/devices_fabric.h"

#include "fabric/devices/devices.h"
#include "fabric/threads/threads.h"
#include "rules/fabric_rules.h"
#include "support/check.h"
#include "support/rank_threads.h"

typedef struct member {
    rank_thread thread;
    sct_threads_options own;
    device_opener *opener;
    void *context;
    uint64_t seed;
} member;

static void submit_move(sct_device *device, sct_stream *stream, int32_t *from, int32_t *to) {
    CHECK(sct_device_move(device, stream, 1, sizeof *to, from, sizeof *to, to, sizeof *to) ==
          SCT_OK);
}

/* Each rank writes by one stream what another reads by a second one, and the host waits only when
 * all is submitted. */
static void rule_order(sct_fabric *fabric, sct_device *device) {
    enum { ROUNDS = 30 };
    const sct_device_ops *ops = device->ops;
    int next = (fabric->rank + 1) % fabric->size;
    int32_t written[ROUNDS], read[ROUNDS], *place = ops->alloc(device, sizeof *place);
    sct_memory own = {.lines = 1, .width = sizeof *written};
    sct_segment *segment;
    sct_stream *writes, *reads;
    sct_event reached;
    CHECK(fabric->ops->segment_open(fabric, 1, &own, &segment) == SCT_OK);
    CHECK(ops->stream_open(device, &writes) == SCT_OK &&
          ops->stream_open(device, &reads) == SCT_OK);
    for (int i = 0; i < ROUNDS; i++) {
        const sct_target from = {segment, next, 0, {0, 0, 1, sizeof *written}};
        written[i] = fabric->rank * ROUNDS + i;
        submit_move(device, writes, &written[i], (int32_t *)own.base);
        CHECK(fabric->ops->order(fabric, SCT_OK, writes) == SCT_OK);
        CHECK(sct_fabric_get(fabric, reads, &from, place, sizeof *place, &reached) == SCT_OK);
        CHECK(!reached.ops);
        submit_move(device, reads, place, &read[i]);
        CHECK(fabric->ops->order(fabric, SCT_OK, reads) == SCT_OK);
    }
    CHECK(sct_device_drain(device, reads) == SCT_OK);
    for (int i = 0; i < ROUNDS; i++)
        CHECK_CASE(read[i] == next * ROUNDS + i, "round %d: %d", i, read[i]);
    ops->stream_close(writes);
    ops->stream_close(reads);
    fabric->ops->segment_close(segment);
    ops->release(device, place);
}

static void *run_rank(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_fabric *ranks, *fabric;
    sct_device *device = NULL;
    bool opened = CHECK(self->opener(self->context, bootstrap.rank, &device) == SCT_OK);
    if (!opened || !CHECK(sct_fabric_threads(&bootstrap, NULL, &ranks) == SCT_OK))
        return NULL;
    const sct_world_options options = {.size = sizeof options, .engine_options = &self->own};
    if (CHECK(sct_fabric_devices(ranks, device, &options, &fabric) == SCT_OK)) {
        CHECK(fabric->ranks_per_node == self->own.ranks_per_node);
        fabric_rules(fabric, device->space == SCT_SPACE_DEVICE ? device : NULL, self->seed);
        rule_order(fabric, device);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
    return NULL;
}

void devices_fabric_rules(int ranks, int ranks_per_node, uint64_t seed, device_opener *opener,
                          void *context) {
    member members[RANK_THREADS_MOST];
    for (int r = 0; r < ranks; r++)
        members[r] =
            (member){.own = {.size = sizeof members[r].own, .ranks_per_node = ranks_per_node},
                     .opener = opener,
                     .context = context,
                     .seed = seed};
    rank_threads_run(ranks, run_rank, members, sizeof *members);
}
