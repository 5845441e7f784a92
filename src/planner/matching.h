/* matching.h - gives workers jobs: the assignment problem, and whether each of them can have a job
 * of its own that costs it less than a limit. */
#ifndef SCT_PLANNER_MATCHING_H
#define SCT_PLANNER_MATCHING_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdint.h>

enum { SCT_MOST_ASSIGNED = 128 }; /* workers */

/* cost[worker * count + job], not negative. Finds the job of each worker so that the largest cost
 * is small, and then the others. */
sct_status sct_assign(int count, const double *cost, int *job_of);

enum { SCT_JOB_BITS = 64, SCT_JOB_WORDS = SCT_MOST_ASSIGNED / SCT_JOB_BITS };

typedef struct sct_job_set {
    uint64_t word[SCT_JOB_WORDS];
} sct_job_set;

/* Workers are added one by one, so that the costs of the others need not be known once one finds no
 * job. */
typedef struct sct_matching {
    int jobs;
    sct_job_set all, unused;            /* jobs; those without a worker */
    sct_job_set unseen;                 /* jobs that the current search has not been at */
    sct_job_set may[SCT_MOST_ASSIGNED]; /* by worker: jobs below the limit */
    int worker_of[SCT_MOST_ASSIGNED];
} sct_matching;

void sct_matching_begin(int jobs, sct_matching *matching);
/* Adds a worker to the matching. It may take a job from another worker, who then takes a different
 * one. False if the jobs do not suffice, where all costs are to be below the limit. */
bool sct_matching_add(sct_matching *matching, int worker, const double *cost, double limit);

#endif
