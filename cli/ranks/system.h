/* system.h - what the tool asks the system about itself. */
#ifndef CLI_RANKS_SYSTEM_H
#define CLI_RANKS_SYSTEM_H

#include <stdint.h>

/* How many are there to run threads. */
int system_cores(void);

/* The name of the processor, or "an unknown processor". */
enum { SYSTEM_NAME = 80 };
void system_processor(char name[SYSTEM_NAME]);

/* The most memory, in bytes, that this process has had at a time since it started, or since it last
 * asked to forget that; -1 if the system does not say. Of memory that it shares, what others share
 * now counts as theirs in equal parts. */
int64_t system_peak_memory(void);
void system_forget_peak_memory(void);

#endif
