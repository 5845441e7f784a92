/* topology.c - finding out which ranks share a host and a process; and when no devices are
 * opened: if the exchange fails, if there are too many ranks, if only some are threads of one
 * process.
 */
#include "api/topology.h"
#include "api/engine.h"
#include "device/group.h"
#include "support/check.h"

#include <string.h>

enum { RANKS = 4, TOO_MANY = 4097 };

/* The process of each rank, and its host; NULL: the gathering fails. */
typedef struct job {
    const int *process, *host;
} job;

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    const job *ranks = context;
    uint64_t seat[2];
    if (!ranks->process)
        return 1;
    for (size_t r = 0; r < RANKS; r++) {
        if (bytes != sizeof seat) { /* whether a rank has memory, which all have */
            memcpy((char *)all + r * bytes, mine, bytes);
            continue;
        }
        memcpy(seat, mine, sizeof seat);
        seat[0] += (uint64_t)ranks->host[r];
        seat[1] += (uint64_t)ranks->process[r];
        memcpy((char *)all + r * sizeof seat, seat, sizeof seat);
    }
    return 0;
}

static sct_bootstrap bootstrap_of(job *ranks, int rank) {
    return (sct_bootstrap){.size = sizeof(sct_bootstrap),
                           .rank = rank,
                           .ranks = RANKS,
                           .allgather = gather,
                           .context = ranks};
}

static void check_found(void) {
    static const int same[RANKS] = {0}, apart[RANKS] = {0, 1, 2, 3}, hosts[RANKS] = {0, 1, 0, 0};
    job threads = {same, same}, processes = {apart, hosts};
    sct_bootstrap bootstrap = bootstrap_of(&threads, 1);
    sct_topology here;
    CHECK(sct_topology_find(&bootstrap, &here) == SCT_OK);
    CHECK(!here.processes && here.place == 1 && here.on_host == RANKS);
    bootstrap = bootstrap_of(&processes, 2);
    CHECK(sct_topology_find(&bootstrap, &here) == SCT_OK);
    CHECK(here.processes && here.place == 1 && here.on_host == 3);
}

/* Neither devices of their own nor those of a group. */
static void refused(const sct_bootstrap *bootstrap, sct_status wanted, const char *reason) {
    const sct_world_options options = {.size = sizeof options};
    const sct_device_grouping grouping = {.create = NULL};
    sct_fabric *fabric = NULL;
    sct_device *device = NULL;
    CHECK(sct_engine_open_devices(bootstrap, &options, NULL, NULL, &fabric, &device) == wanted);
    CHECK_CASE(strstr(sct_last_reason(), reason), "%s", sct_last_reason());
    CHECK(sct_engine_open_group(bootstrap, &options, NULL, NULL, &grouping, NULL, &fabric,
                                &device) == wanted);
    CHECK_CASE(strstr(sct_last_reason(), reason), "%s", sct_last_reason());
    CHECK(!fabric && !device);
}

static void check_refused(void) {
    static const int some[RANKS] = {0, 1, 2, 1}, same[RANKS] = {0};
    job failing = {NULL, NULL}, mixed = {some, same};
    sct_bootstrap bootstrap = bootstrap_of(&failing, 0);
    refused(&bootstrap, SCT_FAILED, "");
    bootstrap.ranks = TOO_MANY;
    refused(&bootstrap, SCT_BAD_ARGUMENT, "4097 ranks are too many for devices; at most 4096");
    bootstrap = bootstrap_of(&mixed, 0);
    refused(&bootstrap, SCT_NO_ENGINE, "ranks 1 and 3 are of one process, but not all are");
}

/* ---- Memory that is lacking ---- */

static int callocs_left = -1; /* before one fails; negative: none does */
static bool left_group;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes) {
    return callocs_left >= 0 && callocs_left-- == 0 ? NULL : __real_calloc(count, bytes);
}

static void leave_group(sct_device_group *group) {
    (void)group;
    left_group = true;
}

static sct_status create_group(const char *list, int users, sct_device_group **group) {
    static sct_device_group made = {.lock = PTHREAD_MUTEX_INITIALIZER};
    (void)list;
    made.count = 1;
    made.destroy = leave_group;
    made.users = users;
    *group = &made;
    return SCT_OK;
}

static sct_status open_nothing(sct_device_group *group, int index, const sct_world_options *options,
                               sct_device **device) {
    (void)options;
    (void)device;
    CHECK(index == 0);
    sct_device_group_leave(group, 1);
    return sct_fail(SCT_NO_ENGINE, "no device");
}

static int gather_one(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    memcpy(all, mine, bytes);
    return 0;
}

/* A group of devices is left where anything is lacking after it has been made. */
static void check_memory(void) {
    const sct_world_options options = {.size = sizeof options};
    const sct_device_grouping grouping = {create_group, open_nothing};
    const sct_bootstrap alone = {.size = sizeof alone, .ranks = 1, .allgather = gather_one};
    sct_status status = SCT_NO_MEMORY;
    bool shared = false;
    for (int n = 0; status == SCT_NO_MEMORY; n++) {
        sct_fabric *fabric;
        sct_device *device;
        left_group = false;
        callocs_left = n;
        status =
            sct_engine_open_group(&alone, &options, NULL, NULL, &grouping, NULL, &fabric, &device);
        callocs_left = -1;
        bool here = strstr(sct_last_reason(), "what devices share");
        CHECK(!here || left_group);
        shared |= here;
    }
    CHECK_CASE(shared && status == SCT_NO_ENGINE && left_group, "%s", sct_last_reason());
}

int main(void) {
    check_found();
    check_refused();
    check_memory();
    CHECK(sct_bootstrap_launched(NULL) == SCT_BAD_ARGUMENT);
    return check_report("topology");
}
