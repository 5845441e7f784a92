/* probe.h - the single measurements, and the data that a rank makes them with. */
#ifndef CLI_MEASURE_PROBE_H
#define CLI_MEASURE_PROBE_H

#include "measure/measure.h"
#include "ranks/worker.h"

enum {
    CUBE = 768, /* large enough for the best GEMM speed */
    THIN = 5,   /* number of sizes of a GEMM's one thin dimension */
    TILE_ROWS = 512,
    TILE_COLS = 2048,
    TILE_BYTES = TILE_ROWS * TILE_COLS * 8,
    BESIDE = 8 /* GEMMs while a tile is fetched */
};

/* Indices of the measurements. */
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
    /* NULL: not applicable to these ranks. */
    sct_status (*run)(struct bench *bench, const struct probe *probe);
    bool alone;  /* only rank 0 measures; otherwise all ranks at once */
    int repeats; /* runs in one measurement */
    enum reach reach;
    sct_type type;
    int64_t size[MEASURED_DIMS]; /* m, n, k */
    double seconds[MEASURED_ROUNDS];
};

/* The memory and the measurements of one rank. */
struct bench {
    struct worker *worker;
    sct_world *world;
    int rank, ranks, ranks_per_node, most_rounds;
    sct_matrix *words, *tiles; /* one number on each rank, and two tiles side by side */
    double word;
    double *tile, *operand[MATRICES];
    struct probe probes[PROBES];
};

/* Lists the applicable measurements. The list is the same on all ranks. */
void probe_list(struct bench *bench);
double probe_flops(const struct probe *probe);

/* Derives the machine from the times of this many rounds. */
void probe_derive(struct bench *bench, int rounds, struct measured *measured);

#endif
