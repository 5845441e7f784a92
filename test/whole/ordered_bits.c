/* ordered_bits.c - with the option `ordered`, a plan run up to a hundred times under random delays
 * gives the same bits each time. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/operands.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_RUNS = 100, SIZE = 24 };

typedef struct ordered {
    operands_spec spec;
    int64_t changes[16]; /* by rank */
} ordered;

static void hash_element(void *context, int64_t row, int64_t col, void *at) {
    uint64_t *hash = context, bits = 0;
    (void)row;
    (void)col;
    memcpy(&bits, at, 4);
    *hash = (*hash ^ bits) * 1099511628211u;
    memcpy(&bits, (char *)at + 4, 4);
    *hash = (*hash ^ bits) * 1099511628211u;
}

/* In how many runs the bits of this rank's part of C differ from those of the first run. */
static int64_t count_changes(sct_world *world, sct_job *job, const sct_matrix *c) {
    double alpha[2] = {0.7, 0}, beta[2] = {0.3, 0};
    uint64_t first = 0;
    int64_t changes = 0, runs = check_cases(MOST_RUNS);
    for (int run = 0; run < runs; run++) {
        uint64_t hash = 1;
        matrix_fill(world, c, (source){3, 0});
        CHECK(sct_world_barrier(world) == SCT_OK);
        CHECK(sct_job_start(job, alpha, beta) == SCT_OK && sct_job_wait(job) == SCT_OK);
        matrix_read(world, c, hash_element, &hash);
        first = run == 0 ? hash : first;
        changes += hash != first;
    }
    return changes;
}

static int run_ordered(sct_world *world, void *context) {
    ordered *o = context;
    operands made;
    operands_create(world, &o->spec, &made);
    o->changes[sct_world_rank(world)] = count_changes(world, made.job, made.matrix[2]);
    operands_destroy(&made);
    return 0;
}

int main(void) {
    static const char *const layouts[][3] = {{"col", "row", "2d"},
                                             {"col", "row", "row@1"},
                                             {"2d", "2d", "cyclic:3x5*2"},
                                             {"cuts:5,9x7@3,1,2,0,3,1", "row", "col"}};
    uint64_t seed = check_seed(1);
    for (int which = 0; which < 4; which++)
        for (int stay = SCT_STAY_A; stay <= SCT_STAY_B; stay++) {
            sct_options options = {.size = sizeof options,
                                   .stay = (sct_stay)stay,
                                   .schedule = (sct_schedule)((which + stay) % SCT_EXHAUSTIVE),
                                   .ordered = 1};
            ordered o = {
                .spec = {.layout = {layouts[which][0], layouts[which][1], layouts[which][2]},
                         .type = which % 2 ? SCT_CF64 : SCT_F64,
                         .size = SIZE,
                         .options = &options}};
            emulated_options emulated = {.host = 1,
                                         .ranks_per_node = 2,
                                         .seed = seed++,
                                         .delay_us = 20,
                                         .deferred = which % 2};
            const sct_world_options world = emulated_world(&emulated);
            CHECK(sct_run(4, &world, run_ordered, &o) == SCT_OK);
            for (int rank = 0; rank < 4; rank++)
                CHECK_CASE(o.changes[rank] == 0,
                           "layouts %d, stay %d, rank %d: %" PRId64 " changes", which, stay, rank,
                           o.changes[rank]);
        }
    return check_report("ordered_bits");
}
