/* supervisor.h - keeps started ranks: lets them meet, passes signals on, and ends them all if one
 * fails.
 *
 * The launcher keeps ranks of its own host, or hosts. Each host has a supervisor of its own, which
 * keeps the ranks there and answers to the launcher.
 *
 * A supervisor never waits for one reader: what that one does not take at once is queued. A
 * supervisor and the launcher that both waited for the other to read would wait for ever. */
#ifndef CLI_LAUNCH_SUPERVISOR_H
#define CLI_LAUNCH_SUPERVISOR_H

#include "launch/frame.h"
#include "print/report.h"

#include <sys/types.h>

/* A rank, or a host with its ranks. */
struct member {
    char *host; /* NULL: a rank */
    int first, ranks;
    int ended; /* how many of its ranks have */
    pid_t process;
    bool ready;            /* a host that has answered */
    bool grouped;          /* a rank with a process group of its own */
    int fd;                /* -1: closed */
    struct queue outgoing; /* what it has not read yet */
    struct frame_part received;
    struct frame sent; /* for a rendezvous; no data: nothing yet */
};

struct supervisor {
    struct member *members;
    int count;
    int ranks;                  /* of the members */
    int up, down;               /* to and from the launcher; -1: this is the launcher */
    struct frame_part received; /* from the launcher */
    struct queue out;           /* to the launcher; in the launcher, what hosts have printed */
    int output;   /* what the ranks print, if it is to be passed on; -1: none, or its end */
    int signals;  /* a descriptor that reads signals */
    int code;     /* the exit code so far */
    bool broken;  /* a rank is gone, so that the others no longer meet */
    int stopped;  /* by this signal; 0: not yet */
    bool mute;    /* what hosts print is dropped: it cannot be written, or the time is over */
    bool scarce;  /* there was no memory for something to send */
    int64_t slow; /* when to report which hosts have not answered, in milliseconds; 0: never */
    int64_t next; /* when to end the ranks, in milliseconds; 0: never */
    int signal;   /* how to end them then */
};

/* Makes members that are ranks. Reports errors. */
enum code supervisor_add_ranks(struct supervisor *supervisor, int ranks);
/* Blocks the signals that a supervisor reads, so call it before members are started. Opens
 * `signals`. Reports errors. */
enum code supervisor_prepare(struct supervisor *supervisor);
/* Ends the first members, if no more can be started. */
void supervisor_kill(struct supervisor *supervisor, int started);
/* Returns the exit code, once all ranks have ended. */
int supervisor_run(struct supervisor *supervisor);
/* Frees what a supervisor holds. The system closes its connections when this process ends. */
void supervisor_free(struct supervisor *supervisor);

/* ---- For the parts of a supervisor ---- */

/* Sends a parcel, or a frame made of `data`, to a member; NULL: to the launcher. */
void supervisor_send(struct supervisor *supervisor, struct member *member, struct parcel *parcel);
void supervisor_notify(struct supervisor *supervisor, struct member *member, enum frame_kind kind,
                       const void *data, size_t bytes);
int64_t supervisor_now_ms(void);

#endif
