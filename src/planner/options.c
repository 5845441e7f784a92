/* options.c - the options of a plan: the names of their values, what is refused, and whether two
 * are equal. Their defaults are in planner.c and cut.c. */
#include "planner/options.h"

#include "base/status.h"
#include "plan/plan.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { MOST_IN_FLIGHT = 1024 };

static const char *const stays[] = {"auto", "a", "b", "c"};
static const char *const slicings[] = {"class", "tile"};
static const char *const fetches[] = {"slice", "tile"};
static const char *const schedules[] = {"direct", "greedy", "cost", "exhaustive"};
static const char *const starts[] = {"shifted", "alike"};
static const char *const results[] = {"all", "origin", "partial"};
static const char *const efforts[] = {"estimate", "measure"};

const sct_option sct_option_list[] = {
    {"stay", offsetof(sct_options, stay), 0, SCT_STAY_C, stays, true},
    {"slicing", offsetof(sct_options, slicing), 0, SCT_SLICE_TILE, slicings, true},
    {"fetch", offsetof(sct_options, fetch), 0, SCT_FETCH_TILE, fetches, true},
    {"schedule", offsetof(sct_options, schedule), 0, SCT_EXHAUSTIVE, schedules, true},
    {"start", offsetof(sct_options, start), 0, SCT_START_ALIKE, starts, true},
    {"result", offsetof(sct_options, result), 0, SCT_RESULT_PARTIAL, results, true},
    {"effort", offsetof(sct_options, effort), 0, SCT_MEASURE, efforts, true},
    {"sync", offsetof(sct_options, sync), INT_MIN, INT_MAX, NULL, true},
    {"ordered", offsetof(sct_options, ordered), INT_MIN, INT_MAX, NULL, true},
    {"prefetch", offsetof(sct_options, prefetch), INT_MIN, MOST_IN_FLIGHT, NULL, false},
    {"products in flight", offsetof(sct_options, products_in_flight), 0, MOST_IN_FLIGHT, NULL,
     false},
    {"accumulates in flight", offsetof(sct_options, accumulates_in_flight), 0, MOST_IN_FLIGHT, NULL,
     false},
    {"transfers in a group", offsetof(sct_options, transfers_in_group), 0, MOST_IN_FLIGHT, NULL,
     false},
    {.name = NULL},
};

_Static_assert(sizeof(sct_stay) == sizeof(int), "enums are read as int");

int sct_option_value(const sct_option *option, const sct_options *options) {
    int value;
    memcpy(&value, (const char *)options + option->place, sizeof value);
    return value;
}

bool sct_options_equal(const sct_options *x, const sct_options *y) {
    bool equal = x->size == y->size && x->work == y->work && x->workspace == y->workspace &&
                 x->decisions == y->decisions && x->machine == y->machine;
    for (const sct_option *option = sct_option_list; option->name && equal; option++)
        equal = sct_option_value(option, x) == sct_option_value(option, y);
    return equal;
}

/* ---- Names ---- */

static const char *name_of(const char *const names[], int count, int value) {
    return value >= 0 && value < count ? names[value] : "unknown";
}

const char *sct_stay_name(sct_stay stay) {
    return name_of(stays, SCT_STAY_C + 1, (int)stay);
}

const char *sct_slicing_name(sct_slicing slicing) {
    return name_of(slicings, SCT_SLICE_TILE + 1, (int)slicing);
}

const char *sct_fetch_name(sct_fetch fetch) {
    return name_of(fetches, SCT_FETCH_TILE + 1, (int)fetch);
}

const char *sct_result_name(sct_result result) {
    return name_of(results, SCT_RESULT_PARTIAL + 1, (int)result);
}

const char *sct_schedule_name(sct_schedule schedule) {
    return name_of(schedules, SCT_EXHAUSTIVE + 1, (int)schedule);
}

const char *sct_start_name(sct_start start) {
    return name_of(starts, SCT_START_ALIKE + 1, (int)start);
}

const char *sct_effort_name(sct_effort effort) {
    return name_of(efforts, SCT_MEASURE + 1, (int)effort);
}

/* ---- Checks ---- */

static sct_status check_ranges(const sct_options *options) {
    for (const sct_option *option = sct_option_list; option->name; option++) {
        int value = sct_option_value(option, options);
        if (value < option->least || value > option->most)
            return sct_fail(SCT_BAD_ARGUMENT, "%s: %d is not between %d and %d", option->name,
                            value, option->least, option->most);
    }
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
    resolved->sync = resolved->sync != 0;
    resolved->ordered = resolved->ordered != 0;
    return status;
}
