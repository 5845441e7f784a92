/* assign.h - the assignment problem: gives each of n workers one of n jobs. */
#ifndef SCT_PLANNER_ASSIGN_H
#define SCT_PLANNER_ASSIGN_H

#include <sectile/sectile.h>
#include <stdbool.h>

enum { SCT_MOST_ASSIGNED = 128 }; /* workers */

/* cost[worker * count + job], not negative. Finds the job of each worker so that the largest cost
 * is small, and then the others. */
sct_status sct_assign(int count, const double *cost, int *job_of);

#endif
