/* hello.h - what a rank sends first on a connection, which proves that it belongs to the job; and
 * the reception at a listener, which distinguishes ranks from strangers.
 *
 * All ranks of a wire know a key that rank 0 has drawn for it, and nobody else does. */
#ifndef SCT_FABRIC_SOCKETS_HELLO_H
#define SCT_FABRIC_SOCKETS_HELLO_H

#include "base/hash.h"
#include "base/status.h"
#include "fabric/sockets/socket.h"

#include <poll.h>

/* The first thing that ranks gather from each other, before their addresses and before they
 * connect: the port at which each listens and, from rank 0, the key. */
typedef struct sct_endpoint {
    sct_siphash_key key;
    int32_t addresses; /* how many */
    in_port_t port;    /* in network order; 0: the rank cannot listen */
} sct_endpoint;

typedef struct sct_hello {
    int32_t rank, wanted; /* who connects to whom */
    uint64_t proof;       /* of both, by the key */
} sct_hello;

/* What rank 0 sends first to whoever connects to it. */
typedef struct sct_opening {
    uint64_t random, ranks; /* a number that nobody can guess; how many ranks there are */
} sct_opening;

sct_hello sct_hello_make(sct_siphash_key key, int rank, int wanted);
/* Whether the proof shows rank `wanted` that the sender is another rank with the key. */
bool sct_hello_is_proven(sct_siphash_key key, const sct_hello *hello, int wanted);

/* ---- Reception ---- */

/* A connection whose hello has not arrived. */
typedef struct sct_caller {
    int fd;
    size_t received; /* bytes of the hello */
    sct_hello hello;
} sct_caller;

/* What to do with the connection of a rank that has proven itself: true if it is kept. */
typedef bool sct_admit(void *context, int rank, int fd);

typedef struct sct_reception {
    sct_siphash_key key;
    int rank;                   /* who receives */
    int listener;               /* -1: none; closed with the reception */
    int watch;                  /* an epoll that is to report callers, as NULL; -1: none */
    const sct_opening *opening; /* sent to each caller; or NULL */
    sct_admit *admit;
    void *context;
    int refused; /* errno, if the last one that called could not be accepted; 0: no */
    int most, count;
    sct_caller *callers; /* the oldest first */
    struct pollfd *watched;
} sct_reception;

/* Makes room for the callers of so many ranks, and for some strangers. */
sct_status sct_reception_open(sct_reception *reception, int ranks);
/* Waits at most so many milliseconds (-1: without limit) until somebody calls or says something,
 * and reads from all of them, in the order in which they called. Strangers are turned away; of very
 * many silent ones, the oldest first. */
void sct_reception_pass(sct_reception *reception, int ms);
void sct_reception_close(sct_reception *reception);

/* Who has come to rank 0 beside those that were missing; 0: nobody. */
typedef struct sct_unexpected {
    int again;  /* the last rank that has come again, */
    int beyond; /* and the last whose number is too high */
} sct_unexpected;

/* On rank 0, for ranks that start at different times: waits until all have come, as long as
 * SECTILE_START_SECONDS allows. fds[r], which is -1, becomes the connection of rank r, if that has
 * come. Fails if no connection can be accepted. All that connect are sent `opening` first. Each
 * rank gets an answer, the hello from rank 0 to it, which proves that rank 0 knows the key too; so
 * does one that is turned away, as its number is too high. One that comes again, since its answer
 * was late, replaces its first connection. A long wait is logged once; `where`, the address of the
 * listener, is for that. The listener stays the caller's. */
sct_status sct_hello_answer(sct_siphash_key key, const sct_opening *opening, int listener,
                            const char *where, int *fds, sct_unexpected *unexpected);

#endif
