/* options.c - checks the options of a plan, and refuses those that have no effect. Their defaults
 * are in planner.c and cut.c. */
#include "planner/planner.h"

#include "base/status.h"

#include <limits.h>
#include <string.h>

enum { MOST_IN_FLIGHT = 1024 };

static sct_status check_ranges(const sct_options *options) {
    const struct {
        const char *name;
        int value, least, most;
    } checks[] = {
        {"stay", (int)options->stay, 0, SCT_STAY_C},
        {"slicing", (int)options->slicing, 0, SCT_SLICE_TILE},
        {"fetch", (int)options->fetch, 0, SCT_FETCH_TILE},
        {"schedule", (int)options->schedule, 0, SCT_EXHAUSTIVE},
        {"start", (int)options->start, 0, SCT_START_ALIKE},
        {"result", (int)options->result, 0, SCT_RESULT_PARTIAL},
        {"prefetch", options->prefetch, INT_MIN, MOST_IN_FLIGHT},
        {"products in flight", options->products_in_flight, 0, MOST_IN_FLIGHT},
        {"accumulates in flight", options->accumulates_in_flight, 0, MOST_IN_FLIGHT},
        {"transfers in a group", options->transfers_in_group, 0, MOST_IN_FLIGHT},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].value < checks[i].least || checks[i].value > checks[i].most)
            return sct_fail(SCT_BAD_ARGUMENT, "%s: %d is not between %d and %d", checks[i].name,
                            checks[i].value, checks[i].least, checks[i].most);
    return SCT_OK;
}

/* Refuses options that have no effect in the chosen order. */
static sct_status check_order(const sct_options *options) {
    bool direct = options->schedule == SCT_DIRECT;
    if (direct && options->transfers_in_group != 0)
        return sct_fail(
            SCT_BAD_ARGUMENT,
            "transfers in a group: %d is given, but direct order has no groups of transfers",
            options->transfers_in_group);
    if (!direct && options->prefetch != 0)
        return sct_fail(SCT_BAD_ARGUMENT, "prefetch: %d is given, but only direct order uses it",
                        options->prefetch);
    return SCT_OK;
}

/* Refuses options that say what the decisions say, and decisions that have no effect. */
static sct_status check_decisions(const sct_options *options) {
    const sct_decisions *decisions = options->decisions;
    sct_status status = sct_decisions_check(decisions);
    if (status)
        return status;
    if (options->start == SCT_START_ALIKE)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "start: alike is given, but decisions say where loops begin");
    if (decisions->ahead > 0 && options->schedule != SCT_DIRECT)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "decisions: ahead: %d is given, but only direct order uses it",
                        decisions->ahead);
    if (decisions->ahead > 0 && options->prefetch != 0)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "prefetch: %d is given, but decisions say to fetch %d steps ahead",
                        options->prefetch, decisions->ahead);
    return SCT_OK;
}

sct_status sct_options_resolve(const sct_options *options, sct_options *resolved) {
    *resolved = (sct_options){.size = sizeof *resolved};
    sct_status status = SCT_OK;
    if (options)
        status = sct_check_size("options", options->size, sizeof *resolved, sizeof *resolved);
    if (status)
        return status;
    if (options)
        memcpy(resolved, options, options->size);
    status = check_ranges(resolved);
    if (!status)
        status = check_order(resolved);
    if (!status && resolved->decisions)
        status = check_decisions(resolved);
    if (resolved->fetch == SCT_FETCH_TILE)
        resolved->slicing = SCT_SLICE_TILE;
    return status;
}
