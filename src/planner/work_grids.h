/* work_grids.h - proposes work layouts that belong to none of the matrices: grids of ranks. */
#ifndef SCT_PLANNER_WORK_GRIDS_H
#define SCT_PLANNER_WORK_GRIDS_H

#include "machine/machine.h"
#include "plan/work.h"

typedef struct sct_work_proposals {
    int count;
    sct_work_layout *work;
} sct_work_proposals;

/* Proposes grids m x n x k of the work: those that take the least time to compute and to move data,
 * with at most `limit` bytes of workspace on a rank. Each part of a grid goes to a rank that owns
 * much of what the part needs. The caller clears the proposals. */
sct_status sct_work_propose(const sct_product *product, const sct_machine *machine, double limit,
                            sct_work_proposals *proposals);
void sct_work_proposals_clear(sct_work_proposals *proposals);

/* The factor by which a box of work whose slices `limit` bytes of workspace cannot keep counts as
 * slower than those that it can; 1 if it keeps them. */
double sct_work_box_price(const sct_product *product, double limit, const double box[SCT_DIMS]);

#endif
