/* probe.h - the single measurements, and the data that a rank makes them with: all in memory of its
 * device, which may be the host. */
#ifndef CLI_MEASURE_PROBE_H
#define CLI_MEASURE_PROBE_H

#include "measure/measure.h"
#include "ranks/worker.h"

enum {
    CUBE = 768, /* large enough for the best GEMM speed of a core */
    THIN = 5,   /* number of sizes of a GEMM's one thin dimension */
    TILE_COLS = 2048,
    BESIDE = 8,      /* GEMMs while tiles are fetched or added */
    MOST_TILES = 32, /* so many at most, while these GEMMs run */
};

/* Indices of the measurements. */
enum {
    LINK_LATENCY,
    LINK_PAIR,
    LINK_ALL,
    LINK_ADD,
    LINK_ADD_ALL,
    LINK_PRODUCTS,
    LINK_BESIDE_GETS,
    LINK_BESIDE_ADDS,
    LINK_PROBES
};
enum {
    PROBE_BARRIER,
    PROBE_CALL,
    PROBE_MEMORY,
    PROBE_HOST,
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
    int tiles;   /* to fetch or add beside GEMMs; 0: not known yet */
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
    bool device;  /* memory is out of the host's reach */
    int64_t cube; /* unless it is given, a multiple of CUBE, for the best GEMM speed of this rank */
    int64_t tile_rows; /* of a tile, whose copy takes long enough to be timed well */
    /* One number on each rank; two tiles side by side; a tile to fetch into; operands. */
    sct_matrix *words, *tiles, *landing, *operand[MATRICES];
    double *tile, *of_ranks; /* memory of the host: a tile, a number of each rank */
    struct probe probes[PROBES];
};

/* The bytes of a tile. */
double probe_tile_bytes(const struct bench *bench);
/* Lists the applicable measurements. The list is the same on all ranks. */
void probe_list(struct bench *bench);
/* How many tiles to fetch or add beside GEMMs: so many that this takes about half of their time, by
 * the times of this round. */
void probe_fill(struct probe *link, int round);
double probe_flops(const struct probe *probe);

/* Derives the machine from the times of this many rounds. */
void probe_derive(struct bench *bench, int rounds, struct measured *measured);

#endif
