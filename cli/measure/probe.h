/* probe.h - single measurements of what the ranks at hand do, and what a rank makes them with. */
#ifndef CLI_MEASURE_PROBE_H
#define CLI_MEASURE_PROBE_H

#include "measure/measure.h"
#include "ranks/worker.h"

enum {
    CUBE = 768, /* large enough for any product to be at its best */
    THIN = 5,   /* sizes that are thin */
    TILE_ROWS = 512,
    TILE_COLS = 2048,
    TILE_BYTES = TILE_ROWS * TILE_COLS * 8,
    BESIDE = 8 /* products while a tile is fetched */
};

/* Where each measurement stands. */
enum { LINK_LATENCY, LINK_PAIR, LINK_ALL, LINK_ADD, LINK_PRODUCTS, LINK_BESIDE, LINK_PROBES };
enum {
    PROBE_BARRIER,
    PROBE_CALL,
    PROBE_MEMORY,
    PROBE_NEAR,
    PROBE_FAR = PROBE_NEAR + LINK_PROBES,
    PROBE_CUBES = PROBE_FAR + LINK_PROBES,
    PROBE_THIN = PROBE_CUBES + MEASURED_TYPES,
    PROBES = PROBE_THIN + 2 * MEASURED_DIMS * THIN
};

enum reach { REACH_OWN, REACH_NEAR, REACH_FAR };

struct bench;

struct probe {
    sct_status (*run)(struct bench *bench, const struct probe *probe); /* NULL: not made here */
    bool alone;                                                        /* by rank 0 */
    int repeats;
    enum reach reach;
    sct_type type;
    int64_t size[MEASURED_DIMS]; /* m, n, k */
    double seconds[MEASURED_ROUNDS];
};

/* What a rank measures with. */
struct bench {
    struct member *member;
    sct_world *world;
    int rank, ranks, ranks_per_node, most_rounds;
    sct_matrix *words, *tiles; /* a number, and two tiles side by side, of each rank */
    double word;
    double *tile, *operand[MATRICES];
    struct probe probes[PROBES];
};

/* Lists all that can be measured here; the list is the same on all ranks. */
void probe_list(struct bench *bench);
double probe_flops(const struct probe *probe);

/* What the times of so many rounds come to. */
void probe_conclude(struct bench *bench, int rounds, struct measured *measured);

#endif
