/* replicas_differ.c - replicas with different contents are the caller's error: a debug build
 * reports it, any other multiplies. */
#include "api/world.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { RANKS = 4, SIZE = 10, MATRICES = 3 };

/* Multiplies after changing one matrix on the last rank, in its second replica; -1: none. */
static int multiply_with(sct_world *world, void *context) {
    const int *changed = context;
    sct_matrix *matrix[MATRICES];
    double one = 1;
    for (int i = 0; i < MATRICES; i++) {
        matrix[i] = matrix_new(world, SCT_F64, i == 1 ? "col*2" : "row*2/f", SIZE, SIZE);
        matrix_fill(world, matrix[i], (source){(uint64_t)i, 4});
        if (i == *changed && sct_world_rank(world) == RANKS - 1)
            matrix_set(world, matrix[i], (element){9, 0});
    }
    bool finds = SCT_DEBUG && *changed >= 0;
    sct_status status = sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]),
                                     &one, sct_whole(matrix[2]), NULL);
    CHECK_CASE(status == (finds ? SCT_BAD_ARGUMENT : SCT_OK), "changed %d: %s, %s", *changed,
               sct_status_name(status), sct_last_reason());
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return 0;
}

int main(void) {
    for (int changed = -1; changed < MATRICES; changed++)
        CHECK(sct_run(RANKS, NULL, multiply_with, &changed) == SCT_OK);
    return check_report("replicas_differ");
}
