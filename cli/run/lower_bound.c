/* lower_bound.c - compares what a rank moves with the lower bound, which some rank has to move in
 * any layouts. */
#include "run/lower_bound.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

sct_status lower_bound_find(const struct args *args, const struct burden *burden,
                            struct lower_bound *lower) {
    struct lower_bound found = {.times = 0};
    sct_status status =
        sct_lower_bound_find((sct_type)args->type, args->shape.m, args->shape.n, args->shape.k,
                             (int)args->ranks, burden->memory, &found.bound);
    if (status != SCT_OK)
        return status;
    found.copies = burden->copies;
    found.known = found.bound.bytes > 0 && !burden->copies;
    if (found.known) {
        found.times = (double)(burden->moved + burden->made) / found.bound.bytes;
        found.reduced = (double)burden->reduced / found.bound.bytes;
    }
    *lower = found;
    return SCT_OK;
}

const char *lower_bound_regime(const sct_lower_bound *bound) {
    static const char *const regimes[] = {"1d", "2d", "3d", "memory"};
    return regimes[bound->regime];
}

void lower_bound_json(const struct lower_bound *lower, struct json *json) {
    json_real(json, "bound", lower->bound.bytes);
    json_text(json, "regime", lower_bound_regime(&lower->bound));
    json_real(json, "times_bound", lower->known ? lower->times : NAN);
    json_real(json, "times_bound_reduced", lower->known ? lower->reduced : NAN);
}

void lower_bound_print(int64_t rank, const struct lower_bound *lower) {
    printf("\nLower bound (%s), with one copy of each matrix and balanced work: some rank moves\n"
           "%.6g bytes. ",
           lower_bound_regime(&lower->bound), lower->bound.bytes);
    if (!lower->known) {
        printf("Times that: n/a, as %s.\n",
               lower->copies ? "A or B is replicated" : "nothing has to move");
        return;
    }
    printf("Rank %" PRId64 " moves %.3f times that", rank, lower->times);
    if (lower->reduced > 0)
        printf(",\nand %.3f times that to reduce the replicas of C", lower->reduced);
    puts(".");
}
