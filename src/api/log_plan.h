/* log_plan.h - a plan as one line of the log. */
#ifndef SCT_API_LOG_PLAN_H
#define SCT_API_LOG_PLAN_H

#include "plan/plan.h"

/* The time in it is estimated for the machine; NULL: for the default one. */
void sct_log_plan(const sct_plan *plan, const sct_machine *machine);

#endif
