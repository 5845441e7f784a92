/* sectile.h - C = alpha op(A) op(B) + beta C on distributed matrices, each in any layout.
 *
 * Simple use: make a world, lay out three matrices, multiply.
 *
 *     static int work(sct_world *world, void *arg) {
 *         sct_layout_create_row(1000, 500, sct_world_size(world), &rows);
 *         sct_matrix_create(world, SCT_F64, rows, &a);
 *         ...
 *         sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL);
 *     }
 *     sct_run(4, NULL, work, NULL);
 *
 * Advanced use, in headers that this one includes: plan once and multiply often (sectile_plan.h);
 * measure what is fastest (sectile_wisdom.h), copy meanwhile (sectile_copy.h), describe machines
 * (sectile_model.h), simulate products (sectile_simulate.h), choose layouts (sectile_choose.h),
 * describe products that share matrices (sectile_products.h) and run them (sectile_group.h), write
 * algorithms on tiles (sectile_tiles.h), launch ranks (sectile_launch.h), see what the library does
 * (sectile_log.h).
 *
 * Rules for all functions:
 *  - One that can fail returns an sct_status; sct_last_reason() then says why, in one line.
 *  - Each such function may return the usual errors: SCT_BAD_ARGUMENT (a missing pointer, an
 *    unknown enumerator, a wrong `size`) and SCT_NO_MEMORY; if collective, also SCT_DISAGREE (the
 *    ranks made different calls) and SCT_FAILED (a rank has left, or the system failed). "Errors:"
 *    in its comment lists the others.
 *  - Functions that return no status do not check their arguments. Those named destroy accept NULL.
 *  - Outputs come last and are written only on success.
 *  - "Collective": every rank of the world calls it, in the same order, with the same arguments
 *    unless said otherwise. If it fails on one rank it fails on all, with the reason of the lowest
 *    rank that failed. But a rank that passes NULL for the world, or for the only matrix or job,
 *    fails alone, and the others wait for it.
 *  - Functions that take a layout or a plan keep what they need: you may destroy yours at once.
 *  - The library never exits, aborts or installs signal handlers, and never changes the number of
 *    BLAS threads. It prints nothing but warnings, which sct_log takes.
 *  - Initialize a struct that begins with `size` as { .size = sizeof it }. In options, zero means
 *    the default; a NULL pointer to options means all defaults.
 */
#ifndef SECTILE_H
#define SECTILE_H

#include <sectile/sectile_engine.h>
#include <sectile/sectile_version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SCT_API __attribute__((visibility("default")))
#else
#define SCT_API
#endif

/* ---- Status, types and small values ---- */

typedef enum sct_status {
    SCT_OK = 0,
    SCT_BAD_ARGUMENT, /* an invalid argument, or arguments that do not fit together */
    SCT_TOO_LARGE,    /* a count of bytes, steps, ranks or blocks that is too large to work with */
    SCT_NO_MEMORY,    /* an allocation failed */
    SCT_WORKSPACE,    /* the limit on workspace or memory is too small */
    SCT_DISAGREE,     /* the ranks of a collective call passed different arguments */
    SCT_ALIASED,      /* C shares elements with A or B; in a copy, the target with the source */
    SCT_UNREACHABLE,  /* a pointer to memory of a remote rank was asked for */
    SCT_NO_ENGINE,    /* the engine, or the path that was asked for, is not available */
    SCT_FAILED        /* the system or another rank failed */
} sct_status;

/* cf32 and cf64 are pairs of f32 and f64: real part, imaginary part. f16 is IEEE 754 binary16, bf16
 * the upper half of an f32; both are storage types, multiplied and added up in f32. */
typedef enum sct_type { SCT_F32, SCT_F64, SCT_CF32, SCT_CF64, SCT_F16, SCT_BF16 } sct_type;

/* op(X) is X, its transpose, or its conjugate transpose. */
typedef enum sct_op { SCT_N, SCT_T, SCT_C } sct_op;

/* The storage order of what a rank stores of a matrix. */
typedef enum sct_order { SCT_ROW_MAJOR, SCT_COL_MAJOR } sct_order;

/* Half-open: [lo, hi). */
typedef struct sct_range {
    int64_t lo, hi;
} sct_range;

typedef struct sct_slice {
    sct_range rows, cols;
} sct_slice;

