/* accumulate_contention.c - all ranks accumulate into the same elements of C at once, with little
 * other work, so that a lost update shows. */
#include "whole/support/trial.h"

#include "support/check.h"

enum { RANKS = 4, ROUNDS = 12 };

/* k is distributed over the ranks, and every rank contributes to all of C. */
static trial contended(uint64_t seed, sct_stay stay, int ranks_per_node, int deferred) {
    return (trial){
        .ranks = RANKS,
        .m = 160,
        .n = 160,
        .k = RANKS,
        .type = SCT_F64,
        .layout = {"col", "row", "2d"},
        .alpha = {1, 0},
        .beta = {2, 0},
        .options = {.size = sizeof(sct_options), .stay = stay},
        .emulated = {.ranks_per_node = ranks_per_node, .seed = seed, .deferred = deferred},
        .seed = seed};
}

int main(void) {
    uint64_t seed = check_seed(1);
    for (int round = 0; round < ROUNDS; round++) {
        int ranks_per_node = round % 3 == 2 ? 2 : 0;
        trial t = contended(seed + (uint64_t)round, round % 2 ? SCT_STAY_A : SCT_STAY_B,
                            ranks_per_node, round / 2 % 2);
        trial_run(&t);
    }
    return check_report("accumulate_contention");
}
