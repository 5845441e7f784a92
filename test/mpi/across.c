/* across.c - wrapped memory of ranks of the same node is read through the system where it allows
 * that when the memory is wrapped, and otherwise had from its owner. A refusal later is an error.
 * Memory of matrices is read in place, also if it is wrapped again. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <sectile/sectile_mpi.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>

/* ROWS: more lines than a call reads, each too short to join. */
enum { ROWS = 1200, COLS = 40 };

static long calls, most_allowed; /* on this process */

__typeof__(process_vm_readv) __real_process_vm_readv, __wrap_process_vm_readv;

ssize_t __wrap_process_vm_readv(pid_t owner, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags) {
    CHECK(here_count <= IOV_MAX && there_count <= IOV_MAX);
    if (++calls > most_allowed) {
        errno = EPERM;
        return -1;
    }
    return __real_process_vm_readv(owner, here, here_count, there, there_count, flags);
}

/* A matrix whose memory has a gap after each line. */
static sct_matrix *wrap(sct_world *world, const char *text, double **memory) {
    enum { GAP = 3 };
    size_t bytes;
    sct_matrix *matrix = NULL;
    sct_layout *layout = layout_of(text, ROWS, COLS, sct_world_size(world));
    sct_layout_bytes(layout, SCT_F64, sct_world_rank(world), &bytes);
    int64_t ld = COLS + GAP;
    *memory = calloc(ROWS * (size_t)ld, sizeof **memory);
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, *memory, ld, &matrix) == SCT_OK);
    sct_layout_destroy(layout);
    return matrix;
}

/* Returns how often the system was asked. */
static long copy_across(int ranks_per_node, long allowed, sct_status expected) {
    const source pattern = {.seed = 5};
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node},
                                 .path = SCT_PATH_SERVICE};
    sct_world *world;
    double *from_memory, *to_memory;
    calls = 0;
    most_allowed = allowed;
    if (!CHECK(sct_world_create_mpi(MPI_COMM_WORLD, &options, &world) == SCT_OK))
        return -1;
    sct_matrix *from = wrap(world, "cyclic:7x3", &from_memory);
    sct_matrix *to = wrap(world, "row", &to_memory);
    matrix_fill(world, from, pattern);
    CHECK(sct_copy(SCT_N, sct_whole(from), sct_whole(to), NULL) == expected);
    CHECK(expected != SCT_OK || matrix_count_wrong(world, to, pattern) == 0);
    sct_matrix_destroy(from);
    sct_matrix_destroy(to);
    sct_world_destroy(world);
    free(from_memory);
    free(to_memory);
    return calls;
}

/* Wraps a part of the memory of a matrix; one rank wraps memory of its own if `strays`. */
static sct_matrix *wrap_inside(sct_matrix *around, sct_world *world, bool strays, double *memory) {
    sct_block whole;
    int count;
    sct_matrix *matrix = NULL;
    sct_layout *layout = layout_of("row", ROWS, COLS, sct_world_size(world));
    CHECK(sct_matrix_blocks(around, 1, &whole, &count) == SCT_OK && count == 1);
    double *part = strays && sct_world_rank(world) == 1 ? memory : (double *)whole.data + 1;
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, part, whole.ld, &matrix) == SCT_OK);
    sct_layout_destroy(layout);
    return matrix;
}

/* Copies a matrix that is wrapped in another one's memory. Returns how often the system was asked.
 */
static long copy_inside(int ranks_per_node, bool strays) {
    const source pattern = {.seed = 6};
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node},
                                 .path = SCT_PATH_SERVICE};
    sct_world *world;
    calls = 0;
    most_allowed = LONG_MAX;
    if (!CHECK(sct_world_create_mpi(MPI_COMM_WORLD, &options, &world) == SCT_OK))
        return -1;
    sct_layout *wide = layout_of("row", ROWS, COLS + 2, sct_world_size(world));
    sct_layout *cols = layout_of("col", ROWS, COLS, sct_world_size(world));
    double *memory = calloc((size_t)ROWS * (COLS + 2), sizeof *memory);
    sct_matrix *around, *to;
    CHECK(sct_matrix_create(world, SCT_F64, wide, &around) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, cols, &to) == SCT_OK);
    sct_matrix *from = wrap_inside(around, world, strays, memory);
    int near = sct_world_ranks_per_node(world);
    CHECK(sct_matrix_ranks_per_node(from) == (strays ? 1 : near));
    matrix_fill(world, from, pattern);
    CHECK(sct_copy(SCT_N, sct_whole(from), sct_whole(to), NULL) == SCT_OK);
    CHECK(matrix_count_wrong(world, to, pattern) == 0);
    sct_traffic moved = sct_world_traffic(world);
    CHECK((moved.bytes_got == 0) == (!strays && near > 1));
    sct_matrix_destroy(from);
    sct_matrix_destroy(to);
    sct_matrix_destroy(around);
    sct_world_destroy(world);
    sct_layout_destroy(wide);
    sct_layout_destroy(cols);
    free(memory);
    return calls;
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    long all = copy_across(0, LONG_MAX, SCT_OK);
    CHECK_CASE(all > 4, "%ld calls", all);
    CHECK(copy_across(1, LONG_MAX, SCT_OK) == 0); /* emulated nodes do not read each other */
    CHECK(copy_across(0, 0, SCT_OK) > 0);
    CHECK(copy_across(0, 5, SCT_FAILED) > 5); /* two matrices of two others are found by reading */
    CHECK(copy_across(0, all - 1, SCT_FAILED) == all);
    CHECK(copy_inside(0, false) == 0);
    CHECK(copy_inside(1, false) == 0);
    CHECK(copy_inside(0, true) > 0);
    MPI_Finalize();
    return check_report("across");
}
