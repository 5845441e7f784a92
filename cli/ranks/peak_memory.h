/* peak_memory.h - peak memory of the ranks' processes. */
#ifndef CLI_RANKS_PEAK_MEMORY_H
#define CLI_RANKS_PEAK_MEMORY_H

#include "print/json.h"
#include "ranks/worker.h"

/* In bytes; -1: unknown. */
struct peak {
    int64_t all;  /* sum over processes */
    int64_t most; /* maximum over processes */
};

/* Notes the peak memory of the worker's process; call it while the matrices exist. */
void peak_note(const struct worker *worker);
/* Collective in the sense of rank_group.h: sums up what all processes noted. */
enum code peak_gather(struct rank_group *group, enum code code, struct peak *peak);
/* Adds peak_memory and peak_memory_process to the open object. */
void peak_json(const struct peak *peak, struct json *json);

#endif
