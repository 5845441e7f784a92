/* progress_during_gemm.c - on a fabric that needs progress calls, a rank makes them between parts
 * of its products, or one for each if its device computes by itself; on any other it makes none. */
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
    int64_t wrong = matrix_count_other(world, c, (element){2.0 * SIZE, 0});
    CHECK_CASE(wrong == 0, "%lld elements are wrong", (long long)wrong);
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
    answered = 0;
    sct_world_options devices = {.size = sizeof devices, .engine = "emulated"};
    CHECK(sct_run(1, &devices, multiply, &needed) == SCT_OK && answered == 1);
    return check_report("progress_during_gemm");
}
