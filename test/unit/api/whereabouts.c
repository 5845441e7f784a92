/* whereabouts.c - which ranks share a host and a process, and what opens no devices: a gathering
 * that fails, more ranks than can meet, ranks of which only some are threads of one process. */
#include "api/whereabouts.h"
#include "api/engine.h"
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
    CHECK(bytes == sizeof seat);
    for (size_t r = 0; r < RANKS; r++) {
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
    sct_whereabouts here;
    CHECK(sct_find_whereabouts(&bootstrap, &here) == SCT_OK);
    CHECK(!here.processes && here.place == 1 && here.on_host == RANKS);
    bootstrap = bootstrap_of(&processes, 2);
    CHECK(sct_find_whereabouts(&bootstrap, &here) == SCT_OK);
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
    CHECK(sct_engine_open_group(bootstrap, &options, NULL, &grouping, NULL, &fabric, &device) ==
          wanted);
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

int main(void) {
    check_found();
    check_refused();
    CHECK(sct_bootstrap_launched(NULL) == SCT_BAD_ARGUMENT);
    return check_report("whereabouts");
}
