/* rank_group.h - the group of ranks: threads of this process, or processes of an MPI job.
 *
 * Under MPI all processes run the same program, and rank 0 alone prints. A failure of one process
 * becomes known to all in the next collective function: each takes the caller's exit code so far,
 * and returns that of the lowest failed rank. So a process that fails just returns, and the others
 * do when they are told. Waiting processes sleep. */
#ifndef CLI_RANKS_RANK_GROUP_H
#define CLI_RANKS_RANK_GROUP_H

#include "mpi/engine.h"
#include "print/report.h"

struct args;

struct rank_group {
    const struct engine *mpi; /* NULL: not started */
    int process, processes;   /* 0 of 1 without MPI */
    bool by_processes;        /* each rank is a process */
    int ranks;
    int first, count; /* ranks of this process */
    sct_world *world; /* world of processes */
    enum code failed; /* exit code known to all */
    int *codes;       /* by process */
    int64_t memory;   /* peak memory of this process */
};

/* Starts MPI if it started the tool. This process then keeps its errors and, except rank 0, prints
 * nothing. */
enum code rank_group_open(int count, char **words, struct rank_group *group);
/* Starts any MPI, if none has been started. */
enum code rank_group_join(struct rank_group *group);
/* Makes the ranks, once the arguments are known. Sets args->nodes to the ranks per node. */
enum code rank_group_start(struct rank_group *group, struct args *args);
/* The exit code, on all processes. */
enum code rank_group_close(struct rank_group *group, enum code code);

/* Local: true if this process reports results. */
bool rank_group_leads(const struct rank_group *group);
/* Local: the name of the engine. */
const char *rank_group_engine(const struct rank_group *group);
/* Local: the path between nodes; NULL if there is only one, or none. */
const char *rank_group_path(const struct rank_group *group);
/* Options of a world, from the arguments. */
sct_world_options rank_group_options(const struct args *args);

/* The rest is collective. */
enum code rank_group_agree(struct rank_group *group, enum code code);
/* The same, but then all go on as if nothing had failed. The reason is among rank 0's kept errors.
 */
enum code rank_group_forgive(struct rank_group *group, enum code code);
/* Completes `items`, one per rank; those of this process's ranks are set. */
enum code rank_group_gather(struct rank_group *group, enum code code, void *items, size_t bytes);
/* Broadcasts from rank 0. */
enum code rank_group_spread(struct rank_group *group, enum code code, void *item, size_t bytes);
/* For MPI only: also sets the text to that of the lowest failed rank. */
enum code rank_group_meet(struct rank_group *group, enum code code, char text[REPORT_TEXT]);

#endif
