/* workload.h - what a rank computes and moves, and how long that takes on a machine.
 *
 * A workload is totals, not a sequence: computation, and bytes for each level of the machine. Its
 * time is the larger of computing and moving, plus what cannot overlap. */
#ifndef SCT_COST_WORKLOAD_H
#define SCT_COST_WORKLOAD_H

#include "machine/machine.h"
#include "plan/plan.h"

/* Bytes between a rank and the others of one level. */
typedef struct sct_level_traffic {
    double read;  /* in place, by products */
    double got;   /* into the rank's memory */
    double added; /* accumulated into memory of others */
    /* What others do with its own part; the most of any rank. */
    double served;   /* fetched by others */
    double received; /* accumulated by others */
    double messages;
} sct_level_traffic;

typedef struct sct_workload {
    double computing; /* seconds of products */
    double steps;     /* parts of the work; while the last one is computed nothing is fetched */
    double alone;     /* seconds of the first fetch and the last sending, which no product hides */
    double copied;    /* bytes copied within its own memory */
    sct_level_traffic traffic[SCT_MACHINE_LEVELS];
} sct_workload;

/* The workload of a plan. */
sct_status sct_workload_of_plan(const sct_plan *plan, const sct_machine *machine,
                                sct_workload *work);

/* Bytes that the rank fetches, reads in place and accumulates. */
double sct_workload_bytes(const sct_machine *machine, const sct_workload *work);
double sct_workload_seconds(const sct_machine *machine, int ranks, const sct_workload *work);

#endif
