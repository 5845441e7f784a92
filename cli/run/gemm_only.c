/* gemm_only.c - the GEMMs of a plan alone, without communication, on operands of the same shapes.
 */
#include "run/gemm_only.h"

#include "ranks/rank_group.h"
#include "run/planned_product.h"
#include "values/element.h"

#include <stdlib.h>
#include <string.h>

/* FAR_APART: bytes that no cache holds, for all ranks of a process together. */
enum { FAR_APART = 64 << 20, ALIGNMENT = 64 };

/* Where an operand of a step begins in its matrix as stored, and the length of that matrix's lines,
 * or less if they would take too much memory. */
struct spot {
    int64_t line, at, stride;
};

static struct spot find_spot(const struct gemm_only *alone, int matrix, const struct place *from,
                             const sct_block *block) {
    const sct_layout *layout = alone->problem->layout[matrix];
    struct place stored = problem_place(alone->problem, matrix, from->row, from->col);
    size_t element = sct_type_bytes(alone->problem->value.type);
    bool by_rows = block->order == SCT_ROW_MAJOR;
    int64_t whole = by_rows ? sct_layout_cols(layout) : sct_layout_rows(layout);
    int64_t lines = by_rows ? block->rows : block->cols;
    int64_t most = (int64_t)(alone->far / element) / (lines > 0 ? lines : 1);
    whole = whole < most ? whole : most;
    return (struct spot){by_rows ? stored.row : stored.col, by_rows ? stored.col : stored.row,
                         whole > block->ld ? whole : block->ld};
}

/* Lays out the operands of a step as the product has them, so that caches behave alike. An operand
 * in workspace is dense and always in the same memory, as a copy that was just made is in a cache.
 * An operand in place has memory and a line length like those in its matrix, as far as `far`
 * allows. */
static void lay_blocks(const struct gemm_only *alone, const sct_step *step,
                       sct_block block[MATRICES], size_t at[MATRICES]) {
    const sct_indices *rows[] = {&step->m, &step->k, &step->m};
    const sct_indices *cols[] = {&step->k, &step->n, &step->n};
    const sct_reach reach[] = {step->a, step->b, step->c};
    for (int i = 0; i < MATRICES; i++) {
        bool turned = args_turned(alone->problem->args, i);
        int64_t height = turned ? cols[i]->count : rows[i]->count;
        int64_t width = turned ? rows[i]->count : cols[i]->count;
        sct_order order = sct_layout_order(alone->problem->layout[i]);
        block[i] = (sct_block){.rows = height,
                               .cols = width,
                               .ld = order == SCT_ROW_MAJOR ? width : height,
                               .order = order};
        at[i] = 0;
        if (reach[i] != SCT_IN_PLACE)
            continue;
        struct place from = {rows[i]->first.lo, cols[i]->first.lo};
        struct spot spot = find_spot(alone, i, &from, &block[i]);
        block[i].ld = spot.stride;
        at[i] = ((size_t)spot.line * (size_t)spot.stride + (size_t)spot.at) *
                sct_type_bytes(alone->problem->value.type) % alone->far / ALIGNMENT * ALIGNMENT;
    }
}

static int64_t count_steps(const sct_plan *plan) {
    sct_cost cost;
    return sct_plan_cost(plan, &cost) == SCT_OK ? cost.steps : 0;
}

/* Makes the memory large enough for the operands of the step. */
static void make_room(const sct_step *step, struct gemm_only *alone) {
    size_t element = sct_type_bytes(alone->problem->value.type);
    sct_block block[MATRICES];
    size_t at[MATRICES];
    lay_blocks(alone, step, block, at);
    for (int i = 0; i < MATRICES; i++) {
        bool by_rows = block[i].order == SCT_ROW_MAJOR;
        int64_t lines = by_rows ? block[i].rows : block[i].cols;
        size_t end = at[i] + (size_t)lines * (size_t)block[i].ld * element;
        alone->bytes[i] = end > alone->bytes[i] ? end : alone->bytes[i];
    }
}

