/* plan.h - what one rank does for a product: its steps, in order, and what they need.
 *
 * The rank's cells of the stationary matrix each span a box of steps: the pieces of the cell's two
 * dimensions times those of the third, free dimension. So a plan has lists of pieces, not of steps;
 * step t is found by arithmetic. Lists are shared by the boxes with the same row or column of
 * cells. An order that is not direct is stored beside them. */
#ifndef SCT_PLAN_PLAN_H
#define SCT_PLAN_PLAN_H

#include "machine/machine.h"
#include "plan/groups.h"
#include "plan/product.h"

#include <stdatomic.h>

/* Where the tile lies, in one dimension, that a piece is of. */
typedef struct sct_tile_span {
    sct_span span; /* as far as it is in the view */
    int64_t uses;  /* the dimension's factor of the number of steps that use the tile */
} sct_tile_span;

/* The pieces of one dimension, for one coordinate of the stationary matrix (-1: the free
 * dimension). */
typedef struct sct_list {
    int dim, coord;
    int64_t first;    /* number of its first piece, counted through all lists */
    int64_t partners; /* pieces that each of these meets in the cell's other dimension, over all
                         boxes */
    sct_pieces pieces;
    sct_tile_span *tile[2]; /* by side, for each piece; NULL unless whole tiles are fetched */
} sct_list;

/* How a loop goes through its pieces: as if they stood in rows of `row`, the last of which may be
 * shorter, and were read column by column, from the `start`-th on and round. */
typedef struct sct_tour {
    int64_t start, row;
} sct_tour;

typedef struct sct_box {
    sct_cell cell;      /* of the stationary matrix */
    int list[SCT_DIMS]; /* by dimension, as is the tour */
    sct_tour tour[SCT_DIMS];
    int64_t first, steps;
    int64_t lead; /* which step of the loops comes before all others; 0: none has to be put there */
} sct_box;

/* What is no larger stays in a core's cache while it is used. Elements, not bytes: a panel of small
 * ones that is twice as deep is slower, since a BLAS takes some 400 of k at once. */
enum { SCT_PANEL_ELEMENTS = 1 << 17 };

typedef struct sct_slots {
    int64_t count;
    size_t bytes;      /* of each, a multiple of 64 */
    int64_t fragments; /* at most in one operand */
} sct_slots;

struct sct_plan {
    atomic_int holders;
    sct_product product;
    sct_options options; /* defaults filled in */
    int rank;
    int stay;
    int nest[SCT_DIMS]; /* dimensions, outermost loop first */
    /* In direct order, if how far ahead is fetched is up to the plan: for so many of the next steps
     * that lack something; or 0. */
    int fetches_ahead;
    bool exclusive; /* no other rank's step writes what this rank's steps write, in any replica */
    bool beta_in_product; /* the first product into each element of C can apply beta */
    int lists, boxes;
    sct_list *list; /* list[0] is the free dimension's */
    sct_box *box;
    int64_t largest[SCT_DIMS]; /* piece */
    int64_t steps;
    int64_t stretches; /* of all lists: it takes time to go through them, too */
    sct_agenda agenda; /* empty: direct order */
    int64_t slices;    /* of C that are accumulated */
    sct_slots slots[SCT_MATS];
    size_t sums_bytes;   /* of memory for the sums of C, if C itself cannot hold them */
    size_t reduce_bytes; /* of buffer, to add a replica that is beyond reach */
    sct_cost cost;
};

const sct_plan *sct_plan_hold(const sct_plan *plan);

/* How many steps of direct order, in large pieces, take as long to plan. */
static inline int64_t sct_plan_effort(const sct_plan *plan) {
    enum { STRETCHES = 2, ORDERED = 4 };
    int64_t steps = plan->steps * (plan->options.schedule == SCT_DIRECT ? 1 : ORDERED);
    int64_t listing = plan->stretches / STRETCHES;
    return steps > listing ? steps : listing;
}

/* Cuts the dimensions into pieces of at most most[dim] indices (0: no limit) and lays out the
 * boxes. */
sct_status sct_plan_slice(sct_plan *plan, const int64_t most[SCT_DIMS]);
void sct_plan_unslice(sct_plan *plan);

/* The indices of a dimension that the rank's cells of the stationary matrix have, in all; of the
 * free one, its replica. */
double sct_plan_breadth(const sct_plan *plan, int dim);
/* Whether what each owner has of the free dimension, not in C's lines, both comes from it and
 * leaves to it, and more comes than leaves. */
bool sct_plan_comes_and_leaves(const sct_plan *plan);
/* How a box's loop over one dimension goes. */
sct_tour sct_plan_tour(const sct_plan *plan, const sct_box *box, int dim);
/* Which of a box's steps, as its loops go, is to come first, since the first has to be waited for;
 * or 0. */
int64_t sct_plan_lead(const sct_plan *plan, const sct_box *box);
/* The piece that it takes in a turn, of so many. */
int64_t sct_tour_piece(sct_tour tour, int64_t turn, int64_t count);

/* Finds the tiles that the pieces are of. */
sct_status sct_plan_find_tiles(sct_plan *plan);
/* The dimension's factor of the number of steps that use one slice of a matrix. */
int64_t sct_plan_meetings(const sct_plan *plan, const sct_list *list, int matrix);

/* Counts the bytes and sizes the workspace; fails if the limit does not hold. */
sct_status sct_plan_count(sct_plan *plan);

#endif
