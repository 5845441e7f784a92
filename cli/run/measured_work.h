/* measured_work.h - the work layout of a product as it was measured, now or earlier. */
#ifndef CLI_RUN_MEASURED_WORK_H
#define CLI_RUN_MEASURED_WORK_H

#include "args/problem.h"

/* Collective in the sense of rank_group.h: replaces the work layout that was estimated by that of
 * the wisdom in the file of --wisdom. With --effort measure, one that it lacks is measured, and the
 * file is written anew. Reports errors. */
enum code measured_work_decide(struct problem *problem);
/* Without --effort: of this process alone. */
enum code measured_work_recall(struct problem *problem);

#endif
