/* system.h - properties of this system and process. */
#ifndef CLI_RANKS_SYSTEM_H
#define CLI_RANKS_SYSTEM_H

#include <stdint.h>

/* The number of cores that are online; at least 1. */
int system_cores(void);

/* The name of the processor, or "an unknown processor". */
enum { SYSTEM_NAME = 80 };
void system_processor(char name[SYSTEM_NAME]);

/* The peak memory of this process in bytes, since its start or since the last reset; -1: unknown.
 * Shared memory counts in equal parts for the processes that share it now. */
int64_t system_peak_memory(void);
void system_forget_peak_memory(void);

/* Unless the user sets the number of BLAS threads, sets it to one per rank: restarts the program
 * with the number in its environment, because a BLAS reads it on loading. OpenBLAS could be told
 * later, but has started its threads by then, and another BLAS has no common way to be told.
 * Returns if the number is set already, or cannot be. */
void system_limit_blas_threads(char **words);
/* The number of BLAS threads in force; 0: unknown. */
int system_blas_threads(void);

#endif
