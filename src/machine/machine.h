/* machine.h - a described machine: what a rank computes, and what lies between two ranks.
 *
 * Ranks are numbered so that neighbours are close: a level is groups of consecutive ranks, the
 * smallest groups first, and a pair of ranks belongs to the first level that has both in one group.
 * Rates are in bytes or flops per second, times in seconds; a rate that is not limited is
 * infinite. */
#ifndef SCT_MACHINE_MACHINE_H
#define SCT_MACHINE_MACHINE_H

#include "base/dims.h"
#include "base/type.h"

#include <sectile/sectile_model.h>

enum { SCT_TYPES = SCT_BF16 + 1, SCT_MACHINE_LEVELS = 8, SCT_MACHINE_NAME = 64 };

typedef struct sct_level {
    int64_t ranks; /* in a group; 0: all of them */
    double pair;   /* from one rank to one other */
    double port;   /* from one rank to all others of this level, and from all to one */
    double uplink; /* from one group of the level below to all other such groups, and from all
                      to one: what its ranks share */
    double total;  /* of all pairs of this level in one group: what a switch, or a memory, can do */
    double latency;    /* before the first byte */
    double accumulate; /* how fast adding is, as a share of copying */
    double processor;  /* seconds of its own time that each end spends on a byte */
    bool in_place;     /* products can read and write the other's memory */
    bool by_rank;      /* copies and additions are made by the rank itself, which meanwhile does
                          nothing else */
} sct_level;

struct sct_machine {
    char name[SCT_MACHINE_NAME];
    char *about;            /* a line; NULL: nothing is said */
    char *notes;            /* where its numbers come from: lines, each ended by '\n' */
    int64_t ranks;          /* 0: any number */
    double peak[SCT_TYPES]; /* of one rank; 0: not known */
    double top;             /* the share of the peak that a large product reaches */
    double half[SCT_DIMS];  /* with so many indices in a dimension, half of that */
    double memory;          /* of a rank's own memory, read and written together */
    double product;         /* seconds that every product takes beside its work */
    double barrier;         /* seconds of a meeting of two ranks; of p: times log2 p */
    double slowed; /* by how much products are slower while the rank adds to another's memory: a
                      share of their speed, 0 to 1 */
    int gets, accumulates, products; /* under way at once, of one rank; 0: no limit */
    int levels;
    sct_level level[SCT_MACHINE_LEVELS];
};

/* What is assumed where no machine is described: nodes of so many ranks, on a slow network. */
struct sct_machine sct_machine_plain(int ranks_per_node);

/* The level of two different ranks. */
const sct_level *sct_machine_level(const sct_machine *machine, int rank, int other);
/* How many ranks a group of a level has, of so many ranks in all. */
int64_t sct_level_group(const sct_machine *machine, int level, int ranks);

/* The level of two different ranks. */
int sct_level_between(const sct_machine *machine, int ranks, int rank, int other);

/* Bytes per second of one rank over the links of a level, if all ranks of its groups want as much.
 */
double sct_level_rate(const sct_machine *machine, int level, int ranks);

/* Transfers of a rank that are under way at once. */
double sct_machine_at_once(const sct_machine *machine);

/* Whether a rank itself makes what moves between it and the other, or, as the level next to it
 * does, within its own memory. */
bool sct_machine_by_rank(const sct_machine *machine, int rank, int other);

/* Seconds of one product of a rank, by the roofline: what is slower, its arithmetic or its
 * operands' way from memory. */
double sct_machine_multiply(const sct_machine *machine, sct_type type, int64_t m, int64_t n,
                            int64_t k);
/* Seconds of one copy, or addition, of so many bytes between two ranks that nothing else
 * disturbs; for itself a rank reads and writes its memory. */
double sct_machine_copy(const sct_machine *machine, int rank, int other, double bytes);
double sct_machine_accumulate(const sct_machine *machine, int rank, int other, double bytes);

#endif
