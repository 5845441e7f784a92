/* reference.h - one call of the BLAS of the host, in a process of its own, to compare products
 * with.
 */
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
    int64_t memory; /* peak memory of the process beyond its matrices, in bytes */
};

/* Starts the process on the cores of all ranks of this host, with min(ranks, cores) BLAS threads
 * and the operands of the problem, and lets it warm up. Reports errors. */
enum code reference_start(const struct generated_problem *generated,
                          const struct cpu_affinity *affinity, struct reference *reference);
/* Lets the process take a turn: warm-ups, and one timed product. Returns the seconds of that, or a
 * negative number if the process is gone. Between turns the process is stopped, because its BLAS
 * threads would spin for a tenth of a second on the ranks' cores. */
double reference_turn(struct reference *reference);
void reference_stop(struct reference *reference);

/* How many products, each of which takes so many seconds, to run before timing begins. */
int reference_warm_ups(double seconds);

/* The main function of that process. */
enum code reference_serve(void);

#endif
