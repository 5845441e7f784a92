/* rank_group.h - the group of ranks: threads of this process, or processes of an MPI job, or of a
 * launcher such as `sectile launch` whose processes meet without MPI.
 *
 * Under both all processes run the same program, and rank 0 alone prints. A failure of one process
 * becomes known to all in the next collective function: each takes the caller's exit code so far,
 * and returns that of the lowest failed rank. So a process that fails just returns, and the others
 * do when rank 0 says so. Waiting processes sleep. */
#ifndef CLI_RANKS_RANK_GROUP_H
#define CLI_RANKS_RANK_GROUP_H

#include "mpi/engine.h"
#include "print/report.h"

struct args;

struct rank_group {
    sct_launcher launcher;    /* that has started this process */
    const struct engine *mpi; /* or what replaces it without MPI; NULL: not started */
    int process, processes;   /* 0 of 1 without */
    bool by_processes;        /* each rank is a process; otherwise a thread of this one */
    int ranks;
    int first, count; /* ranks of this process */
    sct_world *world; /* if each rank is a process */
    double wait;      /* seconds for which a process waits for others; negative: no limit */
    enum code failed; /* exit code of a failure that all processes know of */
    int *codes;       /* scratch memory: exit codes by process */
    char *wisdom;     /* what is known of products; NULL: not read from --wisdom yet */
    int64_t memory;   /* peak memory of this process in bytes, as noted by peak_note */
    char **words;     /* of the command line */
    int word_count;
    bool in_doubt; /* whether an mpiexec answers, so that MPI has not been started */
    /* Why what has started this process is not known: a failure, but only of what needs ranks. */
    enum code lost;
    char lost_text[REPORT_TEXT];
};

/* Starts MPI if mpiexec started the tool, and its replacement if another launcher did. This process
 * then keeps its errors and, unless it is rank 0, prints nothing. If variables of launchers cannot
 * be read, or it is in doubt whether an mpiexec answers, the group is this process alone until
 * rank_group_need. `words` must stay. */
enum code rank_group_open(int count, char **words, struct rank_group *group);
/* Call before ranks are used. Reports variables of launchers that cannot be read, and starts MPI if
 * rank_group_open did not, as it was in doubt whether an mpiexec answers. */
enum code rank_group_need(struct rank_group *group);
/* Starts whichever MPI is installed, if none has been started. */
enum code rank_group_join(struct rank_group *group);
/* Makes the ranks, once the arguments are known. Sets args->per_node to the ranks per node,
 * and args->gpus. */
enum code rank_group_start(struct rank_group *group, struct args *args);
/* Prints the kept errors and ends MPI. Returns the exit code, the same on all processes. */
enum code rank_group_close(struct rank_group *group, enum code code);

/* Local: true on rank 0's process, which alone reports results. */
bool rank_group_leads(const struct rank_group *group);
/* Local: true under sectile launch, and other launchers without MPI. */
bool rank_group_is_launched(const struct rank_group *group);
/* Local: the name of the engine. */
const char *rank_group_engine(const struct args *args);
/* Local: whether each rank is a process; otherwise all are threads of this one. */
bool rank_group_by_processes(const struct args *args);
/* Local: how processes reach memory that they do not share; NULL if no rank needed to. */
const char *rank_group_path(const struct rank_group *group);
/* The options of an engine. */
union engine_options {
    sct_threads_options threads;
    sct_processes_options processes; /* also of mpi */
    sct_opencl_options opencl;
    sct_cuda_options cuda;
    sct_other_options other;
};
/* Local: the options of a world, from the arguments; `own` is where those of the engine go. */
sct_world_options rank_group_options(const struct args *args, union engine_options *own);

/* The rest is collective. */

/* Returns the exit code of the lowest failed rank. */
enum code rank_group_agree(struct rank_group *group, enum code code);
/* The same, but all processes may go on afterwards. The reason is among rank 0's kept errors. */
enum code rank_group_forgive(struct rank_group *group, enum code code);
/* Completes `items`, which has one item of `bytes` bytes per rank; on entry those of this process's
 * ranks are set. */
enum code rank_group_gather(struct rank_group *group, enum code code, void *items, size_t bytes);
/* Returns one item of `bytes` bytes per process, given the own one. The caller frees them. NULL on
 * failure, with the exit code in *code. */
void *rank_group_collect(struct rank_group *group, enum code *code, const void *own, size_t bytes);
/* Gives all processes the item of rank 0. */
enum code rank_group_spread(struct rank_group *group, enum code code, void *item, size_t bytes);
/* Gives all processes a copy of the text of rank 0, which may be NULL. On other processes *text is
 * NULL before. The caller frees it. */
enum code rank_group_spread_text(struct rank_group *group, enum code code, char **text);
/* For processes only: like rank_group_agree, but with the reason in `text`, which becomes that of
 * the lowest failed rank, and without a lasting effect on the group. */
enum code rank_group_meet(struct rank_group *group, enum code code, char text[REPORT_TEXT]);

#endif
