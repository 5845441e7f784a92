/* reference.h - one BLAS call, in a process of its own, for comparison. */
#ifndef CLI_RUN_REFERENCE_H
#define CLI_RUN_REFERENCE_H

#include "ranks/cpu_affinity.h"
#include "run/generated_problem.h"

#include <sys/types.h>

/* The internal verb by which the tool starts itself as that process. */
extern const char reference_verb[];

struct reference {
    int socket;
    pid_t process;
    int warm_ups;   /* products before the timed one in a turn */
    int64_t memory; /* memory of the process beyond its matrices */
};

/* Starts the process with the operands of the problem and as many BLAS threads as ranks, or cores
 * if there are fewer, on the cores of all ranks here; multiplies once. Reports errors. */
enum code reference_start(const struct generated_problem *trial,
                          const struct cpu_affinity *affinity, struct reference *reference);
/* One product there. Returns its seconds, or a negative number if the process is gone. Between
 * turns the process is stopped, because its BLAS threads would spin for a tenth of a second on the
 * ranks' cores. */
double reference_turn(struct reference *reference);
void reference_stop(struct reference *reference);

/* The main function of that process. */
enum code reference_serve(void);

#endif
