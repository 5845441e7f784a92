/* log_plan.h - a plan as one line of the log. */
#ifndef SCT_API_LOG_PLAN_H
#define SCT_API_LOG_PLAN_H

#include "plan/plan.h"

/* Logs a plan, with the time that it is estimated to take on the machine; NULL: the default
 * machine.
 */
void sct_log_plan(const sct_plan *plan, const sct_machine *machine);

#endif
