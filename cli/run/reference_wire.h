/* reference_wire.h - what the tool and the process that only calls the BLAS tell each other. Both
 * are the same program, so structs pass as they are. */
#ifndef CLI_RUN_REFERENCE_WIRE_H
#define CLI_RUN_REFERENCE_WIRE_H

#include "run/reference.h"

#include <stddef.h>

/* First. Then follows, for each turn, an int: how many products come before the one that counts. */
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

/* All bytes, or false. */
bool wire_send(int socket, const void *from, size_t bytes);
bool wire_receive(int socket, void *to, size_t bytes);

#endif
