/* sectile.h - C = alpha op(A) op(B) + beta C on matrices spread over many ranks, each in any
 * layout.
 *
 * Simple use: make a world, lay out three matrices, multiply.
 *
 *     static int work(sct_world *world, void *arg) {
 *         sct_layout *rows;
 *         sct_matrix *a;
 *         sct_layout_create_row(1000, 500, sct_world_size(world), &rows);
 *         sct_matrix_create(world, SCT_F64, rows, &a);
 *         ...
 *         sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL);
 *     }
 *     sct_run(4, NULL, work, NULL);
 *
 * Advanced use, in headers that this one includes: make a plan (pure: no data, no memory of a
 * world), bind it to matrices as a job, and run the job often (sectile_plan.h); ask what it would
 * cost on another machine (sectile_model.h); or write an algorithm of one's own on the tile
 * primitives (sectile_tiles.h).
 *
 * Rules for all functions:
 *  - What can fail returns an sct_status; sct_last_reason() then says why, in one line.
 *  - Outputs come last and are written only on success.
 *  - "Collective": every rank of the world calls it, in the same order, with the same arguments
 *    unless said otherwise. If it fails on one rank it fails on all, with the reason of the lowest
 *    such rank. A rank that passes no world and no matrix at all cannot tell the others, who wait.
 *  - Whoever takes a layout or a plan keeps what it needs: the caller may destroy it at once.
 *  - The library never prints, exits, aborts or installs signal handlers, and never changes the
 *    number of threads that the BLAS uses.
 *  - Structs that begin with `size` are set up as { .size = sizeof it }; all else zero means
 *    default.
 */
#ifndef SECTILE_H
#define SECTILE_H

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

#define SCT_VERSION_MAJOR 0
#define SCT_VERSION_MINOR 1
#define SCT_VERSION_PATCH 0

/* ---- Status, types and small values ---- */

typedef enum sct_status {
    SCT_OK = 0,
    SCT_BAD_ARGUMENT, /* an argument that can never be right */
    SCT_TOO_LARGE,    /* a size that does not fit in 64 bits of bytes or elements */
    SCT_NO_MEMORY,    /* the system gave no memory */
    SCT_WORKSPACE,    /* the workspace limit is too small for the plan */
    SCT_DISAGREE,     /* the ranks of a collective call passed different arguments */
    SCT_ALIASED,      /* C shares elements with A or B */
    SCT_UNREACHABLE,  /* the memory asked for is beyond the reach of pointers */
    SCT_NO_ENGINE,    /* the engine asked for is not there */
    SCT_FAILED        /* the system or another rank failed */
} sct_status;

/* cf32 and cf64 are two floats and two doubles: real, imaginary. f16 is the binary16 of IEEE 754,
 * bf16 the upper half of an f32; they are stored so, but multiplied and added up in f32. */
typedef enum sct_type { SCT_F32, SCT_F64, SCT_CF32, SCT_CF64, SCT_F16, SCT_BF16 } sct_type;

/* op(X) is X, its transpose, or its conjugate transpose. */
typedef enum sct_op { SCT_N, SCT_T, SCT_C } sct_op;

/* How a rank's part lies in memory. */
typedef enum sct_order { SCT_ROW_MAJOR, SCT_COL_MAJOR } sct_order;

/* Half-open ranges: [lo, hi). */
typedef struct sct_range {
    int64_t lo, hi;
} sct_range;

typedef struct sct_slice {
    sct_range rows, cols;
} sct_slice;

/* A strided block in this process's memory. `ld` counts elements between two rows (row-major) or
 * two columns (column-major). */
typedef struct sct_block {
    void *data;
    int64_t ld, rows, cols;
    sct_order order;
} sct_block;

/* One line, of the calling thread; "" before any failure. Not collective. */
SCT_API const char *sct_last_reason(void);

/* The name of a status, such as "bad argument". */
SCT_API const char *sct_status_name(sct_status status);

SCT_API size_t sct_type_bytes(sct_type type);
SCT_API const char *sct_type_name(sct_type type);
/* The type that sums of a type are kept in, and alpha and beta given: f32 for f16 and bf16; any
 * other is its own. */
SCT_API sct_type sct_type_sum(sct_type type);

/* Elements of f16 or bf16, which `type` says, to f32, and back, rounded to the nearest, ties to
 * even; beyond the largest is infinity. `halves` may be the last half of the memory of `floats`
 * when widening. Not collective. */
SCT_API void sct_half_widen(sct_type type, int64_t count, const void *halves, float *floats);
SCT_API void sct_half_narrow(sct_type type, int64_t count, const float *floats, void *halves);

