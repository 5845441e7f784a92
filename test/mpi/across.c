/* across.c - wrapped memory of ranks of the same node is read through the system where it allows
 * that when the memory is wrapped, and otherwise had from its owner. A refusal later is an error.
 */
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

ssize_t __real_process_vm_readv(pid_t owner, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t owner, const struct iovec *here, unsigned long here_count,
                                const struct iovec *there, unsigned long there_count,
                                unsigned long flags);

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
    sct_world_options options = {
        .size = sizeof options, .ranks_per_node = ranks_per_node, .path = SCT_PATH_SERVICE};
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

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    long all = copy_across(0, LONG_MAX, SCT_OK);
    CHECK_CASE(all > 4, "%ld calls", all);
    CHECK(copy_across(1, LONG_MAX, SCT_OK) == 0); /* pretended nodes do not read each other */
    CHECK(copy_across(0, 0, SCT_OK) > 0);
    CHECK(copy_across(0, 5, SCT_FAILED) > 5); /* two matrices of two others are found by reading */
    CHECK(copy_across(0, all - 1, SCT_FAILED) == all);
    MPI_Finalize();
    return check_report("across");
}
