/* devices_fabric.c - ranks that are threads, each with a device. */
#include "rules/devices_fabric.h"

#include "fabric/devices/devices.h"
#include "fabric/threads/threads.h"
#include "rules/fabric_rules.h"
#include "support/check.h"
#include "support/rank_threads.h"

typedef struct member {
    rank_thread thread;
    sct_world_options options;
    device_opener *opener;
    void *context;
    uint64_t seed;
} member;

static void *run_rank(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_fabric *ranks, *fabric;
    sct_device *device = NULL;
    bool opened = CHECK(self->opener(self->context, bootstrap.rank, &device) == SCT_OK);
    if (!opened || !CHECK(sct_fabric_threads(&bootstrap, NULL, &ranks) == SCT_OK))
        return NULL;
    if (CHECK(sct_fabric_devices(ranks, device, &self->options, &fabric) == SCT_OK)) {
        CHECK(fabric->ranks_per_node == self->options.ranks_per_node);
        fabric_rules(fabric, device->space == SCT_SPACE_DEVICE ? device : NULL, self->seed);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
    return NULL;
}

void devices_fabric_rules(int ranks, int ranks_per_node, uint64_t seed, device_opener *opener,
                          void *context) {
    member members[RANK_THREADS_MOST];
    for (int r = 0; r < ranks; r++)
        members[r] = (member){
            .options = {.size = sizeof members[r].options, .ranks_per_node = ranks_per_node},
            .opener = opener,
            .context = context,
            .seed = seed};
    rank_threads_run(ranks, run_rank, members, sizeof *members);
}