/* "major.minor.patch" of the library that is linked. */
SCT_API const char *sct_version(void);

/* ---- Worlds ---- */

typedef struct sct_world sct_world;

/* How an engine moves what is beyond the reach of pointers: by messages that the owner answers,
 * which MPI carries, or TCP connections of the ranks' own; or by a network that gets at its memory.
 */
typedef enum sct_path {
    SCT_PATH_AUTO, /* what is found to work well when the world is made */
    SCT_PATH_SERVICE,
    SCT_PATH_RMA,
    SCT_PATH_SOCKETS
} sct_path;

typedef struct sct_world_options {
    size_t size;
    const char *engine; /* NULL or the engine's name: "threads" for sct_run and sct_world_create */
    /* Ranks that see each other's memory: r and s do if r / ranks_per_node == s / ranks_per_node.
     * 0: all do. What lies beyond is reached by get and accumulate, in an order that `seed` draws.
     */
    int ranks_per_node;
    uint64_t seed;
    int delay_us;      /* at most so long is a transfer between pretended nodes held back */
    int deferred;      /* nonzero: local work runs behind the caller's back, as on a GPU */
    int wrapped_apart; /* nonzero: memory that is wrapped is within reach of its owner alone, as it
                          is between processes */
    sct_path path;     /* of engines that have more than one */
} sct_world_options;

/* How ranks that already exist find each other. allgather: every rank passes `bytes` bytes and
 * receives those of all ranks, in rank order; it returns 0 when done. With the threads engine all
 * ranks must be threads of one process. */
typedef struct sct_bootstrap {
    size_t size;
    int rank, ranks;
    int (*allgather)(void *context, const void *mine, size_t bytes, void *all);
    void *context;
} sct_bootstrap;

/* What one rank does; nonzero says that it failed. */
typedef int sct_main(sct_world *world, void *arg);

/* Runs fn on `ranks` new threads of this process, each with its own handle of one world, and waits
 * for them. Fails if a thread could not be made or some fn returned nonzero. */
SCT_API sct_status sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);

/* Collective over the ranks of the bootstrap. */
SCT_API sct_status sct_world_create(const sct_bootstrap *bootstrap,
                                    const sct_world_options *options, sct_world **world);
/* Collective. Matrices and jobs of the world must be destroyed first. If a rank destroys its world
 * while others are still at work, their collective calls fail and say which rank has left. */
SCT_API void sct_world_destroy(sct_world *world);
SCT_API int sct_world_rank(const sct_world *world);
SCT_API int sct_world_size(const sct_world *world);
/* As in sct_world_options, but never 0: for plans of this world, sct_problem takes it. */
SCT_API int sct_world_ranks_per_node(const sct_world *world);
/* The path that was taken first; SCT_PATH_AUTO: the engine has but one, or none was needed yet. */
SCT_API sct_path sct_world_path(const sct_world *world);
/* Collective. */
SCT_API sct_status sct_world_barrier(sct_world *world);

/* What this rank's fabric and products have moved since the world was made. */
typedef struct sct_traffic {
    uint64_t bytes_got;         /* fetched from ranks beyond the reach of pointers */
    uint64_t bytes_accumulated; /* added into other ranks' memory */
    uint64_t bytes_in_place;    /* of other ranks, read through pointers */
} sct_traffic;
SCT_API sct_traffic sct_world_traffic(const sct_world *world);

/* ---- Layouts ---- */

/* How a rows x cols matrix is cut and dealt to ranks. Immutable; a value without memory of any
 * world. None of these functions is collective. `ranks` is the number of ranks dealt to. */
typedef struct sct_layout sct_layout;

SCT_API sct_status sct_layout_create_row(int64_t rows, int64_t cols, int ranks,
                                         sct_layout **layout);
SCT_API sct_status sct_layout_create_col(int64_t rows, int64_t cols, int ranks,
                                         sct_layout **layout);
/* One block per rank of a grid_rows x grid_cols grid. */
SCT_API sct_status sct_layout_create_2d(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                        sct_layout **layout);

/* Blocks dealt round, as ScaLAPACK does: source_row and source_col own the first block (RSRC,
 * CSRC), which may be shorter (IMB, INB; 0: a whole block). */
typedef struct sct_cyclic {
    size_t size;
    int64_t block_rows, block_cols;
    int grid_rows, grid_cols;
    int source_row, source_col;
    int64_t first_rows, first_cols;
} sct_cyclic;
SCT_API sct_status sct_layout_create_cyclic(int64_t rows, int64_t cols, const sct_cyclic *cyclic,
                                            sct_layout **layout);

