/* company.h - refuses to work where each of several processes would do all the work, and write the
 * same files. */
#ifndef CLI_RANKS_COMPANY_H
#define CLI_RANKS_COMPANY_H

#include "ranks/rank_group.h"

/* For a group of ranks. */
enum code company_check(const struct rank_group *group);
/* For a process that is to start ranks. */
enum code company_check_start(void);

#endif
