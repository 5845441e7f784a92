/* sectile_simulate.h - the plans of all ranks in virtual time, on a described machine.
 *
 * docs/simulator.md says what is modelled and what is not. sectile.h includes this file. */
#ifndef SECTILE_SIMULATE_H
#define SECTILE_SIMULATE_H

#include <sectile/sectile_model.h>
#include <sectile/sectile_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank can be at. */
typedef enum sct_doing {
    SCT_MULTIPLYING,
    SCT_GETTING,      /* a part of an operand, from its owner */
    SCT_GATHERING,    /* likewise, from its own memory */
    SCT_ACCUMULATING, /* a product into its owner's part of C */
    SCT_SCATTERING,   /* likewise, into its own */
    SCT_REDUCING,     /* adds a share of another replica of C to its own replica */
    SCT_SHARING       /* copies a finished share from another replica of C */
} sct_doing;

/* What these are drawn on. */
typedef enum sct_lane { SCT_LANE_COMPUTE, SCT_LANE_GET, SCT_LANE_ACCUMULATE } sct_lane;
enum { SCT_LANES = SCT_LANE_ACCUMULATE + 1 };

typedef struct sct_deed {
    double begin, end; /* seconds */
    int rank;
    sct_lane lane;
    sct_doing doing;
    int peer;       /* the other rank, or itself; -1: of a product */
    int64_t step;   /* of the rank's plan, that multiplies, or that is got or added for; -1: none */
    uint64_t bytes; /* that move; of a product 0 */
} sct_deed;

/* Told of each deed when it ends, and now and then of how far the work is; either may be NULL.
 */
typedef struct sct_observer {
    size_t size;
    void (*deed)(void *context, const sct_deed *deed);
    void (*progress)(void *context, const char *work, int64_t done, int64_t total);
    void *context;
} sct_observer;

/* How a rank spends its time, or all ranks on average: shares of the whole time. Moving is what it
 * gets from others and adds to others. Overlap is the share of the smaller of the two that passes
 * during the other: (computing + moving - either of them) / smaller. */
typedef struct sct_use {
    double computing, moving, overlap;
} sct_use;

typedef struct sct_forecast {
    double seconds;
    double reducing;      /* of these, while the replicas of C are made equal */
    double share_of_peak; /* of all ranks */
    sct_use mean, critical;
    int critical_rank; /* the last to have done its steps */
    sct_stay stay;
    uint64_t bytes_moved; /* between ranks, without what products use in place */
    sct_cost cost;        /* of all plans */
} sct_forecast;

/* Not collective, and pure. A problem that does not say what ranks reach takes it from the
 * machine. */
SCT_API sct_status sct_simulate(const sct_problem *problem, const sct_options *options,
                                const sct_machine *machine, const sct_observer *observer,
                                sct_forecast *forecast);

#ifdef __cplusplus
}
#endif

#endif
