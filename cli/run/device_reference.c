/* device_reference.c - makes matrices that rank 0 has to itself, and multiplies them by one call.
 */
#include "run/device_reference.h"

#include "ranks/home_tiles.h"
#include "run/planned_product.h"
#include "run/reference.h"
#include "values/element.h"

#include <assert.h>
#include <stdlib.h>

static sct_type type_of(const struct device_reference *reference, int matrix) {
    return matrix == MATRIX_C ? reference->sum : reference->type;
}

/* The layout of a matrix that one rank stores. */
static sct_status lay_out(const struct generated_problem *generated, int matrix,
                          sct_layout **layout) {
    const struct problem *problem = generated->problem;
    const sct_slice *view = &problem->view[matrix];
    sct_layout *by_rows = NULL;
    sct_status status = sct_layout_create_2d(view->rows.hi - view->rows.lo,
                                             view->cols.hi - view->cols.lo, 1, 1, &by_rows);
    if (status == SCT_OK)
        status = sct_layout_store(by_rows, sct_layout_order(problem->layout[MATRIX_C]), layout);
    sct_layout_destroy(by_rows);
    return status;
}

struct fill {
    const struct device_reference *reference;
    int matrix;
};

static struct number element(const void *context, int64_t row, int64_t col) {
    const struct fill *fill = context;
    return source_element(&fill->reference->generated->source, fill->matrix, row, col);
}

static void fill_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    const struct fill *fill = context;
    block_fill(type_of(fill->reference, fill->matrix), bounds, block,
               fill->reference->generated->threads, element, fill);
}

static sct_status make_matrix(struct worker *worker, struct device_reference *reference, int i) {
    sct_layout *layout = NULL;
    sct_status status = worker_settle(worker, lay_out(reference->generated, i, &layout));
    if (status == SCT_OK)
        status =
            sct_matrix_create(worker->world, type_of(reference, i), layout, &reference->matrix[i]);
    sct_layout_destroy(layout);
    if (status == SCT_OK)
        status = worker_settle(worker, tiles_visit(worker->world, reference->matrix[i], TILES_WRITE,
                                                   fill_tile, &(struct fill){reference, i}));
    return status;
}

static sct_status multiply(const struct device_reference *reference, sct_world *world) {
    const struct generated_problem *generated = reference->generated;
    const sct_op *op = generated->problem->args->op;
    double alpha[2], beta[2];
    sct_block block[MATRICES] = {{.data = NULL}};
    int count;
    element_store(reference->sum, generated->alpha, alpha);
    element_store(reference->sum, generated->beta, beta);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_blocks(reference->matrix[i], 1, &block[i], &count);
    return sct_world_gemm(world, reference->type, op[MATRIX_A], op[MATRIX_B], alpha,
                          &block[MATRIX_A], &block[MATRIX_B], beta, &block[MATRIX_C]);
}

sct_status device_reference_turn(const struct device_reference *reference, sct_world *world,
                                 double *seconds) {
    sct_status status = SCT_OK;
    for (int i = 0; i < reference->warm_ups && status == SCT_OK; i++)
        status = multiply(reference, world);
    double start = product_now();
    if (status == SCT_OK)
        status = multiply(reference, world);
    *seconds = product_now() - start;
    return status;
}

/* The first call may take long, as kernels are compiled then; the second measures how many fit. */
static sct_status warm_up(struct worker *worker, struct device_reference *reference) {
    sct_status status = SCT_OK;
    double seconds = 0;
    for (int i = 0; i < 2 && status == SCT_OK && worker->rank == 0; i++)
        status = device_reference_turn(reference, worker->world, &seconds);
    status = worker_settle(worker, status);
    int *of_ranks = calloc((size_t)worker->group->ranks, sizeof *of_ranks);
    if (status == SCT_OK)
        status = worker_settle(
            worker, of_ranks ? SCT_OK
                             : worker_fail(worker, "no memory for %d ranks", worker->group->ranks));
    int warm_ups = reference_warm_ups(seconds);
    assert(status != SCT_OK || of_ranks);
    if (status == SCT_OK)
        status = sct_world_gather(worker->world, &warm_ups, sizeof warm_ups, of_ranks);
    if (status == SCT_OK)
        reference->warm_ups = of_ranks[0];
    free(of_ranks);
    return status;
}

sct_status device_reference_create(struct worker *worker, const struct generated_problem *generated,
                                   struct device_reference *reference) {
    sct_type type = generated->source.type, sum = sct_type_sum(type);
    *reference =
        (struct device_reference){.generated = generated,
                                  .type = sct_world_multiplies(worker->world, type) ? type : sum,
                                  .sum = sum};
    sct_status status = SCT_OK;
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = make_matrix(worker, reference, i);
    return status == SCT_OK ? warm_up(worker, reference) : status;
}

void device_reference_destroy(struct device_reference *reference) {
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(reference->matrix[i]);
}