/* A strided block in this process's memory. `ld` is the leading dimension: elements from one row to
 * the next (column-major: from one column to the next). */
typedef struct sct_block {
    void *data;
    int64_t ld, rows, cols;
    sct_order order;
} sct_block;

/* Returns why the calling thread last failed, in one line; "": never. No errors. Not collective. */
SCT_API const char *sct_last_reason(void);
/* Returns the name of a status, such as "bad argument". No errors. Not collective. */
SCT_API const char *sct_status_name(sct_status status);

/* Return the bytes of an element (0: unknown type), and the name of a type, such as "f32". No
 * errors. Not collective. */
SCT_API size_t sct_type_bytes(sct_type type);
SCT_API const char *sct_type_name(sct_type type);
/* Returns the type of sums, alpha and beta: f32 for f16 and bf16, any other type itself. No errors.
 * Not collective. */
SCT_API sct_type sct_type_sum(sct_type type);

/* Convert `count` elements of `type`, f16 or bf16, to f32 and back. Narrowing rounds to nearest,
 * ties to even, and to infinity beyond the largest number. In widening, `halves` may be the upper
 * half of the memory of `floats`. No errors. Not collective. */
SCT_API void sct_half_widen(sct_type type, int64_t count, const void *halves, float *floats);
SCT_API void sct_half_narrow(sct_type type, int64_t count, const float *floats, void *halves);

/* Returns "major.minor.patch" of the linked library. No errors. Not collective. */
SCT_API const char *sct_version(void);

/* ---- Worlds ---- */

typedef struct sct_world sct_world;

typedef struct sct_world_options {
    size_t size;
    const char *engine;         /* NULL or its name: "threads", "processes", "opencl", "cuda" */
    const void *engine_options; /* NULL: defaults; or those of the engine (sectile_engine.h), such
                                   as an sct_cuda_options, which begin with their size */
    sct_path path;    /* for ranks that are processes, also with devices; threads need none */
    int wait_seconds; /* how long a rank waits for one that does not respond, before all fail
                         (docs/model.md); 0: SECTILE_WAIT_SECONDS, or no limit */
    int (*interrupted)(void *context); /* called now and then on a waiting rank, from its thread;
                                          nonzero: the world fails on all ranks. NULL on all
                                          ranks, or on none */
    void *interrupted_context;
    int recent_calls; /* the most products and copies that are kept ready to be made again
                         (docs/model.md); 0: 256; negative: none */
} sct_world_options;

/* How ranks that exist find each other. allgather: every rank passes `bytes` bytes and receives
 * those of all, in rank order; 0: success. Only a world that is being made calls it. */
typedef struct sct_bootstrap {
    size_t size;
    int rank, ranks;
    int (*allgather)(void *context, const void *mine, size_t bytes, void *all);
    void *context;
} sct_bootstrap;

/* The work of one rank. A nonzero result means failure. */
typedef int sct_main(sct_world *world, void *arg);

/* Starts `ranks` threads, makes them a world, runs fn(world, arg) on each with its own handle, and
 * waits for all. Errors: SCT_BAD_ARGUMENT unless there are 1 to 4096 ranks; SCT_FAILED if a thread
 * cannot be started; or the failure of the lowest rank that failed, which is SCT_FAILED if its fn
 * returned nonzero. Not collective. */
SCT_API sct_status sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);

/* Makes a world of ranks that exist already. Errors: SCT_NO_ENGINE if there is no such engine, or
 * its processes cannot connect; SCT_BAD_ARGUMENT for more than 4096 ranks, unless the
 * engine is processes; SCT_FAILED if allgather fails or the BLAS has 64-bit integers. A bad
 * bootstrap fails on its rank alone. Collective. */
SCT_API sct_status sct_world_create(const sct_bootstrap *bootstrap,
                                    const sct_world_options *options, sct_world **world);
/* Ends a world; destroy its jobs and matrices before. If a rank does so while others are at work,
 * their collective calls fail and name it. No errors. Collective. */
SCT_API void sct_world_destroy(sct_world *world);
/* Return this rank's number, and the number of ranks. No errors. Not collective. */
SCT_API int sct_world_rank(const sct_world *world);
SCT_API int sct_world_size(const sct_world *world);
/* Returns R such that ranks r and s share memory if r / R == s / R (integer division): the
 * ranks_per_node of an sct_problem for this world. No errors. Not collective. */
