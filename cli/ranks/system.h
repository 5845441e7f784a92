/* system.h - properties of this system and process. */
#ifndef CLI_RANKS_SYSTEM_H
#define CLI_RANKS_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* The number of cores that are online; at least 1. */
int system_cores(void);

/* The name of the processor, or "an unknown processor". */
enum { SYSTEM_NAME = 80 };
void system_processor(char name[SYSTEM_NAME]);

/* The name of this host; "" if unknown. */
enum { SYSTEM_HOST = 64 };
void system_host(char name[SYSTEM_HOST]);

/* The memory in bytes that this process and others of its host may still take: as far as the
 * system, its control groups and its resource limits allow; -1: unknown. Each of `threads` threads
 * takes some of its address space beside. */
int64_t system_available_memory(int threads);
/* The part of this that the control groups leave, in bytes; -1: they set no limit. If processes
 * take more, the system kills them. */
int64_t system_group_memory(void);
/* Whether the resource limits of this process leave address space for `threads` more threads that
 * call a BLAS. */
bool system_threads_fit(int threads);

/* The peak memory of this process in bytes, since its start or since the last reset; -1: unknown.
 * Shared memory counts in equal parts for the processes that share it now. */
int64_t system_peak_memory(void);
void system_forget_peak_memory(void);

/* Unless the user sets the number of BLAS threads, sets it to one per rank: restarts the program
 * with the number in its environment, because a BLAS reads it on loading. OpenBLAS could be set
 * later, but has started its threads by then, and another BLAS has no common way to be set.
 * Returns if the number is set already, or cannot be. */
void system_limit_blas_threads(char **words);
/* The number of BLAS threads in force; 0: unknown. */
int system_blas_threads(void);

/* Runs it, in a thread of its own if the stack of this one is small, and returns what it returns.
 * Threads that are started afterwards, by libraries too, have as large a stack. */
int large_stack_run(int (*run)(int count, char **words), int count, char **words);

#endif
