/* judge.h - decides how a rank does its part of the work: what takes the least time on a machine.
 *
 * The judge knows the rank's work by numbers: its extent in each dimension, the share of each
 * matrix that is remote, and into how many pieces the owners cut a dimension. The planner finds the
 * pieces by slicing, an estimate by arithmetic. */
#ifndef SCT_COST_JUDGE_H
#define SCT_COST_JUDGE_H

#include "cost/workload.h"

/* One dimension of a rank's work, cut by the owners that are kept apart. */
typedef struct sct_judged_pieces {
    double sets;       /* number of pieces */
    bool scattered[2]; /* a piece is not contiguous on that side */
    bool split[2];     /* pieces have different owners on that side */
} sct_judged_pieces;

typedef struct sct_judge {
    const sct_product *product;
    const sct_machine *machine;
    const sct_work_layout *work;
    double boxes;  /* cells of work, all as the largest */
    sct_cell cell; /* the largest */
    double extent[SCT_DIMS];
    /* By level, the share of a moving matrix that ranks out of reach have; and of all levels. */
    double far[SCT_MATS][SCT_MACHINE_LEVELS], all_far[SCT_MATS];
    bool one_writer;    /* of each element of C */
    double room;        /* the usual workspace in bytes; more counts as time */
    double limit;       /* the most workspace; 0: not considered */
    int sums;           /* of products for C that are under way at a time */
    bool gathers, cuts; /* owners may be brought together; pieces may be cut */
    bool alike;         /* each loop begins with its first part */
    /* Finds the pieces with the owners on some sides brought together: bit 0 for side 0, bit 1 for
     * side 1. */
    sct_status (*slice)(void *self, int dim, int gathered, sct_judged_pieces *pieces);
    void *self;
    sct_judged_pieces pieces[SCT_DIMS][4]; /* by dimension and gathered sides, once found */
    bool known[SCT_DIMS][4];
} sct_judge;

/* The sides of a dimension on which owners are brought together, as bits. */
static inline int sct_gathered_sides(const sct_decisions *decisions, int dim) {
    return (decisions->gather[dim][0] != 0) | (decisions->gather[dim][1] != 0) << 1;
}

/* Fills in what follows from the layouts: everything but the options and `slice`. */
void sct_judge_look(const sct_product *product, const sct_machine *machine,
                    const sct_work_layout *work, int rank, sct_judge *judge);

/* Finds the fastest decisions. The caller has set `nest`, and sets `ahead` afterwards. */
sct_status sct_judge_decide(sct_judge *judge, sct_decisions *decisions);

/* Finds the fastest decisions with which all slices that are used again stay in a workspace of
 * `limit` bytes, and with which loop outermost. `*fits` is false, and the decisions are left as
 * they are, if there are none. */
sct_status sct_judge_decide_within(sct_judge *judge, double limit, sct_decisions *decisions,
                                   bool *fits);

/* With decisions whose pieces are known: what the rank computes and moves. */
sct_workload sct_judge_workload(const sct_judge *judge, const sct_decisions *decisions);
/* The same, but fills in where the loops best begin, and how many blocks of a slice are best
 * multiplied one by one, and returns the seconds that it takes. */
double sct_judge_try(const sct_judge *judge, sct_decisions *decisions);
/* The workspace that decisions take, if all slices that are used again stay in it. */
double sct_judge_workspace(const sct_judge *judge, const sct_decisions *decisions);
/* The most indices of a piece. */
double sct_judge_piece(const sct_judge *judge, const sct_decisions *decisions, int dim);

#endif
