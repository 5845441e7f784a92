/* hello.h - what a rank sends first on a connection, which proves that it belongs to the job.
 *
 * All ranks of a wire know a key that rank 0 has drawn for it, and nobody else does. */
#ifndef SCT_FABRIC_SOCKETS_HELLO_H
#define SCT_FABRIC_SOCKETS_HELLO_H

#include "base/hash.h"
#include "base/status.h"
#include "fabric/sockets/socket.h"

/* What a rank sends to all others before they connect: where it listens, and as rank 0, the key. */
typedef struct sct_endpoint {
    sct_siphash_key key;
    sct_addresses addresses;
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

/* Accepts the connections of all higher ranks: fds[r] becomes that of rank r. Listens to all that
 * connect at the same time, and turns strangers away; of very many silent ones, the oldest first.
 * Gives up when no rank has come for some seconds. */
sct_status sct_hello_accept(sct_siphash_key key, int rank, int ranks, int listener, int *fds);
/* The same on rank 0, for ranks that start at different times: waits as long as
 * SECTILE_START_SECONDS allows. All that connect are sent `opening` first. Each rank gets an
 * answer, the hello from rank 0 to it, which proves that rank 0 knows the key too; so does one that
 * is turned away, as its number is too high. One that comes again, since its answer was late,
 * replaces its first connection; `again` becomes the last such rank, or 0. A long wait is logged
 * once; `where`, the address of the listener, is for that. */
sct_status sct_hello_answer(sct_siphash_key key, const sct_opening *opening, int listener,
                            const char *where, int *fds, int *again);

#endif
