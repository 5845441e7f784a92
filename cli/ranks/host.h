/* host.h - which processes of the group are on one host, what memory they have, and how much they
 * took at most. */
#ifndef CLI_RANKS_HOST_H
#define CLI_RANKS_HOST_H

#include "print/json.h"
#include "ranks/rank_group.h"
#include "ranks/worker.h"

struct host {
    uint64_t id;     /* equal for processes of one host */
    int first;       /* the lowest process of this host */
    int processes;   /* of this host */
    int64_t memory;  /* limit in bytes for the ranks of this host; INT64_MAX: none */
    int64_t allowed; /* bytes in the control group, if it limits `memory`; else -1 */
    int64_t beside;  /* bytes of it for what is not matrices, workspace or buffers of files */
};

/* The limit that the host would need for its ranks to have so many bytes as `memory`. */
double host_allowing(const struct host *host, double bytes);

/* Checks, on this process alone, that its ranks have the address space that a BLAS takes: one that
 * gets none may try again without end, as OpenBLAS does. */
enum code host_check_limits(const struct args *args);

/* Both are collective in the sense of rank_group.h. */

/* `limit` is that of --memory; 0: what is available, if ranks compute on the host. */
enum code host_find(const struct args *args, enum code code, struct host *host);
/* Tells how much of the memory `bytes` on each process would take, on the host where it is the
 * most: 1 is all of it. Also returns the sum over all processes. */
enum code host_compare(struct rank_group *group, enum code code, const struct host *host,
                       uint64_t bytes, double *share, double *sum);

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