SCT_API int sct_world_ranks_per_node(const sct_world *world);
/* The GPUs of ranks: none; GPUs that multiply f16 and bf16 as they are, as with the engine cuda; or
 * GPUs that multiply them in f32, as with opencl. */
typedef enum sct_gpus { SCT_GPUS_NONE, SCT_GPUS_HALVES, SCT_GPUS_WIDENING } sct_gpus;
/* Returns what all ranks have, which is none if a rank has a processor for a device: the gpus of an
 * sct_problem for this world. No errors. Not collective. */
SCT_API sct_gpus sct_world_gpus(const sct_world *world);
/* Returns the path to far memory; SCT_PATH_AUTO: none was needed yet. No errors. Not collective. */
SCT_API sct_path sct_world_path(const sct_world *world);
/* Waits until all ranks have called it. Errors: the usual ones. Collective. */
SCT_API sct_status sct_world_barrier(sct_world *world);

/* Bytes that this rank has moved since the world was made. Other ranks are near if this rank can
 * point to their memory, and otherwise far, or remote. */
typedef struct sct_traffic {
    uint64_t bytes_got;         /* fetched from far ranks */
    uint64_t bytes_accumulated; /* added to the memory of other ranks, near or far */
    uint64_t bytes_in_place;    /* of near ranks, used through pointers */
} sct_traffic;
/* Returns this rank's traffic. No errors. Not collective. */
SCT_API sct_traffic sct_world_traffic(const sct_world *world);

/* ---- Layouts ---- */

/* How a matrix is cut, and which rank stores which piece. Immutable; it belongs to no world. */
typedef struct sct_layout sct_layout;

/* Make a row-major layout of a rows x cols matrix: with a block of rows, or of columns, for each
 * rank; or with a block for each rank of a grid. Errors: SCT_BAD_ARGUMENT for a negative size or
 * fewer than 1 rank; SCT_TOO_LARGE for a grid of 2^31 ranks or more. Not collective. */
SCT_API sct_status sct_layout_create_row(int64_t rows, int64_t cols, int ranks,
                                         sct_layout **layout);
SCT_API sct_status sct_layout_create_col(int64_t rows, int64_t cols, int ranks,
                                         sct_layout **layout);
SCT_API sct_status sct_layout_create_2d(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                        sct_layout **layout);

/* Block-cyclic as in ScaLAPACK: source_row and source_col are RSRC and CSRC, the grid coordinates
 * of the first block; first_rows and first_cols are IMB and INB, its size (0: a whole block). */
typedef struct sct_cyclic {
    size_t size;
    int64_t block_rows, block_cols;
    int grid_rows, grid_cols;
    int source_row, source_col;
    int64_t first_rows, first_cols;
} sct_cyclic;
/* Makes a block-cyclic layout. Errors: as sct_layout_create_2d; SCT_BAD_ARGUMENT also for empty
 * blocks, a source outside the grid, or a first block larger than the others. Not collective. */
SCT_API sct_status sct_layout_create_cyclic(int64_t rows, int64_t cols, const sct_cyclic *cyclic,
                                            sct_layout **layout);

/* One dimension, cut at chosen places. cuts: the `blocks` - 1 inner bounds, in ascending order
 * (equal ones make empty blocks); owners: for each block its grid coordinate, 0 to grid - 1
 * (ignored by sct_layout_create_tiles). */
typedef struct sct_cuts {
    int64_t blocks;
    const int64_t *cuts;
    const int *owners;
} sct_cuts;
/* Makes a layout with chosen cuts, on a grid. Errors: as sct_layout_create_2d; SCT_BAD_ARGUMENT
 * also for cuts that descend or lie outside, or owners outside the grid. Not collective. */
SCT_API sct_status sct_layout_create_cuts(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                          const sct_cuts *row_cuts, const sct_cuts *col_cuts,
                                          sct_layout **layout);
/* Makes a layout with an owner for each tile: owners[i * col_cuts->blocks + j] is the rank, 0 to
 * ranks - 1, that owns tile (i, j). Errors: as sct_layout_create_cuts. Not collective. */
SCT_API sct_status sct_layout_create_tiles(int64_t rows, int64_t cols, int ranks,
                                           const sct_cuts *row_cuts, const sct_cuts *col_cuts,
                                           const int *owners, sct_layout **layout);

