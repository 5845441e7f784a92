/* wire.h - messages between ranks: all that a service needs of a network.
 *
 * A message has a kind and bytes. Messages of one kind from one rank to another arrive in the order
 * in which they were sent. A buffer belongs to the wire until its request is done. */
#ifndef SCT_FABRIC_WIRE_H
#define SCT_FABRIC_WIRE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sct_wire sct_wire;

/* What is under way; its meaning is the wire's. */
typedef uint64_t sct_request;

typedef struct sct_wire_ops {
    void (*close)(sct_wire *wire);
    sct_status (*send)(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                       sct_request *request);
    sct_status (*receive)(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                          sct_request *request);
    /* Whether a message of that kind, of exactly `bytes` bytes, has come from any rank: then it is
     * put in `to`. */
    sct_status (*take)(sct_wire *wire, int kind, void *to, size_t bytes, int *rank, bool *taken);
    sct_status (*test)(sct_wire *wire, sct_request *request, bool *done);
} sct_wire_ops;

/* What every wire begins with. */
struct sct_wire {
    const sct_wire_ops *ops;
    int rank, size;
    size_t most_bytes; /* of one message */
    bool threaded;     /* several threads may call at once */
};

#endif