/* One axis cut at chosen places. cuts: the `blocks` - 1 inner bounds, not decreasing; owners: for
 * each block the grid coordinate, 0 to grid - 1, that owns it (ignored by sct_layout_create_tiles).
 */
typedef struct sct_cuts {
    int64_t blocks;
    const int64_t *cuts;
    const int *owners;
} sct_cuts;
SCT_API sct_status sct_layout_create_cuts(int64_t rows, int64_t cols, int grid_rows, int grid_cols,
                                          const sct_cuts *row_cuts, const sct_cuts *col_cuts,
                                          sct_layout **layout);
/* Tiles with any owners: owners[i * col_cuts->blocks + j] is the rank, 0 to ranks - 1, of tile (i,
 * j). */
SCT_API sct_status sct_layout_create_tiles(int64_t rows, int64_t cols, int ranks,
                                           const sct_cuts *row_cuts, const sct_cuts *col_cuts,
                                           const int *owners, sct_layout **layout);

/* A new layout: `copies` replicas of `layout`, on so many times its ranks. */
SCT_API sct_status sct_layout_replicate(const sct_layout *layout, int copies,
                                        sct_layout **replicated);
/* A new layout: position i (replica, then row, then column of the grid) lies on rank map[i]; the
 * map has as many entries as the layout has positions, all different. Not for tiles with any
 * owners. */
SCT_API sct_status sct_layout_map_ranks(const sct_layout *layout, const int *map,
                                        sct_layout **mapped);
/* A new layout: parts stored in that order. Layouts are row-major when made. */
SCT_API sct_status sct_layout_store(const sct_layout *layout, sct_order order, sct_layout **stored);

/* Texts: docs/layouts.md. `ranks` is the size of the world that the layout is for. */
SCT_API sct_status sct_layout_parse(const char *text, int64_t rows, int64_t cols, int ranks,
                                    sct_layout **layout);
/* Writes at most `bytes` bytes, always ending in '\0', and returns the length of the whole text. */
SCT_API size_t sct_layout_print(const sct_layout *layout, char *text, size_t bytes);
SCT_API void sct_layout_destroy(sct_layout *layout);

SCT_API int64_t sct_layout_rows(const sct_layout *layout);
SCT_API int64_t sct_layout_cols(const sct_layout *layout);
SCT_API int sct_layout_replicas(const sct_layout *layout);
/* One more than the highest rank that the layout uses. */
SCT_API int sct_layout_ranks(const sct_layout *layout);
SCT_API sct_order sct_layout_order(const sct_layout *layout);
/* The rank that stores element (row, col) in a replica. */
SCT_API int sct_layout_owner(const sct_layout *layout, int replica, int64_t row, int64_t col);
/* The tile that the element belongs to: its block of rows by its block of columns. */
SCT_API sct_slice sct_layout_tile(const sct_layout *layout, int64_t row, int64_t col);
/* The replica where a rank is at home; ranks that the layout does not use are dealt to replicas in
 * turn. */
SCT_API int sct_layout_home(const sct_layout *layout, int rank);
/* Bytes that one rank stores. */
SCT_API sct_status sct_layout_bytes(const sct_layout *layout, sct_type type, int rank,
                                    size_t *bytes);

/* ---- Matrices ---- */

typedef struct sct_matrix sct_matrix;

/* A submatrix. */
typedef struct sct_view {
    sct_matrix *matrix;
    sct_slice slice;
} sct_view;

/* Collective. The memory is not set. */
SCT_API sct_status sct_matrix_create(sct_world *world, sct_type type, const sct_layout *layout,
                                     sct_matrix **matrix);
/* Collective; `part` and `ld` (in elements; 0: dense) are each rank's own. For layouts with a grid.
 */
SCT_API sct_status sct_matrix_wrap(sct_world *world, sct_type type, const sct_layout *layout,
                                   void *part, int64_t ld, sct_matrix **matrix);
/* Collective; for layouts with any owners: this rank's tiles in row-major order of the tile grid.
 * For a layout with a grid one block is this rank's part. */
SCT_API sct_status sct_matrix_wrap_blocks(sct_world *world, sct_type type, const sct_layout *layout,
                                          int count, const sct_block *blocks, sct_matrix **matrix);
/* Collective. Memory that was wrapped stays with its owner. */
SCT_API void sct_matrix_destroy(sct_matrix *matrix);

SCT_API sct_view sct_whole(sct_matrix *matrix);
SCT_API sct_status sct_matrix_view(sct_matrix *matrix, sct_slice slice, sct_view *view);
SCT_API const sct_layout *sct_matrix_layout(const sct_matrix *matrix);
SCT_API sct_type sct_matrix_type(const sct_matrix *matrix);
/* How many ranks see each other's parts, for plans: as of the world, or 1 where wrapped memory can
 * be pointed to by its owner alone. */
