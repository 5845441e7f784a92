/* alike.c - replicas that differ are the user's error: a debug build finds it, any other goes on.
 */
#include "base/debug.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { RANKS = 4, SIZE = 10, MATRICES = 3 };

/* Multiplies with one element of one matrix changed in its second replica; -1: in none. */
static int multiply_with(sct_world *world, void *context) {
    const int *changed = context;
    sct_layout *layout[MATRICES];
    sct_matrix *matrix[MATRICES];
    double one = 1;
    for (int i = 0; i < MATRICES; i++) {
        layout[i] = layout_of(i == 1 ? "col*2" : "row*2/f", SIZE, SIZE, RANKS);
        CHECK(sct_matrix_create(world, SCT_F64, layout[i], &matrix[i]) == SCT_OK);
        matrix_fill(world, matrix[i], (source){(uint64_t)i, 4});
        if (i == *changed && sct_world_rank(world) == RANKS - 1)
            matrix_set(world, matrix[i], (element){9, 0});
    }
    bool finds = SCT_DEBUG && *changed >= 0;
    sct_status status = sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]),
                                     &one, sct_whole(matrix[2]), NULL);
    CHECK_CASE(status == (finds ? SCT_BAD_ARGUMENT : SCT_OK), "changed %d: %s, %s", *changed,
               sct_status_name(status), sct_last_reason());
    for (int i = 0; i < MATRICES; i++) {
        sct_matrix_destroy(matrix[i]);
        sct_layout_destroy(layout[i]);
    }
    return 0;
}

int main(void) {
    for (int changed = -1; changed < MATRICES; changed++)
        CHECK(sct_run(RANKS, NULL, multiply_with, &changed) == SCT_OK);
    return check_report("alike");
}
