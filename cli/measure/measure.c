/* measure.c - measures what the ranks can do.
 *
 * All measurements run one after another, in several rounds, so that a disturbance of the machine
 * affects all of them. The median over the rounds counts, by the clock of rank 0. Measurements that
 * involve all ranks take the time of the slowest, because a product waits for it too. */
#include "measure/measure.h"

#include "measure/probe.h"
#include "ranks/home_tiles.h"
#include "run/planned_product.h"
#include "values/element.h"

#include <stdlib.h>

/* After this many seconds no further round begins. */
static const double most_seconds = 20;

static sct_status run_probe(struct bench *bench, struct probe *probe, int round) {
    sct_status status = sct_world_barrier(bench->world);
    int repeats = probe->alone && bench->rank != 0 ? 0 : probe->repeats;
    double start = product_now();
    for (int i = 0; i < repeats && status == SCT_OK; i++)
        status = probe->run(bench, probe);
    if (status == SCT_OK && !probe->alone)
        status = sct_world_barrier(bench->world);
    probe->seconds[round] = (product_now() - start) / probe->repeats;
    return status;
}

/* Decides on rank 0 whether there is time for another round. The others read that from rank 0's
 * tile.
 */
static sct_status go_on(struct bench *bench, double start, bool *more) {
    double again = product_now() - start < most_seconds;
    sct_block shown = {.data = &again, .ld = 1, .rows = 1, .cols = 1};
    sct_block seen = {.data = &bench->word, .ld = 1, .rows = 1, .cols = 1};
    sct_tile first = {0, 0};
    sct_status status = SCT_OK;
    if (bench->rank == 0)
        status = sct_matrix_put_tile(bench->words, first, SCT_HERE, &shown);
    if (status == SCT_OK)
        status = sct_world_barrier(bench->world);
    if (status == SCT_OK)
        status = sct_matrix_get_tile(bench->words, first, SCT_HERE, &seen);
    *more = bench->word != 0;
    return status;
}

static sct_status run_rounds(struct bench *bench, int *rounds) {
    double start = product_now();
    sct_status status = SCT_OK;
    bool more = true;
    for (*rounds = 0; *rounds < bench->most_rounds && more && status == SCT_OK; ++*rounds) {
        for (int i = 0; i < PROBES && status == SCT_OK; i++) {
            if (bench->probes[i].run)
                status = run_probe(bench, &bench->probes[i], *rounds);
            if (bench->rank == 0)
                report_progress("measurements", *rounds * PROBES + i, bench->most_rounds * PROBES);
        }
        if (status == SCT_OK)
            status = go_on(bench, start, &more);
    }
    if (bench->rank == 0)
        report_clear();
    return status;
}

static double *filled(size_t count) {
    double *numbers = malloc(count * sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = 1;
    return numbers;
}

static void fill_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    (void)bounds;
    (void)context;
    for (int64_t i = 0; i < block->rows; i++)
        for (int64_t j = 0; j < block->cols; j++)
            element_store(SCT_F64, (struct number){1, 0}, element_at(SCT_F64, block, i, j));
}

/* A matrix with a row of tiles on each rank: `cols` columns in tiles of `block_cols`. */
static sct_status make_matrix(struct bench *bench, int64_t rows, int64_t cols, int64_t block_cols,
                              sct_matrix **matrix) {
    sct_cyclic cyclic = {.size = sizeof cyclic,
                         .block_rows = rows,
                         .block_cols = block_cols,
                         .grid_rows = bench->ranks,
                         .grid_cols = 1};
    sct_layout *layout;
    sct_status status = sct_layout_create_cyclic(rows * bench->ranks, cols, &cyclic, &layout);
    status = worker_settle(bench->worker, status);
    if (status != SCT_OK)
        return status;
    status = sct_matrix_create(bench->world, SCT_F64, layout, matrix);
    sct_layout_destroy(layout);
    return status == SCT_OK ? tiles_visit(bench->world, *matrix, TILES_WRITE, fill_tile, NULL)
                            : status;
}

static sct_status make_memory(struct bench *bench) {
    bool made = (bench->tile = filled(TILE_ROWS * TILE_COLS));
    for (int i = 0; i < MATRICES && made; i++)
        made = (bench->operand[i] = filled(2 * CUBE * CUBE));
    sct_status status = SCT_OK;
    if (!made)
        status = worker_fail(bench->worker, "no memory for the operands of products");
    return worker_settle(bench->worker, status);
}

static sct_status measure_with(struct bench *bench, struct measured *measured) {
    int rounds;
    sct_status status = make_memory(bench);
    if (status == SCT_OK)
        status = make_matrix(bench, 1, 1, 1, &bench->words);
    if (status == SCT_OK)
        status = make_matrix(bench, TILE_ROWS, 2 * TILE_COLS, TILE_COLS, &bench->tiles);
    probe_list(bench);
    if (status == SCT_OK)
        status = run_rounds(bench, &rounds);
    if (status == SCT_OK && bench->rank == 0)
        probe_derive(bench, rounds, measured);
    return status;
}

static sct_status measure_rank(struct worker *worker, void *context) {
    struct measured *measured = context;
    struct bench bench = {.worker = worker,
                          .world = worker->world,
                          .rank = worker->rank,
                          .ranks = sct_world_size(worker->world),
                          .ranks_per_node = sct_world_ranks_per_node(worker->world),
                          .most_rounds = measured->rounds};
    sct_status status = measure_with(&bench, measured);
    sct_matrix_destroy(bench.tiles);
    sct_matrix_destroy(bench.words);
    free(bench.tile);
    for (int i = 0; i < MATRICES; i++)
        free(bench.operand[i]);
    return status;
}

enum code measure_ranks(const struct args *args, enum code code, struct measured *measured) {
    *measured = (struct measured){.rounds = args->repeat > 0 ? (int)args->repeat : MEASURED_ROUNDS};
    return workers_run(args, code, measure_rank, measured);
}
