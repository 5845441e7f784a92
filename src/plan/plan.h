/* plan.h - the plan of one rank: its steps, in order, and what they need.
 *
 * For each cell of the work layout that the rank has there is a box of steps: the pieces of the
 * cell's two dimensions times those of the third, free dimension. A plan stores lists of
 * pieces, not steps; step t is found by arithmetic. Boxes in the same row or column of cells share
 * lists. An order other than direct is stored as a list of groups. */
#ifndef SCT_PLAN_PLAN_H
#define SCT_PLAN_PLAN_H

#include "machine/machine.h"
#include "plan/work.h"

#include <stdatomic.h>

/* In one dimension, the tile that a piece belongs to. For fetching whole tiles. */
typedef struct sct_tile_span {
    sct_span span; /* clipped to the view */
    int64_t uses;  /* this dimension's factor in the number of steps that use the tile */
} sct_tile_span;

/* The pieces of one dimension for one grid coordinate of the work layout (-1: the free
 * dimension). */
typedef struct sct_piece_list {
    int dim, coord;
    int64_t first;    /* number of its first piece; pieces are numbered through all lists */
    int64_t partners; /* pieces of the cell's other dimension that each piece meets, over all boxes
                       */
    sct_pieces pieces;
    sct_tile_span *tile[2]; /* by side and piece; NULL unless whole tiles are fetched */
} sct_piece_list;

/* The order in which a loop visits its pieces. The pieces are arranged in rows of `row` (the last
 * row may be shorter) and visited column by column, cyclically from position `start`. */
typedef struct sct_loop_order {
    int64_t start, row;
} sct_loop_order;

typedef struct sct_box {
    sct_cell cell;      /* of the work layout */
    int list[SCT_DIMS]; /* by dimension */
    sct_loop_order order[SCT_DIMS];
    int64_t first, steps;
} sct_box;

typedef struct sct_slots {
    int64_t count;
    size_t bytes;      /* of each slot, a multiple of 64 */
    int64_t fragments; /* maximum in one operand */
} sct_slots;

/* What one group does, in this order. */
typedef struct sct_step_group {
    int64_t prepare_until; /* fetch the operands of all steps before this position */
    sct_range prefetches;  /* start these prefetches */
    sct_range multiply;    /* multiply the steps at these positions */
} sct_step_group;

typedef struct sct_ordered_step {
    int64_t step; /* number in direct order */
    bool fresh, flush;
} sct_ordered_step;

/* A slice to prefetch: that of A or B (`matrix`) for the step at `position`, the first step that
 * uses it. */
typedef struct sct_prefetch {
    int64_t position;
    int matrix;
} sct_prefetch;

/* The order of the steps, as groups. Each group multiplies some steps, and prefetches slices for
 * later groups. A plan in direct order has no groups: its steps run in the order of their numbers.
 */
typedef struct sct_group_list {
    int64_t count;
    sct_step_group *group;
    sct_ordered_step *ordered; /* by position */
    sct_prefetch *prefetch;
} sct_group_list;

struct sct_plan {
    atomic_int holders;
    sct_product product;
    sct_options options; /* with defaults filled in */
    int rank;
    uint64_t limit;  /* of workspace */
    uint64_t wanted; /* workspace without a limit */
    sct_work_layout work;
    sct_decisions decisions;
    bool exclusive;       /* no other rank writes the elements of C that this rank's steps write */
    bool beta_in_product; /* the first product into each local element of C applies beta */
    bool once;            /* and nothing else is added to it, not even from replicas */
    int lists, boxes;
    sct_piece_list *list; /* list[0] is that of the free dimension */
    sct_box *box;
    int64_t largest[SCT_DIMS]; /* piece in each dimension */
    int64_t steps;
    int64_t stretches;     /* stretches in all lists: reading them takes time too */
    sct_group_list groups; /* empty in direct order */
    int64_t slices;        /* slices of C that are accumulated */
    sct_slots slots[SCT_MATS];
    size_t sums_bytes;   /* memory for f32 sums of the local part of C; 0 unless C is f16 or bf16 */
    size_t reduce_bytes; /* buffer for reducing remote replicas */
    sct_cost cost;
};

/* The most steps with remote operands that are fetched ahead. The walk looks for them among twice
 * as many. */
enum { SCT_MOST_AHEAD = 32 };

sct_status sct_decisions_check(const sct_decisions *decisions);

const sct_plan *sct_plan_hold(const sct_plan *plan);

/* The time to make the plan, in units of one step in direct order. */
static inline int64_t sct_plan_effort(const sct_plan *plan) {
    enum { STRETCHES = 2, ORDERED = 4 };
    int64_t steps = plan->steps * (plan->options.schedule == SCT_DIRECT ? 1 : ORDERED);
    int64_t listing = plan->stretches / STRETCHES;
    return steps > listing ? steps : listing;
}

/* Makes the pieces and boxes, as the decisions say. */
sct_status sct_plan_slice(sct_plan *plan);
void sct_plan_unslice(sct_plan *plan);
/* One dimension of a cell of the rank's work, before it is cut, in which every owner is a class of
 * its own. The free dimension is the same for all cells. */
sct_dimension sct_plan_dimension(const sct_plan *plan, int dim, sct_cell cell);

/* The piece visited at position `turn` of a loop over `count` pieces. */
int64_t sct_loop_order_piece(sct_loop_order order, int64_t turn, int64_t count);

/* This dimension's factor in the number of steps that use one slice of a matrix. */
int64_t sct_plan_partner_count(const sct_plan *plan, const sct_piece_list *list, int matrix);

/* Counts bytes and sizes the workspace. Fails with SCT_WORKSPACE if it exceeds the limit. */
sct_status sct_plan_count(sct_plan *plan);

#endif
