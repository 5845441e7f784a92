/* host.h - which processes of the group are on one host, and what memory they have. */
#ifndef CLI_RANKS_HOST_H
#define CLI_RANKS_HOST_H

#include "ranks/rank_group.h"

struct host {
    uint64_t id;    /* equal for processes of one host */
    int first;      /* the lowest process of this host */
    int processes;  /* of this host */
    int64_t memory; /* limit in bytes for the ranks of this host; INT64_MAX: none */
};

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

#endif
