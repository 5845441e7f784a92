/* refusals.c - worlds on devices of OpenCL refuse memory of other devices, lists of devices that
 * differ, and parts that are too large for commands. */
#include "opencl/opened.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/elements.h"

#include <string.h>

enum { RANKS = 2, SIZE = 8 };

static void refused(sct_status is, sct_status status, const char *reason) {
    CHECK_CASE(is == status && strstr(sct_last_reason(), reason), "%s: %s", sct_status_name(is),
               sct_last_reason());
}

/* In a world of its own: the memory of a device that is not its own. */
static int use_foreign(sct_world *world, void *arg) {
    const sct_block *foreign = arg;
    sct_matrix *own = matrix_new(world, SCT_F64, "row", SIZE, SIZE), *wrapped = NULL;
    const sct_layout *layout = sct_matrix_layout(own);
    const sct_tile tile = {0, 0};
    const char *reason = "neither of the host nor of the device of rank 0";
    refused(sct_matrix_wrap(world, SCT_F64, layout, foreign->data, 0, &wrapped), SCT_BAD_ARGUMENT,
            reason);
    refused(sct_matrix_get_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    refused(sct_matrix_put_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    refused(sct_matrix_accumulate_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    double host[SIZE * SIZE];
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, host, 0, &wrapped) == SCT_OK);
    sct_matrix_destroy(wrapped);
    sct_matrix_destroy(own);
    return 0;
}

static void run(const char *devices, sct_main *work, void *arg) {
    sct_world_options options = {.size = sizeof options, .engine = "opencl", .devices = devices};
    CHECK_CASE(sct_run(1, &options, work, arg) == SCT_OK, "%s", sct_last_reason());
}

static int lend(sct_world *world, void *arg) {
    sct_matrix *matrix = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    sct_block block = {.data = NULL};
    int count;
    (void)arg;
    CHECK(sct_matrix_blocks(matrix, 1, &block, &count) == SCT_OK && count == 1);
    run("0", use_foreign, &block); /* worlds with the same devices share a context */
    sct_matrix_destroy(matrix);
    return 0;
}

static int make_large(sct_world *world, void *arg) {
    sct_layout *layout = layout_of("row", 1 << 16, 1 << 15, 1);
    sct_matrix *matrix = NULL;
    (void)arg;
    refused(sct_matrix_create(world, SCT_F16, layout, &matrix), SCT_TOO_LARGE,
            "rank 0 would store 2147483648 elements, but its device (OpenCL) reaches 2147483647");
    sct_layout_destroy(layout);
    return 0;
}

static void *join(void *arg) {
    rank_thread *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(self);
    sct_world_options options = {
        .size = sizeof options, .engine = "opencl", .devices = self->rank == 0 ? two_parts : "0,0"};
    sct_world *world = NULL;
    refused(sct_world_create(&bootstrap, &options, &world), SCT_DISAGREE,
            "rank 1 asks for devices '0,0', but rank 0 for '0/2'");
    return NULL;
}

int main(void) {
    rank_thread members[RANKS] = {{.rank = 0}};
    opened_parts();
    run(two_parts, lend, NULL);
    run(two_parts, make_large, NULL);
    rank_threads_run(RANKS, join, members, sizeof *members);
    return check_report("refusals");
}
