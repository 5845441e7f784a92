/* trouble.c - compares what the ranks were told. */
#include "whole/support/trouble.h"

#include "api/world.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

const culprit culprits[CULPRITS] = {{"all ranks", -1}, {"rank 0 alone", 0}, {"rank 2 alone", 2}};

bool is_culprit(const sct_world *world, const culprit *who) {
    return who->rank < 0 || who->rank == sct_world_rank(world);
}

/* Leaves a reason of its own on each rank, so that no later one is right by chance. */
static void scrub_reason(int rank) {
    sct_layout *none = NULL;
    CHECK(sct_layout_create_row(-1 - rank, 1, 1, &none) == SCT_BAD_ARGUMENT && !none);
}

/* What a rank was told. */
typedef struct told {
    sct_status status;
    char reason[SCT_REASON_BYTES];
} told;

void check_verdict(sct_world *world, const char *name, const culprit *who, sct_status status,
                   verdict must) {
    int rank = sct_world_rank(world);
    sct_status want = who->rank < 0 ? must.all : must.alone;
    told mine = {.status = status}, all[TROUBLE_RANKS];
    const char *reason = mine.reason;
    snprintf(mine.reason, sizeof mine.reason, "%s", status ? sct_last_reason() : "");
    CHECK_CASE(status == want, "%s, %s: rank %d: %s (%s), not %s", name, who->name, rank,
               sct_status_name(status), reason, sct_status_name(want));
    if (!CHECK(world->fabric->ops->exchange(world->fabric, &mine, sizeof mine, all) == SCT_OK))
        return;
    CHECK_CASE(all[0].status == status && strcmp(all[0].reason, reason) == 0,
               "%s, %s: \"%s\" on rank %d, \"%s\" on rank 0", name, who->name, reason, rank,
               all[0].reason);
    CHECK_CASE(!status || (must.word && strstr(reason, must.word)), "%s, %s: \"%s\" lacks \"%s\"",
               name, who->name, reason, must.word);
    CHECK_CASE(!strchr(reason, '\n'), "%s: more than one line", name);
    scrub_reason(rank);
}
