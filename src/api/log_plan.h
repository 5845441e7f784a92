/* log_plan.h - a plan as a line of the log, and what it could gain. */
#ifndef SCT_API_LOG_PLAN_H
#define SCT_API_LOG_PLAN_H

#include "plan/plan.h"

/* Logs a plan, with the time that it is estimated to take on the machine; NULL: the default
 * machine.
 */
void sct_log_plan(const sct_plan *plan, const sct_machine *machine);

/* Logs how many bytes fewer a plan of the same product would move without a limit on its workspace,
 * if it would. The options are those of the caller, or NULL. */
void sct_log_unlimited(const sct_problem *problem, const sct_options *options,
                       const sct_plan *plan);

#endif