/* Makes a layout with `copies` replicas, each laid out like `layout` on ranks of its own. Errors:
 * SCT_BAD_ARGUMENT if copies < 1, or if `layout` has replicas or a rank map; SCT_TOO_LARGE for 2^31
 * ranks or more. Not collective. */
SCT_API sct_status sct_layout_replicate(const sct_layout *layout, int copies,
                                        sct_layout **replicated);
/* Makes a layout whose replicas, where they share work, take blocks of `block` indices in turn; 0:
 * each takes one range. Errors: SCT_BAD_ARGUMENT if block < 0. Not collective. */
SCT_API sct_status sct_layout_share(const sct_layout *layout, int64_t block, sct_layout **shared);
/* Makes a layout whose position i (counted by replica, then row, then column of the grid) is on
 * rank map[i]. `map` has an entry for each position. Errors: SCT_BAD_ARGUMENT for a rank that is
 * negative or named twice, or if `layout` has a rank map or an owner for each tile. Not
 * collective. */
SCT_API sct_status sct_layout_map_ranks(const sct_layout *layout, const int *map,
                                        sct_layout **mapped);
/* Makes the same layout with this storage order. Errors: the usual ones. Not collective. */
SCT_API sct_status sct_layout_store(const sct_layout *layout, sct_order order, sct_layout **stored);

/* Makes the layout that a text describes (docs/layouts.md), for a world of `ranks` ranks. Errors:
 * SCT_BAD_ARGUMENT for a malformed text, or one that does not fit `ranks`; SCT_TOO_LARGE. Not
 * collective. */
SCT_API sct_status sct_layout_parse(const char *text, int64_t rows, int64_t cols, int ranks,
                                    sct_layout **layout);
/* Writes the text of a layout, cut to `bytes` bytes with the final '\0', and returns the length of
 * the whole text. No errors. Not collective. */
SCT_API size_t sct_layout_print(const sct_layout *layout, char *text, size_t bytes);
/* Frees a layout. No errors. Not collective. */
SCT_API void sct_layout_destroy(sct_layout *layout);

/* Return properties of a layout. sct_layout_ranks: one more than the highest rank that may store a
 * part. No errors. Not collective. */
SCT_API int64_t sct_layout_rows(const sct_layout *layout);
SCT_API int64_t sct_layout_cols(const sct_layout *layout);
SCT_API int sct_layout_replicas(const sct_layout *layout);
SCT_API int sct_layout_ranks(const sct_layout *layout);
SCT_API sct_order sct_layout_order(const sct_layout *layout);
/* Returns the rank that stores element (row, col) in a replica. No errors. Not collective. */
SCT_API int sct_layout_owner(const sct_layout *layout, int replica, int64_t row, int64_t col);
/* Returns the tile that contains an element. No errors. Not collective. */
SCT_API sct_slice sct_layout_tile(const sct_layout *layout, int64_t row, int64_t col);
/* Returns a rank's home replica: the one that it stores a part of; rank mod replicas if the layout
 * does not use the rank. No errors. Not collective. */
SCT_API int sct_layout_home(const sct_layout *layout, int rank);

/* A rank's part of a matrix is one block for most layouts, none if the layout does not use the
 * rank, and for tiles with arbitrary owners one for each tile. A block has some rows and some
 * columns of the matrix, each in ascending order: local row 0 is the first of them. sct_layout_part
 * returns how many. The others convert indices of rows and columns, each by itself, where -1 stands
 * for one that is not there. ScaLAPACK has them as numroc, indxl2g and indxg2l. No errors. Not
 * collective. */
typedef struct sct_position {
    int64_t row, col;
} sct_position;
SCT_API int sct_layout_parts(const sct_layout *layout, int rank);
SCT_API sct_position sct_layout_part(const sct_layout *layout, int rank, int part);
SCT_API sct_position sct_layout_to_global(const sct_layout *layout, int rank, int part,
                                          sct_position local);
SCT_API sct_position sct_layout_to_local(const sct_layout *layout, int rank, int part,
                                         sct_position global);

/* Writes the number of bytes that a rank stores. Errors: SCT_BAD_ARGUMENT for a negative rank;
 * SCT_TOO_LARGE for 2^63 bytes or more. Not collective. */
SCT_API sct_status sct_layout_bytes(const sct_layout *layout, sct_type type, int rank,
                                    size_t *bytes);

/* ---- Matrices ---- */

typedef struct sct_matrix sct_matrix;

