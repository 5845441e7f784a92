/* sectile_simulate.h - runs the plans of all ranks in virtual time on a described machine; watches
 * real runs.
 *
 * docs/simulator.md says what is modelled and what is not. sectile.h includes this file. */
#ifndef SECTILE_SIMULATE_H
#define SECTILE_SIMULATE_H

#include <sectile/sectile_model.h>
#include <sectile/sectile_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of a rank's work. */
typedef enum sct_trace_kind {
    SCT_MULTIPLYING,
    SCT_GETTING,      /* a part of an operand from its owner */
    SCT_GATHERING,    /* the same from the local part */
    SCT_ACCUMULATING, /* a contribution to its owner's part of C */
    SCT_SCATTERING,   /* the same to the local part */
    SCT_REDUCING,     /* adds a share of another replica of C to its own replica */
    SCT_SHARING       /* copies a reduced share from another replica of C */
} sct_trace_kind;

/* The lane of a timeline in which work is drawn. */
typedef enum sct_lane { SCT_LANE_COMPUTE, SCT_LANE_GET, SCT_LANE_ACCUMULATE } sct_lane;
enum { SCT_LANES = SCT_LANE_ACCUMULATE + 1 };

/* One product or transfer. */
typedef struct sct_trace_event {
    double begin, end; /* seconds */
    int rank;
    sct_lane lane;
    sct_trace_kind kind;
    int peer;       /* the rank at the other end, which may be itself; -1: a product */
    int64_t step;   /* the step of the rank's plan that it belongs to; -1: none */
    uint64_t bytes; /* moved; 0 for a product */
} sct_trace_event;

/* Functions that the simulator calls: `event` when an event ends, `progress` from time to time.
 * Either may be NULL. */
typedef struct sct_observer {
    size_t size;
    void (*event)(void *context, const sct_trace_event *event);
    void (*progress)(void *context, const char *work, int64_t done, int64_t total);
    void *context;
} sct_observer;

/* How a rank, or the average rank, spends its time. computing: the share of the whole time in which
 * a product is in flight; moving: the same for a transfer to or from another rank. overlap: the
 * time of both at once, as a share of the smaller of the two. */
typedef struct sct_use {
    double computing, moving, overlap;
} sct_use;

typedef struct sct_forecast {
    double seconds;
    double reducing;      /* the part of `seconds` in which replicas of C are reduced */
    double share_of_peak; /* flops over what the peak of all ranks would do in that time */
    sct_use mean, critical;
    int critical_rank; /* the rank that finishes its steps last */
    sct_stay stay;
    uint64_t bytes_moved; /* between ranks, without what products use in place */
    sct_cost cost;        /* the sum over all plans */
} sct_forecast;

/* Simulates a product. The machine's ranks_per_node counts if the problem's is 0. observer may be
 * NULL. Errors: as sct_plan_create; SCT_BAD_ARGUMENT also if the machine has another number of
 * ranks, no links, or no peak for the type; SCT_TOO_LARGE if there are too many links; SCT_FAILED
 * if the product would never end. Not collective. */
SCT_API sct_status sct_simulate(const sct_problem *problem, const sct_options *options,
                                const sct_machine *machine, const sct_observer *observer,
                                sct_forecast *forecast);

/* Reports what this rank does in each later run of a job, as sct_simulate does in virtual time:
 * sct_job_wait calls `event` once for each product, and once for all transfers into or out of one
 * buffer. Times are those of CLOCK_MONOTONIC. Not reported are data that a product reads in place,
 * transfers between replicas of C, and whatever there is no memory to record. If observer is NULL,
 * reporting ends. Errors: SCT_BAD_ARGUMENT. Not collective. */
SCT_API sct_status sct_job_observe(sct_job *job, const sct_observer *observer);

#ifdef __cplusplus
}
#endif

#endif
