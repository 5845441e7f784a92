/* assign_possible.c - tells whether all workers can have jobs that cost them no more than a limit:
 * a matching in a bipartite graph, found by augmenting paths on sets of bits. */
#include "planner/assign.h"

#include <stdint.h>

enum { BITS = 64, WORDS = SCT_MOST_ASSIGNED / BITS };

typedef struct job_set {
    uint64_t word[WORDS];
} job_set;

typedef struct matching {
    job_set may[SCT_MOST_ASSIGNED]; /* by worker: jobs within the limit */
    job_set unused;                 /* jobs without a worker */
    job_set unseen;                 /* jobs that the current search has not been at */
    int worker_of[SCT_MOST_ASSIGNED];
} matching;

/* A job in both sets, or -1. */
static int common_job(const job_set *x, const job_set *y) {
    for (int i = 0; i < WORDS; i++)
        if (x->word[i] & y->word[i])
            return i * BITS + __builtin_ctzll(x->word[i] & y->word[i]);
    return -1;
}

static void set_job(job_set *set, int job, bool member) {
    uint64_t bit = UINT64_C(1) << job % BITS;
    set->word[job / BITS] = member ? set->word[job / BITS] | bit : set->word[job / BITS] & ~bit;
}

/* Gives a worker an unused job, or that of a worker who finds another one. */
static bool find_job(matching *m, int worker) {
    int job = common_job(&m->may[worker], &m->unused);
    if (job >= 0)
        set_job(&m->unused, job, false);
    while (job < 0) {
        int taken = common_job(&m->may[worker], &m->unseen);
        if (taken < 0)
            return false;
        set_job(&m->unseen, taken, false);
        if (find_job(m, m->worker_of[taken]))
            job = taken;
    }
    m->worker_of[job] = worker;
    return true;
}

bool sct_assign_possible(int count, const double *cost, double most) {
    matching m = {.unused = {{0}}};
    for (int job = 0; job < count; job++)
        set_job(&m.unused, job, true);
    job_set all = m.unused;
    for (int worker = 0; worker < count; worker++)
        for (int job = 0; job < count; job++)
            set_job(&m.may[worker], job,
                    cost[(size_t)worker * (size_t)count + (size_t)job] <= most);
    for (int worker = 0; worker < count; worker++) {
        m.unseen = all;
        if (!find_job(&m, worker))
            return false;
    }
    return true;
}
