/* flag_rules.h - the rules for combinations of flags. */
#ifndef CLI_ARGS_FLAG_RULES_H
#define CLI_ARGS_FLAG_RULES_H

#include "args/args.h"

/* Reports a flag that contradicts another, or has no effect beside it. Call once engine and ranks
 * are known. */
enum code flag_rules_check(enum verb verb, const struct args *args);

#endif
