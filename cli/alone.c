/* alone.c - the products of a plan by themselves, on operands of the same shapes. */
#include "alone.h"

#include "element.h"
#include "product.h"

#include <stdlib.h>

/* The operands of a step, dense, stored as its matrices are. */
static void shape_blocks(const struct alone *alone, const sct_step *step,
                         sct_block block[MATRICES]) {
    const int64_t rows[] = {step->m.count, step->k.count, step->m.count};
    const int64_t cols[] = {step->k.count, step->n.count, step->n.count};
    size_t at = 0;
    for (int i = 0; i < MATRICES; i++) {
        bool turned = i != MATRIX_C && alone->problem->args->op[i] != SCT_N;
        block[i] = (sct_block){.data = alone->memory ? alone->memory + at : NULL,
                               .rows = turned ? cols[i] : rows[i],
                               .cols = turned ? rows[i] : cols[i],
                               .order = sct_layout_order(alone->problem->layout[i])};
        block[i].ld = block[i].order == SCT_ROW_MAJOR ? block[i].cols : block[i].rows;
        at += alone->bytes[i];
    }
}

static int64_t count_steps(const sct_plan *plan) {
    sct_cost cost;
    return sct_plan_cost(plan, &cost) == SCT_OK ? cost.steps : 0;
}

bool alone_create(const struct problem *problem, const sct_plan *plan, struct alone *alone) {
    size_t element = sct_type_bytes(problem->value.type), all = 1;
    int64_t steps = count_steps(plan);
    *alone = (struct alone){.problem = problem, .plan = plan};
    for (int64_t i = 0; i < steps; i++) {
        sct_step step;
        sct_block block[MATRICES];
        if (sct_plan_step(plan, i, &step) != SCT_OK)
            continue;
        shape_blocks(alone, &step, block);
        for (int j = 0; j < MATRICES; j++) {
            size_t bytes = (size_t)block[j].rows * (size_t)block[j].cols * element;
            if (bytes > alone->bytes[j])
                alone->bytes[j] = bytes;
        }
    }
    for (int i = 0; i < MATRICES; i++)
        all += alone->bytes[i];
    alone->memory = malloc(all);
    return alone->memory;
}

void alone_destroy(struct alone *alone) {
    free(alone->memory);
}

void alone_fill(struct alone *alone) {
    sct_type type = alone->problem->value.type;
    const struct number one = {1, 0};
    size_t all = alone->bytes[MATRIX_A] + alone->bytes[MATRIX_B] + alone->bytes[MATRIX_C];
    for (size_t at = 0; at < all; at += sct_type_bytes(type))
        element_store(type, one, alone->memory + at);
}

static sct_status multiply(const struct alone *alone, const sct_step *step) {
    const struct args *args = alone->problem->args;
    sct_type type = alone->problem->value.type;
    const struct number number = {1, 0};
    double one[2];
    sct_block block[MATRICES];
    shape_blocks(alone, step, block);
    element_store(sct_type_sum(type), number, one);
    /* With beta 1 nothing is done but to multiply: clearing C is no part of that. */
    return sct_gemm_local(type, args->op[MATRIX_A], args->op[MATRIX_B], one, &block[MATRIX_A],
                          &block[MATRIX_B], one, &block[MATRIX_C]);
}

sct_status alone_run(const struct alone *alone, double *cpu_seconds) {
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
