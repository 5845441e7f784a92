/* reference.h - one plain call of the BLAS, in a process of its own, to compare with. */
#ifndef CLI_RUN_REFERENCE_H
#define CLI_RUN_REFERENCE_H

#include "ranks/cpu_affinity.h"
#include "run/generated_problem.h"

#include <sys/types.h>

/* The verb, not for users, by which the tool starts itself as that process. */
extern const char reference_verb[];

struct reference {
    int socket;
    pid_t process;
    int warm_ups;   /* of a turn: products before the one that counts */
    int64_t memory; /* bytes that the process has had beyond what it multiplies */
};

/* Starts the process and lets it multiply once: the operands of `trial`, with as many threads of
 * the BLAS as there are ranks, or cores if those are fewer, on the cores of all ranks here. Says
 * why if that fails. */
enum code reference_start(const struct trial *trial, const struct seats *seats,
                          struct reference *reference);
/* One product there; its seconds, or a negative number if the process is gone. Between turns the
 * process is stopped, as the threads of its BLAS would look for work for another tenth of a
 * second, on the cores that the ranks need. */
double reference_turn(struct reference *reference);
void reference_stop(struct reference *reference);

/* What that process does. */
enum code reference_serve(void);

#endif