bool gemm_only_create(const struct problem *problem, const sct_plan *plan,
                      struct gemm_only *alone) {
    int64_t steps = count_steps(plan);
    sct_status status = SCT_OK;
    *alone = (struct gemm_only){
        .problem = problem, .plan = plan, .far = FAR_APART / (size_t)problem->args->group->count};
    for (int64_t i = 0; i < steps && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(plan, i, &step);
        if (status == SCT_OK)
            make_room(&step, alone);
    }
    for (int j = 0; j < MATRICES; j++) {
        alone->bytes[j] += ALIGNMENT - alone->bytes[j] % ALIGNMENT;
        alone->all += alone->bytes[j];
    }
    alone->memory = status == SCT_OK ? malloc(alone->all) : NULL;
    return alone->memory;
}

void gemm_only_destroy(struct gemm_only *alone) {
    free(alone->memory);
}

void gemm_only_fill(struct gemm_only *alone) {
    sct_type type = alone->problem->value.type;
    const struct number one = {1, 0};
    for (size_t at = 0; at + sct_type_bytes(type) <= alone->all; at += sct_type_bytes(type))
        element_store(type, one, alone->memory + at);
}

/* Reduces a block to one of so many equal parts of its rows or columns; the last part has the rest.
 */
static void cut(sct_block *block, bool rows, int64_t parts, int64_t part, size_t element) {
    int64_t *size = rows ? &block->rows : &block->cols;
    int64_t each = *size / parts, first = part * each;
    bool lines = rows == (block->order == SCT_ROW_MAJOR);
    block->data = (char *)block->data + (size_t)(lines ? first * block->ld : first) * element;
    *size = part < parts - 1 ? each : *size - first;
}

static sct_status multiply_part(const struct gemm_only *alone, const sct_step *step, int64_t part_a,
                                int64_t part_b, sct_block block[MATRICES]) {
    const struct args *args = alone->problem->args;
    sct_type type = alone->problem->value.type;
    size_t element = sct_type_bytes(type);
    const struct number number = {1, 0};
    double one[2];
    cut(&block[MATRIX_A], !args_turned(alone->problem->args, MATRIX_A), step->blocks_a, part_a,
        element);
    cut(&block[MATRIX_C], true, step->blocks_a, part_a, element);
    cut(&block[MATRIX_B], args_turned(alone->problem->args, MATRIX_B), step->blocks_b, part_b,
        element);
    cut(&block[MATRIX_C], false, step->blocks_b, part_b, element);
    element_store(sct_type_sum(type), number, one);
    /* With beta 1 the BLAS only multiplies; with beta 0 it would also clear C. */
    return sct_gemm_local(type, args->op[MATRIX_A], args->op[MATRIX_B], one, &block[MATRIX_A],
                          &block[MATRIX_B], one, &block[MATRIX_C]);
}

static sct_status multiply(const struct gemm_only *alone, const sct_step *step) {
    sct_block block[MATRICES];
    size_t at[MATRICES];
    char *memory = alone->memory;
    lay_blocks(alone, step, block, at);
    for (int i = 0; i < MATRICES; i++) {
        block[i].data = memory + at[i];
        memory += alone->bytes[i];
    }
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < step->blocks_a && status == SCT_OK; i++)
        for (int64_t j = 0; j < step->blocks_b && status == SCT_OK; j++) {
            sct_block part[MATRICES];
            memcpy(part, block, sizeof part);
            status = multiply_part(alone, step, i, j, part);
        }
    return status;
}

sct_status gemm_only_run(const struct gemm_only *alone, double *cpu_seconds) {
    int64_t steps = count_steps(alone->plan);
    double start = product_cpu_now();
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < steps && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(alone->plan, i, &step);
        if (status == SCT_OK)
            status = multiply(alone, &step);
    }
    *cpu_seconds += product_cpu_now() - start;
    return status;
}
