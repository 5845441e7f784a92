/* wire.h - messages between ranks: all that a service needs of a network.
 *
 * A message has a kind, a small number from 0 on, and bytes. Messages of one kind from one rank to
 * another arrive in order; others in any order. A receive names sender and length beforehand; a
 * take accepts any. A buffer belongs to the wire until its request is done. A request is tested
 * until it is done or failed, and not after. */
#ifndef SCT_FABRIC_SERVICE_WIRE_H
#define SCT_FABRIC_SERVICE_WIRE_H

#include "base/rectangle.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sct_wire sct_wire;

/* A request in flight; its meaning is the wire's. */
typedef uint64_t sct_message;

typedef struct sct_wire_ops {
    /* Requests may still be in flight. */
    void (*close)(sct_wire *wire);
    sct_status (*send)(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                       sct_message *request);
    /* Sends lines as one message. NULL: the wire cannot send lines in place. */
    sct_status (*send_lines)(sct_wire *wire, int rank, int kind, const sct_memory *lines,
                             sct_message *request);
    sct_status (*receive)(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                          sct_message *request);
    /* If a message of that kind, of at most `bytes` bytes, has arrived from any rank, stores it in
     * `to`. */
    sct_status (*take)(sct_wire *wire, int kind, void *to, size_t bytes, int *rank, bool *taken);
    /* Moves what is in flight. */
    sct_status (*progress)(sct_wire *wire);
    /* Waits at most so many milliseconds until there may be something to move. Another thread may
     * make other calls meanwhile. NULL: the wire cannot wait. */
    void (*await)(sct_wire *wire, int most_ms);
    /* Whether the last call of progress found a request done. */
    sct_status (*test)(sct_wire *wire, sct_message request, bool *done);
    /* After a failure of any rank, once or more: cancels what can be cancelled at once. No receive
     * buffer is written afterwards. A wire that all ranks have cancelled leaves no message behind
     * that another wire could receive. */
    void (*cancel)(sct_wire *wire);
    /* True if the wire may read the bytes of sends in flight even after it is closed. NULL: it
     * never does. */
    bool (*reads_on)(sct_wire *wire);
    /* Whether a message to that rank needs no new connection. The ranks that are connected, one by
     * one, reach all. NULL: there are no connections. */
    bool (*is_connected)(sct_wire *wire, int rank);
} sct_wire_ops;

/* The common part of every wire. Calls of one wire must not overlap. */
struct sct_wire {
    const sct_wire_ops *ops;
    int rank, size;
    size_t most_bytes; /* preferred maximum size of a message, equal on all ranks */
    bool threaded;     /* calls may come from several threads, one at a time */
};

static inline bool sct_wire_reads_on(sct_wire *wire) {
    return wire->ops->reads_on && wire->ops->reads_on(wire);
}

#endif