SCT_API int sct_matrix_ranks_per_node(const sct_matrix *matrix);

/* ---- Multiply and copy ---- */

typedef enum sct_stay { SCT_STAY_AUTO, SCT_STAY_A, SCT_STAY_B, SCT_STAY_C } sct_stay;
typedef enum sct_slicing { SCT_SLICE_CLASS, SCT_SLICE_TILE } sct_slicing;
/* What is fetched of A and B: what a step uses and cannot use where it lies; or, as in the paper,
 * each tile of another rank that it uses a part of, as far as the tile is in the view. The latter
 * implies SCT_SLICE_TILE. */
typedef enum sct_fetch { SCT_FETCH_SLICE, SCT_FETCH_TILE } sct_fetch;
/* What becomes of a replicated C: all replicas equal; replica 0 right and the others unspecified;
 * or left as partial sums, one to a replica. */
typedef enum sct_result { SCT_RESULT_ALL, SCT_RESULT_ORIGIN, SCT_RESULT_PARTIAL } sct_result;
/* In what order steps are made into groups, whose products and transfers overlap: as the steps
 * come; each group filled with what can be done; filled with what a machine's speeds show to fit
 * together; or the best of all ways, for plans of few steps, others are refused. */
typedef enum sct_schedule { SCT_DIRECT, SCT_GREEDY, SCT_COST, SCT_EXHAUSTIVE } sct_schedule;
/* With which of its steps a rank starts: another one on each, so that not all read from one owner
 * at once; or the first one. */
typedef enum sct_start { SCT_START_SHIFTED, SCT_START_ALIKE } sct_start;

/* A described machine: sectile_model.h. */
typedef struct sct_machine sct_machine;

/* Ranks may differ in workspace, prefetch, machine and what is in flight or in a group; all else
 * must be the same on all. Machines must not differ so that another matrix would stay. */
typedef struct sct_options {
    size_t size;
    sct_stay stay;
    /* The work layout: which rank computes which part of the product. NULL: that of the matrix that
     * `stay` names, or chosen. Otherwise a layout of m x n, whose replicas share k; or with
     * SCT_STAY_A one of m x k, whose replicas share n; or with SCT_STAY_B one of k x n, whose
     * replicas share m. */
    const sct_layout *work;
    sct_slicing slicing;
    sct_fetch fetch;
    sct_schedule schedule;
    sct_result result;
    size_t
        workspace; /* limit per rank in bytes; 0: none, but steps are cut so that it stays modest */
    /* Of SCT_DIRECT, for others 0: steps ahead; 0: none where all ranks are within reach, else the
     * next 2 that lack something, or more if they lack less than 8 to 12 MiB together and there is
     * room; negative: none */
    int prefetch;
    /* 0: 2, and 3 or with four ranks and more 4; or 1 where all ranks are within reach */
    int products_in_flight, accumulates_in_flight;
    int sync;    /* nonzero: wait at the end of each group for all that was begun */
    int ordered; /* nonzero: the same plan hash, BLAS and BLAS threads give the same bits each time
                  */
    sct_start start;
    /* For all orders but SCT_DIRECT, for that 0: transfers of a group; 0: two for each product in
     * flight, of which a group has as many as may be in flight. */
    int transfers_in_group;
    /* Whose speeds SCT_STAY_AUTO, SCT_COST and SCT_EXHAUSTIVE go by; NULL: nodes on a slow network.
     * A plan does not need it any more when it is made. */
    const sct_machine *machine;
} sct_options;

/* Collective. A, B and C are of one type, or C is of that in which sums of A's and B's are kept;
 * alpha and beta point to one element of the latter. A C of f16 or bf16 is rounded once, from the
 * sums, and cannot be left as SCT_RESULT_PARTIAL. If beta is not 0 the replicas of C must be equal
 * on entry. C must not share elements with A or B. */
SCT_API sct_status sct_multiply(sct_op op_a, sct_op op_b, const void *alpha, sct_view a, sct_view b,
                                const void *beta, sct_view c, const sct_options *options);
/* Collective: to = op(from). The two must not share elements. */
SCT_API sct_status sct_copy(sct_op op, sct_view from, sct_view to, const sct_options *options);

#ifdef __cplusplus
}
#endif

#include <sectile/sectile_choose.h>
#include <sectile/sectile_model.h>
#include <sectile/sectile_plan.h>
#include <sectile/sectile_simulate.h>
#include <sectile/sectile_tiles.h>

#endif
