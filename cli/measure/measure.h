/* measure.h - measures what the ranks can do: GEMMs by shape, copies, additions, barriers. */
#ifndef CLI_MEASURE_MEASURE_H
#define CLI_MEASURE_MEASURE_H

#include "args/args.h"

#include <stdio.h>

enum { MEASURED_TYPES = SCT_BF16 + 1, MEASURED_DIMS = 3 };

/* A link between two ranks. Rates in bytes per second, times in seconds. */
struct measured_link {
    double latency;
    double pair;       /* of one pair alone */
    double each;       /* of each rank while all fetch from each other */
    double accumulate; /* relative to `pair` */
    double processor;  /* processor seconds per byte at each end; negative: unknown */
    double slowed;     /* share of their speed that products lose beside accumulates, in addition */
};

struct measured {
    int ranks, ranks_per_node;
    int rounds;                  /* in: the maximum; out: the number made */
    int64_t size;                /* of the largest GEMMs; in: 0 if it is to be chosen */
    double peak[MEASURED_TYPES]; /* 0: multiplied as another type */
    double half[MEASURED_DIMS];  /* sizes in m, n and k at which a GEMM has half its speed */
    double memory, product, barrier;
    double copied; /* bytes of each copy that was timed */
    double host;   /* of copies between device and host, bytes per second; 0: there is no device */
    struct measured_link near, far; /* far is set if there are several nodes, near if a node has
                                     * several ranks */
};

/* Collective in the sense of rank_group.h. Only rank 0's process gets the result. */
enum code measure_ranks(const struct args *args, enum code code, struct measured *measured);

/* Prints a machine description. */
void measured_print(const struct measured *measured, const struct args *args, FILE *out);

#endif
