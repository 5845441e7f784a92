/* progress_during_gemm.c - on a fabric that needs progress calls, a rank makes them between parts
 * of its products; on any other it makes none. */
#include "api/world.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { SIZE = 640, LEAST = 2 };

static int answered;

static void answer(sct_fabric *fabric) {
    (void)fabric;
    answered++;
}

/* One product, large enough to be split into several parts. */
static int multiply(sct_world *world, void *context) {
    const bool *needed = context;
    sct_fabric_ops ops = *world->fabric->ops;
    const sct_fabric_ops *own = world->fabric->ops;
    double one = 1, zero = 0;
    ops.progress = answer;
    world->fabric->ops = &ops;
    world->fabric->needs_progress = *needed;
    sct_matrix *a = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    sct_matrix *b = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    sct_matrix *c = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    matrix_set(world, a, (element){1, 0});
    matrix_set(world, b, (element){2, 0});
    CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL) ==
          SCT_OK);
    matrix_set(world, a, (element){2.0 * SIZE, 0});
    sct_block is, want;
    CHECK(sct_matrix_tile(a, (sct_tile){0, 0}, 0, &want) == SCT_OK);
    CHECK(sct_matrix_tile(c, (sct_tile){0, 0}, 0, &is) == SCT_OK);
    CHECK(elements_equal(SCT_F64, is.data, want.data, (int64_t)SIZE * SIZE));
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
    world->fabric->ops = own;
    return 0;
}

int main(void) {
    bool needed = false;
    CHECK(sct_run(1, NULL, multiply, &needed) == SCT_OK && answered == 0);
    needed = true;
    CHECK(sct_run(1, NULL, multiply, &needed) == SCT_OK && answered >= LEAST);
    return check_report("progress_during_gemm");
}
