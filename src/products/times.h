/* times.h - how long a product takes, for all combinations of candidate layouts of its matrices. */
#ifndef SCT_PRODUCTS_TIMES_H
#define SCT_PRODUCTS_TIMES_H

#include "products/scope.h"

/* Who computes what: a layout of the shape of A, B or C, or one of their candidates, which is then
 * stationary. */
typedef struct sct_scope_work {
    int shape;
    const sct_layout *layout;
    int kept; /* the number of that candidate; -1: none is stationary */
} sct_scope_work;

/* The links in a node, if there are nodes, and those between them. */
enum { SCT_REACH_NEAR, SCT_REACH_FAR, SCT_REACHES };

/* What a combination of layouts takes in the simulator, with the best work that was tried. */
typedef struct sct_simulated {
    int64_t place;
    double seconds;
    sct_stay stay;
    const sct_layout *work; /* NULL: the matrix is stationary */
    bool alone;             /* one rank alone was simulated */
} sct_simulated;

typedef struct sct_times {
    sct_products_step step; /* of the first product that it is for */
    const sct_domain *domain[SCT_MATS];
    int works;
    sct_scope_work *work;
    double *computing; /* by work */
    /* By work and candidate: seconds of communication in a node, and between nodes. */
    double *moving[SCT_MATS][SCT_REACHES];
    double *reducing;  /* by candidate of C */
    double *estimated; /* by place; and the work that is best so: */
    unsigned short *best;
    double *seconds; /* likewise, simulated or fitted to what was simulated */
    int simulations;
    int64_t room;
    sct_simulated *simulated;
} sct_times;

/* True if a product has these times too. */
bool sct_times_are_of(const sct_times *times, const sct_scope *scope, int product);
sct_status sct_times_create(const sct_scope *scope, int product, sct_times *times);
void sct_times_clear(sct_times *times);

/* The number of combinations, and the place of one, of candidates of A, B and C. */
int64_t sct_times_places(const sct_times *times);
int64_t sct_times_place(const sct_times *times, const int choice[SCT_MATS]);
/* The matrix whose communication takes longest with the best work by the estimates; -1: computing
 * takes longer than all communication. */
int sct_times_waits(const sct_times *times, const int choice[SCT_MATS]);
/* Simulates a combination, unless that is done. `events` counts those of simulations. */
sct_status sct_times_simulate(const sct_scope *scope, sct_times *times, const int choice[SCT_MATS],
                              double *events);
/* What was simulated for a place; NULL: nothing. */
const sct_simulated *sct_times_simulated(const sct_times *times, int64_t place);
/* Simulates a combination of layouts again, with the work layouts found before, under a limit of
 * workspace per rank. */
sct_status sct_times_limit(const sct_scope *scope, const sct_times *times,
                           const int choice[SCT_MATS], size_t workspace, sct_simulated *made);
/* Fits the estimates to what was simulated. */
sct_status sct_times_fit(sct_times *times, double deviations);
/* Leaves only combinations that were simulated: others take infinitely long. */
void sct_times_settle(sct_times *times);

/* The problem of a product with these candidates. */
sct_problem sct_times_problem(const sct_scope *scope, const sct_times *times,
                              const int choice[SCT_MATS]);

#endif
