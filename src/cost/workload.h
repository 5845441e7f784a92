/* workload.h - what a rank has to do, and how long that takes on a machine.
 *
 * A load is sums, not a sequence: of computation, and of bytes for each level of the machine. Its
 * time is what the slower of the two takes, and what of the other cannot be hidden behind it. */
#ifndef SCT_COST_WORKLOAD_H
#define SCT_COST_WORKLOAD_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Bytes between a rank and the others of a level. */
typedef struct sct_flow {
    double read;  /* by products, where they lie */
    double got;   /* into memory of its own */
    double added; /* to memory of others */
    double given; /* by the busiest owner, to others or from them */
    double messages;
} sct_flow;

typedef struct sct_load {
    double computing; /* seconds of products */
    double steps;     /* that these are */
    double copied;    /* bytes that it moves within its own memory */
    sct_flow flow[SCT_MACHINE_LEVELS];
} sct_load;

/* What a rank does in the steps of its plan. */
sct_status sct_load_plan(const sct_plan *plan, const sct_machine *machine, sct_load *load);

/* Bytes that the rank gets, reads and adds. */
double sct_load_bytes(const sct_machine *machine, const sct_load *load);
double sct_load_seconds(const sct_machine *machine, int ranks, const sct_load *load);

#endif
