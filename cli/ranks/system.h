/* system.h - properties of this system and process. */
#ifndef CLI_RANKS_SYSTEM_H
#define CLI_RANKS_SYSTEM_H

#include <stdint.h>

/* The number of cores for threads. */
int system_cores(void);

/* The name of the processor, or "an unknown processor". */
enum { SYSTEM_NAME = 80 };
void system_processor(char name[SYSTEM_NAME]);

/* The peak memory of this process in bytes, since its start or since the last reset; -1: unknown.
 * Shared memory counts in equal parts for the processes that share it now. */
int64_t system_peak_memory(void);
void system_forget_peak_memory(void);

#endif
