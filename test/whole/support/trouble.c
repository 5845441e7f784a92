/* trouble.c - compares what the ranks were told. */
#include "whole/support/trouble.h"

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

void check_verdict(sct_world *world, board *shared, const char *name, const culprit *who,
                   sct_status status, verdict must) {
    int rank = sct_world_rank(world);
    sct_status want = who->rank < 0 ? must.all : must.alone;
    const char *reason = status ? sct_last_reason() : "";
    shared->seen[rank].status = status;
    snprintf(shared->seen[rank].reason, TROUBLE_REASON, "%s", reason);
    CHECK_CASE(status == want, "%s, %s: rank %d: %s (%s), not %s", name, who->name, rank,
               sct_status_name(status), reason, sct_status_name(want));
    CHECK(sct_world_barrier(world) == SCT_OK);
    CHECK_CASE(shared->seen[0].status == status && strcmp(shared->seen[0].reason, reason) == 0,
               "%s, %s: \"%s\" on rank %d, \"%s\" on rank 0", name, who->name, reason, rank,
               shared->seen[0].reason);
    CHECK_CASE(!status || (must.word && strstr(reason, must.word)), "%s, %s: \"%s\" lacks \"%s\"",
               name, who->name, reason, must.word);
    CHECK_CASE(!strchr(reason, '\n'), "%s: more than one line", name);
    CHECK(sct_world_barrier(world) == SCT_OK);
    scrub_reason(rank);
}
