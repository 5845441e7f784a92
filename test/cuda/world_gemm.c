/* world_gemm.c - sct_world_gemm multiplies f16 and bf16 as they are, by one call of cuBLAS. */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { SIZE = 6 };

static sct_block open_block(sct_world *world, sct_type type, element value, sct_matrix **matrix) {
    sct_block block = {.data = NULL};
    int count;
    *matrix = matrix_new(world, type, "row", SIZE, SIZE);
    matrix_set(world, *matrix, value);
    CHECK(sct_matrix_blocks(*matrix, 1, &block, &count) == SCT_OK && count == 1);
    return block;
}

static int multiply(sct_world *world, void *arg) {
    const float one = 1, half = 0.5F;
    sct_type type = *(const sct_type *)arg;
    sct_matrix *matrix[3];
    sct_block a = open_block(world, type, (element){2, 0}, &matrix[0]),
              b = open_block(world, type, (element){3, 0}, &matrix[1]),
              c = open_block(world, SCT_F32, (element){1, 0}, &matrix[2]);
    int64_t calls = stand_in_count(CALL_GEMM);
    CHECK(sct_world_multiplies(world, type));
    CHECK_CASE(sct_world_gemm(world, type, SCT_N, SCT_T, &one, &a, &b, &half, &c) == SCT_OK, "%s",
               sct_last_reason());
    CHECK(stand_in_count(CALL_GEMM) == calls + 1);
    int64_t wrong = matrix_count_other(world, matrix[2], (element){2 * 3 * SIZE + 0.5, 0});
    CHECK_CASE(wrong == 0, "%lld elements are wrong", (long long)wrong);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    return 0;
}

int main(void) {
    const sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    sct_type types[] = {SCT_F16, SCT_BF16};
    for (int i = 0; i < 2; i++) {
        stand_in_start((stand_in_machine){.devices = 1});
        CHECK_CASE(sct_run(1, &world, multiply, &types[i]) == SCT_OK, "%s", sct_last_reason());
        stand_in_end();
    }
    return check_report("world_gemm");
}
