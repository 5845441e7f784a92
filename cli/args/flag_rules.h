/* flag_rules.h - which flags go together: one table. */
#ifndef CLI_ARGS_FLAG_RULES_H
#define CLI_ARGS_FLAG_RULES_H

#include "args/args.h"

/* Says so if a flag was given that contradicts another, or would do nothing beside it. To be asked
 * once engine and ranks are known. */
enum code together_check(enum verb verb, const struct args *args);

#endif