typedef struct sct_view { /* a submatrix */
    sct_matrix *matrix;
    sct_slice slice;
} sct_view;

/* Makes a matrix in memory of the library, uninitialized. Errors: SCT_BAD_ARGUMENT if the layout
 * uses more ranks than the world has, or the device has no numbers of this type; SCT_TOO_LARGE as
 * sct_layout_bytes. Collective. */
SCT_API sct_status sct_matrix_create(sct_world *world, sct_type type, const sct_layout *layout,
                                     sct_matrix **matrix);
/* Makes a matrix of memory that remains yours, for layouts with a grid: `part` is this rank's one
 * array, `ld` its leading dimension (0: dense). Both may differ by rank. Errors: as
 * sct_matrix_create; SCT_BAD_ARGUMENT if `ld` is too small or `part` not aligned. Collective. */
SCT_API sct_status sct_matrix_wrap(sct_world *world, sct_type type, const sct_layout *layout,
                                   void *part, int64_t ld, sct_matrix **matrix);
/* The same for any layout: `blocks` are this rank's tiles in row-major order of the tile grid, or,
 * with a grid, the one block that is its part. Errors: as sct_matrix_wrap; SCT_BAD_ARGUMENT also if
 * the number, shapes or orders of the blocks are not those of the layout. Collective. */
SCT_API sct_status sct_matrix_wrap_blocks(sct_world *world, sct_type type, const sct_layout *layout,
                                          int count, const sct_block *blocks, sct_matrix **matrix);
/* Frees a matrix, but not wrapped memory. No errors. Collective. */
SCT_API void sct_matrix_destroy(sct_matrix *matrix);

/* Returns the view of a whole matrix. No errors. Not collective. */
SCT_API sct_view sct_whole(sct_matrix *matrix);
/* Makes a view. Errors: SCT_BAD_ARGUMENT if it is not within the matrix. Not collective. */
SCT_API sct_status sct_matrix_view(sct_matrix *matrix, sct_slice slice, sct_view *view);
/* Return properties of a matrix; the layout lives as long as it does. No errors. Not collective. */
SCT_API const sct_layout *sct_matrix_layout(const sct_matrix *matrix);
SCT_API sct_type sct_matrix_type(const sct_matrix *matrix);
/* Returns the same as sct_world_ranks_per_node, but 1 for wrapped memory that only its owner can
 * point to. No errors. Not collective. */
SCT_API int sct_matrix_ranks_per_node(const sct_matrix *matrix);

/* ---- Multiply and copy ---- */

/* The stationary matrix. AUTO: chosen by estimated time. */
typedef enum sct_stay { SCT_STAY_AUTO, SCT_STAY_A, SCT_STAY_B, SCT_STAY_C } sct_stay;
/* What one step covers: all indices that the same two owners share (class), or one pair of tiles,
 * as in the paper (docs/algorithm.md). */
typedef enum sct_slicing { SCT_SLICE_CLASS, SCT_SLICE_TILE } sct_slicing;
/* What is fetched of A and B: the slice that a step needs; or, as in the paper, the part of the
 * remote tile that is in the view, which implies SCT_SLICE_TILE. */
typedef enum sct_fetch { SCT_FETCH_SLICE, SCT_FETCH_TILE } sct_fetch;
/* What the replicas of C hold at the end: each the result; replica 0 the result, the others
 * undefined; or each a partial sum, and these add up to the result. */
typedef enum sct_result { SCT_RESULT_ALL, SCT_RESULT_ORIGIN, SCT_RESULT_PARTIAL } sct_result;
/* The order of steps (docs/algorithm.md). Direct: as generated. Otherwise in groups whose products
 * and transfers overlap: filled with what is ready; filled by cost on a machine; or the cheapest of
 * all orders, for plans of few steps. */
typedef enum sct_schedule { SCT_DIRECT, SCT_GREEDY, SCT_COST, SCT_EXHAUSTIVE } sct_schedule;
/* Ranks start with different steps, so that not all read from one owner; or each with its first. */
typedef enum sct_start { SCT_START_SHIFTED, SCT_START_ALIKE } sct_start;

/* How who computes what is chosen: by estimated times; or, in products that come again, by the
 * times that the first ones take (sectile_wisdom.h). */
typedef enum sct_effort { SCT_ESTIMATE, SCT_MEASURE } sct_effort;

