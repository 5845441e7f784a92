/* claims.h - what the paper says of its figures, as questions with yes or no. */
#ifndef PAPER_CLAIMS_H
#define PAPER_CLAIMS_H

#include "stand.h"

/* Whether it is so at one batch; writes the numbers behind it, one line without its end. */
typedef bool judge(const struct stand *stand, int batch, FILE *figures);

struct claim {
    const char *name;
    const char *text; /* what is asked, precisely; it holds if it is so at all its batches */
    bool uses[MACHINES];
    judge *holds;
    int batches;   /* it is about so many of the smallest; 0: all */
    bool searches; /* orders: not for plans of many steps */
};

enum { CLAIMS = 24 };
extern const struct claim claims[CLAIMS];

/* pvc.c */
judge columns_first, columns_first_of_all, only_a_moves, blocks_grow, blocks_held_back,
    replicas_help_who_move_b, outer_and_blocks_first, outer_and_blocks_first_of_all,
    b_does_not_move, replicas_help, factors_differ, factors_between, aligned_no_faster_1,
    aligned_no_faster_2;
/* h100.c */
judge half_the_spread_1, smaller_spread_2, columns_first_on_h100, outer_prefers_c, c_wins,
    b_wins_undisturbed;
/* orders.c */
judge direct_is_enough, sync_is_behind, offset_helps_pvc, offset_helps_h100;

#endif
