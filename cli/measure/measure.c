/* measure.c - measures what the ranks can do.
 *
 * All measurements run one after another, in several rounds, so that a disturbance of the machine
 * affects all of them. The median over the rounds counts, by the clock of rank 0. Measurements that
 * involve all ranks take the time of the slowest, because a product waits for it too. */
#include "measure/measure.h"

#include "measure/fit.h"
#include "measure/probe.h"
#include "ranks/home_tiles.h"
#include "run/planned_product.h"
#include "values/element.h"

#include <stdlib.h>

/* After this many seconds no further round begins. */
static const double most_seconds = 20;

/* A GEMM of f64 that takes less is too small to show the best speed. */
static const double least_seconds = 2e-3;

static sct_status run_probe(struct bench *bench, struct probe *probe, int times, int round) {
    sct_status status = sct_world_barrier(bench->world);
    int repeats = probe->alone && bench->rank != 0 ? 0 : times;
    double start = product_now();
    for (int i = 0; i < repeats && status == SCT_OK; i++)
        status = probe->run(bench, probe);
    if (status == SCT_OK && !probe->alone)
        status = sct_world_barrier(bench->world);
    probe->seconds[round] = (product_now() - start) / times;
    return status;
}

/* Sets a number on all ranks to that of rank 0. */
static sct_status follow(struct bench *bench, double *number) {
    sct_status status = sct_world_gather(bench->world, number, sizeof *number, bench->of_ranks);
    if (status == SCT_OK)
        *number = bench->of_ranks[0];
    return status;
}

/* Decides on rank 0 whether there is time for another round. */
static sct_status go_on(struct bench *bench, double start, bool *more) {
    double again = product_now() - start < most_seconds;
    sct_status status = follow(bench, &again);
    *more = again != 0;
    return status;
}

static sct_status run_round(struct bench *bench, int round, bool once) {
    sct_status status = SCT_OK;
    for (int i = 0; i < PROBES && status == SCT_OK; i++) {
        if (bench->probes[i].run)
            status =
                run_probe(bench, &bench->probes[i], once ? 1 : bench->probes[i].repeats, round);
        if (bench->rank == 0)
            report_progress("measurements", round * PROBES + i, bench->most_rounds * PROBES);
    }
    return status;
}

/* Runs everything once, without repeats, since a first call may take long, and decides on the
 * transfers beside GEMMs by how long they take alone. */
static sct_status warm_up(struct bench *bench) {
    struct probe *far = &bench->probes[PROBE_FAR];
    sct_status status = run_round(bench, 0, true);
    probe_fill(far, 0);
    for (int i = LINK_BESIDE_GETS; i <= LINK_BESIDE_ADDS && status == SCT_OK; i++) {
        double tiles = far[i].tiles;
        status = follow(bench, &tiles);
        far[i].tiles = (int)tiles;
    }
    return status;
}

static sct_status run_rounds(struct bench *bench, int *rounds) {
    sct_status status = warm_up(bench);
    double start = product_now();
    bool more = true;
    for (*rounds = 0; *rounds < bench->most_rounds && more && status == SCT_OK; ++*rounds) {
        status = run_round(bench, *rounds, false);
        if (status == SCT_OK)
            status = go_on(bench, start, &more);
    }
    if (bench->rank == 0)
        report_clear();
    return status;
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
    if (status == SCT_OK)
        status = worker_settle(bench->worker,
                               tiles_visit(bench->world, *matrix, TILES_WRITE, fill_tile, NULL));
    return status;
}

static void free_tiles(struct bench *bench) {
    sct_matrix_destroy(bench->landing);
    sct_matrix_destroy(bench->tiles);
    bench->landing = bench->tiles = NULL;
}

