/* soak.c - ten thousand products in one run leave nothing behind: no memory, descriptors, threads
 * or communicators of an MPI. */
#include "processes/ranks.h"
#include "support/check.h"
#include "support/usage.h"
#include "whole/support/elements.h"

#include <stdio.h>
#include <stdlib.h>

/* SLACK: bytes that an MPI or an allocator may keep. */
enum { SLACK = 100000, FIRST = 300, SIZE = 8, MATRICES = 3 };

static const double one = 1, zero = 0;

static void compare(const char *what, usage before, usage after) {
    CHECK_CASE(after.bytes - before.bytes < SLACK, "%s: %ld bytes more", what,
               after.bytes - before.bytes);
    CHECK_CASE(after.maps - before.maps < 30, "%s: %ld maps of memory more", what,
               after.maps - before.maps);
    CHECK_CASE(after.threads == before.threads && after.descriptors == before.descriptors,
               "%s: %d threads and %d descriptors; before, %d and %d", what, after.threads,
               after.descriptors, before.threads, before.descriptors);
}

/* If C is f16, each product allocates fabric memory for its sums. */
static void make(sct_world *world, sct_type type, sct_matrix *matrix[MATRICES]) {
    static const char *const texts[] = {"row", "col", "2d"};
    for (int i = 0; i < MATRICES; i++) {
        matrix[i] = matrix_new(world, type, texts[i], SIZE, SIZE);
        matrix_set(world, matrix[i], (element){1, 0});
    }
}

static void destroy(sct_matrix *matrix[MATRICES]) {
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
}

static void multiply(sct_type type, sct_matrix *matrix[MATRICES]) {
    const float single = 1, none = 0;
    bool half = type == SCT_F16;
    CHECK(sct_multiply(SCT_N, SCT_N, half ? (const void *)&single : &one, sct_whole(matrix[0]),
                       sct_whole(matrix[1]), half ? (const void *)&none : &zero,
                       sct_whole(matrix[2]), NULL) == SCT_OK);
}

static void run(const char *what, sct_world_options options, sct_type type, int products) {
    sct_world *world;
    sct_matrix *matrix[MATRICES];
    options.size = sizeof options;
    if (!CHECK(ranks_create_world(ranks_size(), &options, &world) == SCT_OK))
        return;
    usage before = usage_now();
    make(world, type, matrix);
    CHECK_CASE(usage_now().descriptors == before.descriptors, "%s: matrices take descriptors",
               what);
    for (int i = 0; i < products + FIRST; i++) {
        if (i == FIRST)
            before = usage_now();
        multiply(type, matrix);
    }
    compare(what, before, usage_now());
    for (int i = 0; i < 64;
         i++) { /* creating and destroying matrices leaves nothing behind either */
        destroy(matrix);
        make(world, type, matrix);
    }
    compare(what, before, usage_now());
    destroy(matrix);
    sct_world_destroy(world);
}

/* Many worlds in succession: an MPI has only a few thousand communicators. */
static void run_worlds(int worlds, sct_path usual) {
    usage before = {0};
    for (int i = 0; i < worlds; i++) {
        sct_world_options options = {
            .size = sizeof options,
            .engine_options = &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                       .ranks_per_node = i % 2},
            .path = i % 4 < 2 ? usual : SCT_PATH_SOCKETS};
        sct_world *world;
        if (i == worlds / 3)
            before = usage_now();
        if (!CHECK_CASE(ranks_create_world(ranks_size(), &options, &world) == SCT_OK,
                        "world %d: %s", i, sct_last_reason()))
            return;
        sct_world_destroy(world);
    }
    compare("worlds", before, usage_now());
}

int main(int argc, char **argv) {
    long scale = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    ranks_start(1, argv);
    sct_path usual = ranks_path("");
    run("near", (sct_world_options){.path = usual}, SCT_F64, 10000 * (int)scale);
    run("sums", (sct_world_options){.path = usual}, SCT_F16, 1000 * (int)scale);
    run("far",
        (sct_world_options){.engine_options =
                                &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                         .ranks_per_node = 1},
                            .path = usual},
        SCT_F64, 500 * (int)scale);
    run("sockets",
        (sct_world_options){.engine_options =
                                &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                         .ranks_per_node = 1},
                            .path = SCT_PATH_SOCKETS},
        SCT_F64, 500 * (int)scale);
    if (usual != SCT_PATH_AUTO) /* an MPI */
        run("rma",
            (sct_world_options){.engine_options =
                                    &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                             .ranks_per_node = 1},
                                .path = SCT_PATH_RMA},
            SCT_F64, 500 * (int)scale);
    run_worlds(300 * (int)scale, usual);
    return check_report("soak");
}
