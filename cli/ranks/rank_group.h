/* rank_group.h - the ranks that work together: threads of this process, or processes of an MPI.
 *
 * Under MPI all processes do the same, each for its own rank, and rank 0 alone says what came of
 * it. What only one of them finds wrong, all learn of where they next meet: every collective
 * function here takes what the caller has found so far, and returns what the lowest rank that
 * failed has found. So whoever fails just goes home, as do the others when they are told.
 *
 * Who waits for others sleeps. */
#ifndef CLI_RANKS_RANK_GROUP_H
#define CLI_RANKS_RANK_GROUP_H

#include "mpi/engine.h"
#include "print/report.h"

struct args;

struct team {
    const struct engine *mpi; /* NULL: not started */
    int process, processes;   /* 0 of 1 without MPI */
    bool by_processes;        /* each rank is a process, and not a thread of this one */
    int ranks;
    int first, count; /* the ranks of this process */
    sct_world *world; /* of processes */
    enum code failed; /* as all know */
    int *codes;       /* of each process */
    int64_t memory;   /* the most that this process has had: see peak.h */
};

/* If an MPI has started the tool, starts it in turn. From then on this process keeps its errors,
 * and, but for rank 0, prints nothing. */
enum code team_open(int count, char **words, struct team *team);
/* Starts any MPI, if none has been. */
enum code team_join(struct team *team);
/* Once it is known what is to be done: who the ranks are. Sets args->nodes to what they reach. */
enum code team_start(struct team *team, struct args *args);
/* The code to exit with, on all ranks. */
enum code team_close(struct team *team, enum code code);

/* Not collective: whether this process says what came of the work. */
bool team_leads(const struct team *team);
/* Not collective: what connects the ranks, by name. */
const char *team_engine(const struct team *team);
/* Likewise: how what is beyond a node is reached; NULL: there is one way only, or nothing is. */
const char *team_path(const struct team *team);
/* For a world of what the arguments say. */
sct_world_options team_options(const struct args *args);

/* The rest is collective. */
enum code team_agree(struct team *team, enum code code);
/* The same; then all go on, as if nothing had failed. What rank 0 has kept says what did. */
enum code team_forgive(struct team *team, enum code code);
/* Completes `items`, one for each rank, of which those of this process are there. */
enum code team_gather(struct team *team, enum code code, void *items, size_t bytes);
/* Gives all what rank 0 has. */
enum code team_spread(struct team *team, enum code code, void *item, size_t bytes);
/* Only where there is MPI: sets the text, too, to that of the lowest rank that failed. */
enum code team_meet(struct team *team, enum code code, char text[REPORT_TEXT]);

#endif