/* The names of these values in texts, such as "auto", "class" or "direct"; "unknown" of others. */
SCT_API const char *sct_stay_name(sct_stay stay);
SCT_API const char *sct_slicing_name(sct_slicing slicing);
SCT_API const char *sct_fetch_name(sct_fetch fetch);
SCT_API const char *sct_result_name(sct_result result);
SCT_API const char *sct_schedule_name(sct_schedule schedule);
SCT_API const char *sct_start_name(sct_start start);
SCT_API const char *sct_effort_name(sct_effort effort);

/* How a rank does its part of the work: sectile_plan.h. */
typedef struct sct_decisions sct_decisions;
/* A described machine: sectile_model.h. */
typedef struct sct_machine sct_machine;

/* A value of `workspace`: no limit. Steps are still cut so that they need little workspace. */
#define SCT_NO_LIMIT SIZE_MAX

/* workspace, prefetch, decisions, the limits in flight and in a group, and machine may differ by
 * rank, if all ranks choose the same work layout. docs/model.md has the details of the defaults. */
typedef struct sct_options {
    size_t size;
    sct_stay stay;
    /* The work layout: which rank computes which part of the product. NULL: the layout of the
     * stationary matrix, or a chosen one. Otherwise a layout of m x n, and its replicas
     * divide k; with SCT_STAY_A of m x k (they divide n), with SCT_STAY_B of k x n (m). */
    const sct_layout *work;
    sct_slicing slicing;
    sct_fetch fetch;
    sct_schedule schedule;
    sct_result result;
    /* The most bytes of workspace that the rank may allocate. 0: the size of its parts of A, B and
     * C, or 256 MiB if they are smaller; a plan that cannot keep this default exceeds it.
     * SCT_NO_LIMIT: any number. */
    size_t workspace;
    /* Only with SCT_DIRECT: how many steps ahead to fetch; 0: none if all ranks share memory, else
     * at least 2; negative: none. */
    int prefetch;
    /* 0: 1 if all ranks share memory, else 2 products and 4 accumulates. */
    int products_in_flight, accumulates_in_flight;
    int sync;    /* nonzero: at the end of each group, wait for all that it started */
    int ordered; /* nonzero: add in a fixed order, for the same bits in every run */
    sct_start start;
    int transfers_in_group; /* not with SCT_DIRECT; 0: twice products_in_flight */
    /* What sct_plan_decisions returned for a plan, or variants of it. NULL: the fastest by a model.
     */
    const sct_decisions *decisions;
    /* The speeds by which the work layout, cuts and costs are chosen. NULL: small nodes on a slow
     * network. Plans do not keep it. */
    const sct_machine *machine;
    /* MEASURE matters to sct_multiply alone, and only if `stay`, `work` and `decisions` leave the
     * choice open and `ordered` is 0. Then `workspace` must be the same on all ranks. */
    sct_effort effort;
} sct_options;

/* Computes C = alpha op(A) op(B) + beta C. A and B have one type, C that type or its sct_type_sum;
 * alpha and beta point to an element of the latter. The replicas of A must be equal, as must those
 * of B, and of C if beta is not 0. Errors: SCT_BAD_ARGUMENT for types or shapes that do not fit, a
 * view outside its matrix, a rank that wrapped NULL, or invalid options; SCT_ALIASED;
 * SCT_WORKSPACE; SCT_TOO_LARGE. Collective. */
SCT_API sct_status sct_multiply(sct_op op_a, sct_op op_b, const void *alpha, sct_view a, sct_view b,
                                const void *beta, sct_view c, const sct_options *options);
/* Copies: to = op(from), in all replicas of `to`. Of the options only `workspace` matters. Errors:
 * as sct_multiply, but SCT_WORKSPACE only if the limit is less than an element. Collective. */
SCT_API sct_status sct_copy(sct_op op, sct_view from, sct_view to, const sct_options *options);

#ifdef __cplusplus
}
#endif

#include <sectile/sectile_choose.h>
#include <sectile/sectile_copy.h>
#include <sectile/sectile_group.h>
#include <sectile/sectile_launch.h>
#include <sectile/sectile_log.h>
#include <sectile/sectile_model.h>
#include <sectile/sectile_plan.h>
#include <sectile/sectile_products.h>
#include <sectile/sectile_simulate.h>
#include <sectile/sectile_tiles.h>
#include <sectile/sectile_wisdom.h>

#endif
