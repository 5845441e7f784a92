/* matching.c - a matching in a bipartite graph, found by augmenting paths on sets of bits. */
#include "planner/matching.h"

/* A job in both sets, or -1. */
static int common_job(const sct_job_set *x, const sct_job_set *y) {
    for (int i = 0; i < SCT_JOB_WORDS; i++)
        if (x->word[i] & y->word[i])
            return i * SCT_JOB_BITS + __builtin_ctzll(x->word[i] & y->word[i]);
    return -1;
}

static void set_job(sct_job_set *set, int job, bool member) {
    uint64_t bit = UINT64_C(1) << job % SCT_JOB_BITS, *word = &set->word[job / SCT_JOB_BITS];
    *word = member ? *word | bit : *word & ~bit;
}

/* Finds a job for a worker: one that is free, or else one that is taken from another worker, for
 * whom another job is then found in the same way. */
static bool find_job(sct_matching *m, int worker) {
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

void sct_matching_begin(int jobs, sct_matching *m) {
    m->jobs = jobs;
    m->unused = (sct_job_set){{0}};
    for (int job = 0; job < jobs; job++)
        set_job(&m->unused, job, true);
    m->all = m->unused;
}

bool sct_matching_add(sct_matching *m, int worker, const double *cost, double limit) {
    m->may[worker] = (sct_job_set){{0}};
    for (int job = 0; job < m->jobs; job++)
        m->may[worker].word[job / SCT_JOB_BITS] |= (uint64_t)(cost[job] < limit)
                                                   << job % SCT_JOB_BITS;
    m->unseen = m->all;
    return find_job(m, worker);
}
