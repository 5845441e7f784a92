/* peak_memory.h - the most memory that the processes of the ranks have had. */
#ifndef CLI_RANKS_PEAK_MEMORY_H
#define CLI_RANKS_PEAK_MEMORY_H

#include "print/json.h"
#include "ranks/worker.h"

/* In bytes; -1: not known. */
struct peak {
    int64_t all;  /* of all processes together */
    int64_t most; /* of one of them */
};

/* For a rank at work: to be called while its matrices are there. */
void peak_note(const struct member *member);
/* Collective, as functions of the team are: adds up what was noted. */
enum code peak_gather(struct team *team, enum code code, struct peak *peak);
/* peak_memory peak_memory_process */
void peak_json(const struct peak *peak, struct json *json);

#endif
