/* machine.h - a described machine: what a rank computes, and the links between ranks.
 *
 * Ranks are numbered so that neighbours are close. A level consists of groups of consecutive ranks,
 * the smallest groups first. A pair of ranks belongs to the first level that has both in one group.
 * Rates are in bytes or flops per second, times in seconds; a rate without a limit is infinite. */
#ifndef SCT_MACHINE_MACHINE_H
#define SCT_MACHINE_MACHINE_H

#include "base/dims.h"
#include "base/type.h"

#include <sectile/sectile_model.h>

enum { SCT_TYPES = SCT_BF16 + 1, SCT_MACHINE_LEVELS = 8, SCT_MACHINE_NAME = 64 };

/* Used where a description does not say. Measured on one core: a BLAS blocks k at about 400
 * whatever the type, and a panel of 2^17 elements is still in the cache when it is read; 8 MiB
 * ahead keep a link of 1 Gbit/s busy. */
enum { SCT_MACHINE_PANEL = 1 << 17, SCT_MACHINE_AHEAD = 8 << 20 };

typedef struct sct_level {
    int64_t ranks;     /* ranks in a group; 0: all */
    double pair;       /* rate from one rank to one other */
    double port;       /* rate from one rank to all others of this level, and from all to one */
    double uplink;     /* rate from one group of the level below to all others, and from all to one;
                        * shared by its ranks */
    double total;      /* rate of all pairs in a group together: a switch, or shared memory */
    double latency;    /* time before the first byte */
    double accumulate; /* speed of accumulating relative to copying */
    double processor;  /* processor seconds per byte at each end */
    bool in_place;     /* products can use the other's memory in place */
    bool by_rank;      /* the rank makes copies and additions itself, and does nothing else
                        * meanwhile */
} sct_level;

struct sct_machine {
    char name[SCT_MACHINE_NAME];
    char *about;            /* one line; NULL: none */
    char *notes;            /* sources of the numbers: lines, each ended by '\n' */
    int64_t ranks;          /* 0: any number */
    double peak[SCT_TYPES]; /* of one rank; 0: unknown */
    double top;             /* share of the peak that large products reach */
    double half[SCT_DIMS];  /* size of a dimension at which products reach half of the speed */
    double capacity;        /* bytes of a rank's memory; 0: unknown */
    double memory;          /* rate of a rank's memory, reads and writes together */
    double panel;           /* elements of a block that stays in a core's cache until it is used */
    double product;         /* seconds per product beside its arithmetic */
    double barrier;         /* seconds of a barrier of two ranks; p ranks: times log2 p */
    double slowed; /* relative slowdown of products while the rank accumulates into another's
                    * memory, 0 to 1 */
    double ahead;  /* bytes that a rank fetches ahead */
    int64_t gets, accumulates, products; /* limits of one rank in flight; 0: none */
    int levels;
    sct_level level[SCT_MACHINE_LEVELS];
};

/* The default machine, with nodes of this many ranks on a slow network; or with GPUs, of which each
 * is shared by this many ranks, joined by fast links. */
struct sct_machine sct_machine_default(int ranks_per_node, bool gpus);

/* The level of two different ranks, and its number when there are `ranks` in total. */
const sct_level *sct_machine_level(const sct_machine *machine, int rank, int other);
int sct_level_between(const sct_machine *machine, int ranks, int rank, int other);
/* The number of ranks in a group of a level, when there are `ranks` in total. */
int64_t sct_level_group(const sct_machine *machine, int level, int ranks);

/* Bytes per second of one rank over the links of a level when all ranks of its groups communicate.
 */
double sct_level_rate(const sct_machine *machine, int level, int ranks);

/* The number of transfers that a rank has under way at once. */
double sct_machine_at_once(const sct_machine *machine);

/* True if the rank itself makes transfers with the other. Within its own memory, the first level
 * decides. */
bool sct_machine_by_rank(const sct_machine *machine, int rank, int other);

/* Seconds of one product by the roofline: arithmetic or memory traffic, whichever is slower. */
double sct_machine_multiply(const sct_machine *machine, sct_type type, int64_t m, int64_t n,
                            int64_t k);
/* Seconds of one undisturbed copy, or addition, between two ranks; within a rank, of reading and
 * writing its memory. */
double sct_machine_copy(const sct_machine *machine, int rank, int other, double bytes);
double sct_machine_accumulate(const sct_machine *machine, int rank, int other, double bytes);

#endif
