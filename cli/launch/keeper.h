/* keeper.h - keeps started ranks: lets them meet, passes signals on, and ends them all if one
 * fails.
 *
 * The launcher keeps ranks of its own host, or hosts. Each host has a keeper of its own, which
 * keeps the ranks there and answers to the launcher. */
#ifndef CLI_LAUNCH_KEEPER_H
#define CLI_LAUNCH_KEEPER_H

#include "launch/frame.h"
#include "print/report.h"

#include <sys/types.h>

/* A rank, or a host with its ranks. */
struct member {
    const char *host; /* NULL: a rank */
    int first, ranks;
    int ended; /* how many of its ranks have */
    pid_t process;
    bool ready;   /* a host that has answered */
    bool grouped; /* a rank with a process group of its own */
    int fd;       /* -1: closed */
    struct frame_part heard;
    struct frame sent; /* for a meeting; no data: nothing yet */
};

struct keeper {
    struct member *members;
    int count;
    int ranks;               /* of the members */
    int up, down;            /* to and from the launcher; -1: this is the launcher */
    struct frame_part heard; /* from the launcher */
    int output;   /* what the ranks print, if it is to be passed on; -1: none, or its end */
    int signals;  /* a descriptor that reads signals */
    int code;     /* the exit code so far */
    bool broken;  /* a rank is gone, so that the others no longer meet */
    bool mute;    /* the output of hosts can no longer be written */
    int64_t slow; /* when to tell which hosts have not answered, in milliseconds; 0: never */
    int64_t next; /* when to end the ranks, in milliseconds; 0: never */
    int signal;   /* how to end them then */
};

/* Makes members that are ranks. Reports errors. */
enum code keeper_add_ranks(struct keeper *keeper, int ranks);
/* Blocks the signals that a keeper reads, so call it before members are started. Opens `signals`.
 * Reports errors. */
enum code keeper_prepare(struct keeper *keeper);
/* Ends the first members, if no more can be started. */
void keeper_kill(const struct keeper *keeper, int started);
/* Returns the exit code, once all ranks have ended. */
int keeper_run(struct keeper *keeper);

#endif
