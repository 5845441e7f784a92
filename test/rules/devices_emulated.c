/* devices_emulated.c - the fabric for devices keeps the contract of fabrics, on devices that are
 * the host: deferred, and with memory apart. */
#include "engine/devices.h"
#include "fabric/devices/devices.h"
#include "fabric/threads/threads.h"
#include "rules/devices_fabric.h"
#include "support/check.h"

#include <string.h>

typedef struct emulated {
    uint64_t seed;
    int delay_us, per_node;
    bool apart;
} emulated;

static sct_status open_emulated(void *context, int rank, sct_device **device) {
    const emulated *p = context;
    uint64_t seed = p->seed + (uint64_t)rank;
    return p->apart ? device_emulated(seed, p->delay_us, rank / p->per_node, device)
                    : device_deferred(seed, p->delay_us, device);
}

/* ---- A rank alone ---- */

static int gather_own(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    memcpy(all, mine, bytes);
    return 0;
}

static void *alloc_nothing(sct_device *device, size_t bytes) {
    (void)device;
    (void)bytes;
    return NULL;
}

/* What the host adds goes by way of buffers on the device, for which there may be no memory. To add
 * nothing, nothing is read. */
static void check_additions(sct_fabric *fabric, sct_device *device) {
    sct_device_ops full = *device->ops;
    const sct_device_ops *usual = device->ops;
    sct_memory block = {.lines = 1, .width = sizeof(double)};
    sct_target to = {.part = {0, 0, 1, sizeof(double)}}, none = {.part = {.lines = 0}};
    sct_stream *stream;
    sct_event event;
    double one = 1;
    full.alloc = alloc_nothing;
    CHECK(usual->stream_open(device, &stream) == SCT_OK);
    if (CHECK(fabric->ops->segment_open(fabric, 1, &block, &to.segment) == SCT_OK)) {
        device->ops = &full;
        CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, &one, sizeof one, &to, &event) ==
              SCT_NO_MEMORY);
        CHECK_CASE(strstr(sct_last_reason(), "a buffer on the device"), "%s", sct_last_reason());
        device->ops = usual;
        CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, &one, sizeof one, &to, &event) ==
              SCT_OK);
        CHECK(sct_event_wait(event) == SCT_OK);
        none.segment = to.segment;
        CHECK(sct_fabric_accumulate(fabric, stream, SCT_F64, NULL, 0, &none, &event) == SCT_OK);
        fabric->ops->segment_close(to.segment);
    }
    usual->stream_close(stream);
}

static void test_additions(void) {
    const sct_bootstrap alone = {.size = sizeof alone, .ranks = 1, .allgather = gather_own};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    if (!CHECK(device_emulated(1, 0, 0, &device) == SCT_OK) ||
        !CHECK(sct_fabric_threads(&alone, NULL, &ranks) == SCT_OK) ||
        !CHECK(sct_fabric_devices(ranks, device, NULL, &fabric) == SCT_OK))
        return;
    check_additions(fabric, device);
    fabric->ops->close(fabric);
    device->ops->close(device);
}

int main(void) {
    const int ranks[] = {1, 2, 3, 4, 7};
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 5; i++)
        for (int apart = 0; apart < 2; apart++) {
            /* nodes of one rank, of some of the ranks, and of all */
            for (int per_node = 1; per_node <= ranks[i]; per_node += 3) {
                emulated p = {seed, 20 * (i % 2), per_node, apart};
                devices_fabric_rules(ranks[i], per_node, seed++, open_emulated, &p);
            }
        }
    test_additions();
    return check_report("devices_emulated");
}
