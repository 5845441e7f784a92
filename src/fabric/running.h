/* running.h - tells whether a process of this machine still runs. */
#ifndef SCT_FABRIC_RUNNING_H
#define SCT_FABRIC_RUNNING_H

#include <stdint.h>
#include <sys/types.h>

/* When a process started, as the system counts; 0 if there is no such process, or it has ended and
 * only its parent does not know yet. Two processes with the same number differ in it. */
uint64_t sct_running_since(pid_t process);

#endif
