/* running.h - finds whether a process of this machine still runs. */
#ifndef SCT_FABRIC_RUNNING_H
#define SCT_FABRIC_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When a process started, as the system counts; 0: unknown. Of two processes with the same number,
 * one after the other, it identifies which is meant. */
uint64_t sct_running_since(pid_t process);

/* What surely holds of a process that started then (0: at any time). It has ended even if its
 * parent does not know yet; a debugger stops it, too. SCT_RUNS: also if the system does not say.
 */
typedef enum sct_run_state { SCT_RUNS, SCT_IS_STOPPED, SCT_HAS_ENDED } sct_run_state;
sct_run_state sct_run_state_of(pid_t process, uint64_t since);

static inline bool sct_has_ended(pid_t process, uint64_t since) {
    return sct_run_state_of(process, since) == SCT_HAS_ENDED;
}

#endif