/* Makes tiles, and times the copy of one on all ranks at once. */
static sct_status try_tiles(struct bench *bench, double *seconds) {
    int64_t rows = bench->tile_rows;
    sct_status status = make_matrix(bench, rows, 2 * TILE_COLS, TILE_COLS, &bench->tiles);
    if (status == SCT_OK)
        status = make_matrix(bench, rows, TILE_COLS, TILE_COLS, &bench->landing);
    if (status != SCT_OK)
        return status;
    bench->device = sct_matrix_space(bench->landing) == SCT_SPACE_DEVICE;
    probe_list(bench);
    struct probe *probe = &bench->probes[PROBE_MEMORY];
    for (int i = 0; i < 2 && status == SCT_OK; i++) /* the first copy may take long */
        status = run_probe(bench, probe, probe->repeats, 0);
    *seconds = probe->seconds[0];
    return status == SCT_OK ? follow(bench, seconds) : status;
}

static sct_status choose_tiles(struct bench *bench) {
    double seconds = 0;
    sct_status status = SCT_OK;
    for (bench->tile_rows = LEAST_TILE_ROWS; status == SCT_OK; bench->tile_rows *= 2) {
        status = try_tiles(bench, &seconds);
        if (tile_is_enough(bench->tile_rows, bench->device, seconds))
            break;
        free_tiles(bench);
    }
    return status;
}

static sct_status make_memory(struct bench *bench) {
    bench->of_ranks = calloc((size_t)bench->ranks, sizeof *bench->of_ranks);
    sct_status status =
        bench->of_ranks ? SCT_OK : worker_fail(bench->worker, "no memory to measure with");
    status = worker_settle(bench->worker, status);
    if (status == SCT_OK)
        status = make_matrix(bench, 1, 1, 1, &bench->words);
    if (status == SCT_OK)
        status = choose_tiles(bench);
    if (status != SCT_OK)
        return status;
    bench->tile = calloc((size_t)bench->tile_rows * TILE_COLS, sizeof *bench->tile);
    return worker_settle(bench->worker,
                         bench->tile ? SCT_OK
                                     : worker_fail(bench->worker, "no memory to measure with"));
}

static void free_operands(struct bench *bench) {
    for (int i = 0; i < MATRICES; i++) {
        sct_matrix_destroy(bench->operand[i]);
        bench->operand[i] = NULL;
    }
}

/* Makes operands, and times a GEMM of theirs on all ranks at once. */
static sct_status try_cube(struct bench *bench, double *seconds) {
    sct_status status = SCT_OK;
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = make_matrix(bench, 2 * bench->cube, bench->cube, bench->cube, &bench->operand[i]);
    if (status != SCT_OK)
        return status;
    probe_list(bench);
    struct probe *probe = &bench->probes[PROBE_CUBES + SCT_F64];
    for (int i = 0; i < 2 && status == SCT_OK; i++) /* the first call may take long */
        status = run_probe(bench, probe, probe->repeats, 0);
    *seconds = probe->seconds[0];
    return status == SCT_OK ? follow(bench, seconds) : status;
}

/* Makes operands of this size, and lists the measurements. If the size is 0, it is chosen: CUBE,
 * doubled until one GEMM takes long enough to be timed well. */
static sct_status choose_cube(struct bench *bench, int64_t size) {
    double seconds = 0;
    sct_status status = SCT_OK;
    for (bench->cube = size > 0 ? size : CUBE; status == SCT_OK; bench->cube *= 2) {
        status = try_cube(bench, &seconds);
        if (size > 0 || seconds >= least_seconds || 2 * bench->cube > MOST_MEASURED_SIZE)
            break;
        free_operands(bench);
    }
    return status;
}

static sct_status measure_with(struct bench *bench, struct measured *measured) {
    int rounds;
    sct_status status = make_memory(bench);
    if (status == SCT_OK)
        status = choose_cube(bench, measured->size);
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
                          .most_rounds = measured->rounds,
                          .cube = CUBE};
    sct_status status = measure_with(&bench, measured);
    free_operands(&bench);
    free_tiles(&bench);
    sct_matrix_destroy(bench.words);
    free(bench.tile);
    free(bench.of_ranks);
    return status;
}

enum code measure_ranks(const struct args *args, enum code code, struct measured *measured) {
    *measured = (struct measured){.rounds = args->repeat > 0 ? (int)args->repeat : MEASURED_ROUNDS,
                                  .size = args->size};
    return workers_run(args, code, measure_rank, measured);
}
