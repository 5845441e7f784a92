/* sectile_choose.h - lower bounds of the bytes that a product moves, and layouts that come near
 * them.
 *
 * Nothing here needs data, a world or a network. docs/choose.md explains the search. sectile.h
 * includes this file. */
#ifndef SECTILE_CHOOSE_H
#define SECTILE_CHOOSE_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Lower bounds ---- */

/* What determines a lower bound: in how many of m, n and k it is best to cut the product, or the
 * memory of a rank. */
typedef enum sct_regime {
    SCT_REGIME_1D,
    SCT_REGIME_2D,
    SCT_REGIME_3D,
    SCT_REGIME_MEMORY
} sct_regime;

/* Some rank must receive or send at least `bytes` bytes, if all ranks do equal work and A and B
 * before the product, and C after it, have one replica each. */
typedef struct sct_lower_bound {
    double bytes;
    sct_regime regime;
} sct_lower_bound;

/* Finds the lower bound for an m x k by k x n product. memory: bytes per rank; 0: no limit. Errors:
 * SCT_BAD_ARGUMENT for a negative dimension or fewer than 1 rank. Not collective. */
SCT_API sct_status sct_lower_bound_find(sct_type type, int64_t m, int64_t n, int64_t k, int ranks,
                                        uint64_t memory, sct_lower_bound *bound);

/* ---- Choice ---- */

/* Which choice is best. */
typedef enum sct_aim {
    /* The least product of time and of the factor by which bytes exceed those of the best grid of
     * m x n x k. */
    SCT_AIM_BOTH,
    SCT_AIM_TIME, /* the least time; of those that take about as long, the fewest bytes */
    SCT_AIM_BYTES /* the fewest bytes moved by the busiest rank; of those, the least time */
} sct_aim;

/* The product, the machine, and what is fixed already. */
typedef struct sct_search {
    size_t size;
    sct_type type;
    int64_t m, n, k;
    int ranks;
    int ranks_per_node;          /* how many share memory; 0: as on the machine, or all */
    const sct_machine *machine;  /* NULL: small nodes on a slow network */
    uint64_t memory;             /* bytes per rank for parts and workspace; 0: no limit */
    const sct_layout *a, *b, *c; /* fixed layouts; NULL: to be chosen */
    /* Nonzero: fixed layouts say where the matrices are, but the product may use others. Then the
     * cost of copying A and B before the product, and C after it, is included. */
    int redistribute;
    /* How many products use the same A and B. Each is charged an equal share of the cost of making
     * their replicas or copying them. 0: one. */
    int uses;
    sct_aim aim;
    /* For all plans. If `slicing` or `schedule` is not the default, both are fixed. If `stay` names
     * a matrix, or `work` is given, who does the work is fixed. NULL: all defaults. */
    const sct_options *options;
} sct_search;

typedef struct sct_choice {
    sct_layout *a, *b, *c;
    sct_stay stay;    /* the stationary matrix, or the matrix whose shape the work layout has */
    sct_layout *work; /* the work layout; NULL: that of the stationary matrix */
    /* The next figures are estimated from plans in direct order, sliced by class, unless the search
     * fixes others. Preparation is making replicas or copying to other layouts. */
    double seconds;         /* of one product and its share of preparation */
    double product_seconds; /* of the product alone */
    uint64_t bytes;         /* moved in one product by the busiest rank */
    uint64_t bytes_made;    /* most bytes moved by a rank in preparation */
    uint64_t bytes_reduced; /* the part of `bytes` that reduces replicas of C */
    double bytes_each;      /* `bytes` plus one product's share of preparation */
    uint64_t memory;        /* parts and workspace of the rank with the most */
    uint64_t workspace;     /* `workspace` to make the plans with */
    int64_t steps;          /* of the rank with the most */
    int64_t transfers;      /* of the rank with the most */
    double imbalance;       /* work of the busiest rank over the mean */
    /* Not the defaults if the product is clearly faster with these in the simulator. */
    sct_slicing slicing;
    sct_schedule schedule;
    /* Seconds of the product with these, all ranks simulated together; 0: not simulated, since that
     * would have been too much work, or the machine has another number of ranks. */
    double simulated;
    /* Seconds by which choices are compared: preparation plus the product, simulated if it was. */
    double expected;
    int planned; /* the number of ranks that were planned for these figures */
} sct_choice;

/* Finds at most `most` choices, best first, and their number. Free them with sct_choices_clear.
 * Errors, with *count 0: SCT_BAD_ARGUMENT if a dimension or `most` is less than 1, for more than
 * 1048576 ranks or more than the machine has, a type whose peak it lacks, or a fixed layout that
 * does not fit; SCT_WORKSPACE if nothing fits the memory (the reason says how much would do) or the
 * limit in options; SCT_FAILED if a product would never end on the machine. Not collective. */
SCT_API sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count);
/* Frees the layouts of `count` choices. No errors. Not collective. */
SCT_API void sct_choices_clear(sct_choice *choices, int count);

#ifdef __cplusplus
}
#endif

#endif
