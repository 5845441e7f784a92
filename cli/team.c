/* team.c - work of all ranks, of which the first to fail says why. */
#include "team.h"

#include <stdio.h>
#include <stdlib.h>

struct failure {
    sct_status status;
    char reason[400];
};

struct team {
    team_member *member;
    void *context;
    struct failure *failures; /* of each rank */
};

static int enter(sct_world *world, void *context) {
    struct team *team = context;
    struct failure *failure = &team->failures[sct_world_rank(world)];
    failure->status = team->member(world, team->context);
    if (failure->status != SCT_OK)
        snprintf(failure->reason, sizeof failure->reason, "%s", sct_last_reason());
    return failure->status != SCT_OK;
}

static enum code report(const struct args *args, sct_status status,
                        const struct failure *failures) {
    for (int64_t rank = 0; rank < args->ranks; rank++) {
        if (failures[rank].status == SCT_OK)
            continue;
        report_error("%s: %s", sct_status_name(failures[rank].status), failures[rank].reason);
        return report_code(failures[rank].status);
    }
    if (status != SCT_OK)
        report_error("%s: %s", sct_status_name(status), sct_last_reason());
    return report_code(status);
}

enum code team_run(const struct args *args, team_member *member, void *context) {
    sct_world_options options = {.size = sizeof options,
                                 .ranks_per_node = (int)args->nodes,
                                 .seed = (uint64_t)args->seed,
                                 .delay_us = (int)args->delay,
                                 .deferred = args->deferred};
    struct team team = {member, context, NULL};
    team.failures = calloc((size_t)args->ranks, sizeof *team.failures);
    if (!team.failures) {
        report_error("no memory for %d ranks", (int)args->ranks);
        return CODE_FAILED;
    }
    sct_status status = sct_run((int)args->ranks, &options, enter, &team);
    enum code code = report(args, status, team.failures);
    free(team.failures);
    return code;
}
