/* collective_errors.c - compares what the ranks were told. */
#include "whole/support/collective_errors.h"
#include "engine/emulated.h"

#include "api/world.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

const culprit culprits[CULPRITS] = {{"all ranks", -1}, {"rank 0 alone", 0}, {"rank 2 alone", 2}};

bool is_culprit(const sct_world *world, const culprit *who) {
    return who->rank < 0 || who->rank == sct_world_rank(world);
}

void run_error_ranks(int most, sct_main *fn) {
    for (int ranks_per_node = 0; ranks_per_node <= most; ranks_per_node++) {
        emulated_options emulated = {.host = 1, .ranks_per_node = ranks_per_node, .delay_us = 20};
        const sct_world_options options = emulated_world(&emulated);
        CHECK(sct_run(ERROR_RANKS, &options, fn, &ranks_per_node) == SCT_OK);
    }
}

void check_status(sct_status status, sct_status want, const char *word) {
    CHECK_CASE(status == want && (!status || strstr(sct_last_reason(), word)), "%s: %s (%s)", word,
               sct_status_name(status), sct_last_reason());
}

void check_refused(sct_status status, const char *word) {
    check_status(status, SCT_BAD_ARGUMENT, word);
}

/* Leaves a different reason on each rank, so that a stale one is never right by chance. */
static void scrub_reason(int rank) {
    sct_layout *none = NULL;
    CHECK(sct_layout_create_row(-1 - rank, 1, 1, &none) == SCT_BAD_ARGUMENT && !none);
}

/* The status and reason that a rank got. */
typedef struct told {
    sct_status status;
    char reason[SCT_REASON_BYTES];
} told;

void check_outcome(sct_world *world, const char *name, const culprit *who, sct_status status,
                   outcome expected) {
    int rank = sct_world_rank(world);
    sct_status want = who->rank < 0 ? expected.all : expected.alone;
    told mine = {.status = status}, all[ERROR_RANKS];
    const char *reason = mine.reason;
    snprintf(mine.reason, sizeof mine.reason, "%s", status ? sct_last_reason() : "");
    CHECK_CASE(status == want, "%s, %s: rank %d: %s (%s), not %s", name, who->name, rank,
               sct_status_name(status), reason, sct_status_name(want));
    if (!CHECK(world->fabric->ops->exchange(world->fabric, &mine, sizeof mine, all) == SCT_OK))
        return;
    CHECK_CASE(all[0].status == status && strcmp(all[0].reason, reason) == 0,
               "%s, %s: \"%s\" on rank %d, \"%s\" on rank 0", name, who->name, reason, rank,
               all[0].reason);
    CHECK_CASE(!status || (expected.word && strstr(reason, expected.word)),
               "%s, %s: \"%s\" lacks \"%s\"", name, who->name, reason, expected.word);
    CHECK_CASE(!strchr(reason, '\n'), "%s: more than one line", name);
    scrub_reason(rank);
}
