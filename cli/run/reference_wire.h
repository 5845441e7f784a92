/* reference_wire.h - the messages between the tool and the reference process. Both are the same
 * program, so structs are sent as they are. */
#ifndef CLI_RUN_REFERENCE_WIRE_H
#define CLI_RUN_REFERENCE_WIRE_H

#include "run/reference.h"

#include <stddef.h>

/* Sent first. Each turn sends an int: the number of products before the timed one. */
struct reference_problem {
    struct shape shape;
    sct_op op[2];
    sct_type type[MATRICES];
    sct_order order[MATRICES];
    struct source source;
    struct number alpha, beta;
};

struct reference_answer {
    double seconds;
    int64_t memory; /* as in struct reference */
};

/* Transfers all bytes; false on failure. */
bool wire_send(int socket, const void *from, size_t bytes);
bool wire_receive(int socket, void *to, size_t bytes);

#endif
