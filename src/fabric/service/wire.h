/* wire.h - messages between ranks: all that a service needs of a network.
 *
 * A message has a kind, which is at least 0 and small, and bytes. Messages of one kind from one
 * rank to another arrive in the order in which they were sent; others in any order. Who receives a
 * message says beforehand from whom it comes and how long it is; who takes one does not know. A
 * buffer belongs to the wire until its request is done. A request is tested until it is done or has
 * failed, and then no more. */
#ifndef SCT_FABRIC_SERVICE_WIRE_H
#define SCT_FABRIC_SERVICE_WIRE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sct_wire sct_wire;

/* What is under way; its meaning is the wire's. */
typedef uint64_t sct_message;

/* Bytes to send: lines of one width, so far apart from each other. */
typedef struct sct_lines {
    const char *first;
    size_t pitch, width;
    int64_t count;
} sct_lines;

typedef struct sct_wire_ops {
    /* Requests may be under way. */
    void (*close)(sct_wire *wire);
    sct_status (*send)(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                       sct_message *request);
    /* As one message. NULL: the wire does not send lines from where they lie. */
    sct_status (*send_lines)(sct_wire *wire, int rank, int kind, const sct_lines *lines,
                             sct_message *request);
    sct_status (*receive)(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                          sct_message *request);
    /* Whether a message of that kind, of at most `bytes` bytes, has come from any rank: then it is
     * put in `to`. */
    sct_status (*take)(sct_wire *wire, int kind, void *to, size_t bytes, int *rank, bool *taken);
    /* Moves what is under way. */
    sct_status (*progress)(sct_wire *wire);
    /* Waits until there may be something to move, but no longer than so many milliseconds. Another
     * thread may make other calls meanwhile. NULL: the wire cannot tell. */
    void (*await)(sct_wire *wire, int most_ms);
    /* Whether a request is done, as far as was known after the last progress. */
    sct_status (*test)(sct_wire *wire, sct_message request, bool *done);
    /* Gives up what is under way, as far as can be done at once: no buffer of a receive is written
     * any more. */
    void (*cancel)(sct_wire *wire);
} sct_wire_ops;

/* What every wire begins with. Calls of one wire do not overlap. */
struct sct_wire {
    const sct_wire_ops *ops;
    int rank, size;
    size_t most_bytes; /* that a message should have; the same on all ranks */
    bool threaded;     /* calls may come from several threads, one at a time */
};

#endif
