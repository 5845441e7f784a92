/* machine.h - which processes are on one machine, whether they still run, and how many consecutive
 * ranks are always together. */
#ifndef SCT_FABRIC_MACHINE_H
#define SCT_FABRIC_MACHINE_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A number shared by processes that may be able to map each other's memory: those of one boot of
 * one system in one network namespace, so that emulated hosts stay apart. */
uint64_t sct_find_machine(void);

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

/* Finds equal items: `first[i]` becomes the number of the first item that equals item i. Items are
 * `pitch` bytes apart, and their first `bytes` bytes are compared. False: no memory. */
bool sct_find_alike(const void *items, size_t pitch, size_t bytes, int count, int *first);

/* The largest number R such that ranks 0 to R - 1, R to 2R - 1 and so on are each on one node.
 * `node` has for each rank any number of its node. */
int sct_ranks_per_node(const int *node, int ranks);

/* What the options of the engine, which all begin alike, ask for; 0: nothing. */
int sct_ranks_per_node_asked(const sct_world_options *options);

#endif
