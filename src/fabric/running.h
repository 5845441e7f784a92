/* running.h - tells whether a process of this machine still runs. */
#ifndef SCT_FABRIC_RUNNING_H
#define SCT_FABRIC_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When a process started, as the system counts; 0: unknown. Of two processes with the same number,
 * one after the other, it tells which is meant. */
uint64_t sct_running_since(pid_t process);

/* True if a process that started then (0: at any time) has surely ended, even if its parent does
 * not know yet. */
bool sct_has_ended(pid_t process, uint64_t since);

#endif
