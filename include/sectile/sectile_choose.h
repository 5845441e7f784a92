/* sectile_choose.h - how little a product can move, and the layouts that come near to it.
 *
 * Nothing here needs data, a world or a network. sectile.h includes this file. */
#ifndef SECTILE_CHOOSE_H
#define SECTILE_CHOOSE_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Lower bounds ---- */

/* What keeps a product from moving less: how many of its dimensions it is best cut in, or the
 * memory of a rank. */
typedef enum sct_regime {
    SCT_REGIME_1D,
    SCT_REGIME_2D,
    SCT_REGIME_3D,
    SCT_REGIME_MEMORY
} sct_regime;

/* Bytes that some rank has to receive or to send, if all ranks do as much work and there is one
 * copy of A and B before and of C after. */
typedef struct sct_lower_bound {
    double bytes;
    sct_regime regime;
} sct_lower_bound;

/* memory: bytes of each rank; 0: no limit. */
SCT_API sct_status sct_lower_bound_find(sct_type type, int64_t m, int64_t n, int64_t k, int ranks,
                                        uint64_t memory, sct_lower_bound *bound);

/* ---- Choice ---- */

typedef enum sct_aim {
    /* The least time; but the first choice moves no more than 1.02 times what a rank does of the
     * best grid of m x n x k, if any that shares the work as evenly does. */
    SCT_AIM_BOTH,
    SCT_AIM_TIME, /* the least time; of those that take as long, the least bytes */
    SCT_AIM_BYTES /* the least bytes moved by the busiest rank; of those, the least time */
} sct_aim;

/* What is to be multiplied on what, and what is settled. */
typedef struct sct_search {
    size_t size;
    sct_type type;
    int64_t m, n, k;
    int ranks;
    int ranks_per_node;          /* as in sct_world_options */
    const sct_machine *machine;  /* NULL: nodes like this one, on a slow network */
    uint64_t memory;             /* bytes of each rank, parts and workspace; 0: no limit */
    const sct_layout *a, *b, *c; /* fixed; NULL: to be chosen */
    /* Nonzero: fixed layouts are where matrices lie, and may be left: that A and B are copied
     * before, and C after, is charged. */
    int redistribute;
    /* How often A and B are used: what making replicas of them, or copying them, costs is divided
     * by it. 0: once. */
    int uses;
    sct_aim aim;
    /* Stay, if it is settled. If slicing and schedule are not the defaults both are settled. NULL:
     * all defaults. */
    const sct_options *options;
} sct_search;

typedef struct sct_choice {
    sct_layout *a, *b, *c;
    sct_stay stay;
    /* Of a product, and its share of what is made before and after, as reckoned in default slicing
     * and order. */
    double seconds;
    double product_seconds; /* of the product alone */
    uint64_t bytes;         /* moved by the busiest rank, of those that were planned */
    uint64_t bytes_made;    /* that it moved to make replicas of A and B, or to copy them and C */
    uint64_t bytes_reduced; /* of `bytes`: to add up replicas of C */
    double bytes_each;      /* `bytes`, and of what is made the share of one product */
    uint64_t memory;        /* of the rank that takes the most, parts and workspace */
    uint64_t workspace;     /* limit with which plans have to be made to fit; 0: they do without */
    int64_t steps;          /* of the rank that has the most */
    int64_t transfers;      /* of the rank that has the most */
    double imbalance;       /* work of the rank that has the most, over the mean of all ranks */
    /* Others than the defaults if by the simulator the product takes clearly less with them. */
    sct_slicing slicing;
    sct_schedule schedule;
    double simulated; /* seconds of the product with these; 0: it cannot be simulated */
    /* Nonzero: so simulated were some ranks, each alone with its share of what ranks share; 0: all
     * together, which may have been too much work. */
    int alone;
    /* Seconds by which choices are compared: of what is made and of the product, as simulated; what
     * ranks did alone is taken for longer. */
    double expected;
    int planned; /* ranks of whose plans all this is; they may be a sample */
} sct_choice;

/* The best `most` choices, best first; says how many there are, none if it fails. The best by
 * `seconds` are sorted by `expected`, but for the first where both time and bytes count. If none
 * fits into the memory, the reason tells of an amount into which some do. */
SCT_API sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count);
/* The layouts of the choices. */
SCT_API void sct_choices_clear(sct_choice *choices, int count);

#ifdef __cplusplus
}
#endif

#endif
