/* measure.h - what the ranks at hand do: products by shape, copies, additions, meetings. */
#ifndef CLI_MEASURE_MEASURE_H
#define CLI_MEASURE_MEASURE_H

#include "args/args.h"

#include <stdio.h>

enum { MEASURED_TYPES = SCT_CF64 + 1, MEASURED_DIMS = 3 };

/* Between two ranks. Rates are in bytes per second, times in seconds. */
struct measured_link {
    double latency;
    double pair;       /* nothing else under way */
    double each;       /* of each rank, while all get from another */
    double accumulate; /* as a share of `pair` */
    double processor;  /* seconds for a byte at each end; negative: not known */
};

struct measured {
    int ranks, ranks_per_node;
    int rounds; /* at most; then, that were made */
    double peak[MEASURED_TYPES];
    double half[MEASURED_DIMS]; /* of m, n, k */
    double memory, product, barrier;
    struct measured_link near, far; /* far: if ranks_per_node < ranks; near: if it is not 1 */
};

/* Collective, as functions of the team are: done by all ranks, known to rank 0. */
enum code measure_ranks(const struct args *args, enum code code, struct measured *measured);

/* A text that describes a machine. */
void measured_print(const struct measured *measured, const struct args *args, FILE *out);

#endif
