/* late_rank.c - a rank is late for every call, and for one of them by 2.5 s: the others wait
 * without using the processor, and the results are right. The argument "single" starts MPI with
 * MPI_THREAD_SINGLE. */
#include "processes/ranks.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <string.h>
#include <time.h>

enum { SIZE = 24, LATE = 1, LONG_MS = 2500, SHORT_MS = 100, BUSY_MS = 800, MATRICES = 4 };

static const double one = 1, zero = 0;

static void come_late(int rank, int ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    if (rank == LATE)
        nanosleep(&time, NULL);
}

/* Processor time of all threads of this process. */
static long busy_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000L + time.tv_nsec / 1000000L;
}

static void set_identity(sct_world *world, sct_matrix *matrix) {
    int ranks = sct_world_size(world);
    for (int64_t i = 0; i < SIZE; i++) {
        int64_t row = 0;
        sct_slice bounds;
        sct_block block;
        do
            CHECK(sct_matrix_tile_bounds(matrix, (sct_tile){row, 0}, &bounds) == SCT_OK);
        while (i >= bounds.rows.hi && ++row < ranks);
        if (row != sct_world_rank(world))
            continue;
        CHECK(sct_matrix_tile(matrix, (sct_tile){row, 0}, 0, &block) == SCT_OK);
        ((double *)block.data)[(i - bounds.rows.lo) * block.ld + i] = 1;
    }
}

/* Multiplies A by the identity and copies the result, which must be A again. */
static void be_late(sct_world *world) {
    static const char *const texts[] = {"cyclic:5x3", "row", "col", "2d"};
    int rank = sct_world_rank(world);
    sct_matrix *matrix[MATRICES];
    source from = {.seed = 3, .most = 50};
    for (int i = 0; i < MATRICES; i++) {
        come_late(rank, SHORT_MS);
        matrix[i] = matrix_new(world, SCT_F64, texts[i], SIZE, SIZE);
        matrix_set(world, matrix[i], (element){0, 0});
    }
    matrix_fill(world, matrix[0], from);
    set_identity(world, matrix[1]);
    come_late(rank, LONG_MS);
    long before = busy_ms();
    CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(matrix[0]), sct_whole(matrix[1]), &zero,
                       sct_whole(matrix[2]), NULL) == SCT_OK);
    long busy = busy_ms() - before;
    CHECK_CASE(busy < BUSY_MS, "rank %d was busy for %ld ms", rank, busy);
    come_late(rank, SHORT_MS);
    CHECK(sct_copy(SCT_N, sct_whole(matrix[2]), sct_whole(matrix[3]), NULL) == SCT_OK);
    CHECK(matrix_count_wrong(world, matrix[3], from) == 0);
    come_late(rank, SHORT_MS);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
}

static void run(sct_world_options options) {
    sct_world *world;
    int rank = ranks_rank();
    options.size = sizeof options;
    come_late(rank, SHORT_MS);
    if (!CHECK(ranks_create_world(ranks_size(), &options, &world) == SCT_OK))
        return;
    be_late(world);
    come_late(rank, SHORT_MS);
    sct_world_destroy(world);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    sct_path usual = ranks_path("");
    run((sct_world_options){.path = usual});
    run((sct_world_options){
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = usual});
    run((sct_world_options){
        .engine_options =
            &(sct_processes_options){.size = sizeof(sct_processes_options), .ranks_per_node = 1},
        .path = SCT_PATH_SOCKETS});
    return check_report("late_rank");
}
