/* matching.c - the assignment problem by the Hungarian method, in count^3 operations, and a
 * matching in a bipartite graph, found by augmenting paths on sets of bits.
 *
 * The Hungarian method minimises a sum. Here it is the sum of a high power of the costs, so that
 * the largest cost decides. At first, each worker takes its cheapest job, unless another has taken
 * it. The workers left over are then added one by one, each by a shortest augmenting path. */
#include "planner/matching.h"

#include "base/checked.h"
#include "base/status.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- The assignment problem ---- */

typedef struct sct_assignment {
    int count;
    double worker[SCT_MOST_ASSIGNED], job[SCT_MOST_ASSIGNED]; /* dual variables */
    int worker_of[SCT_MOST_ASSIGNED];                         /* of a job; count: the job is free */
    int before[SCT_MOST_ASSIGNED];      /* the job before this one on the path; -1: none */
    double distance[SCT_MOST_ASSIGNED]; /* of the path to a job */
    double done[SCT_MOST_ASSIGNED];     /* infinite once the shortest path to the job is known,
                                         * else 0 */
    double power[];                     /* by worker and job */
} sct_assignment;

/* (cost / most)^16 */
static void raise(int count, const double *cost, double *power) {
    size_t cells = (size_t)count * (size_t)count;
    double most = DBL_MIN;
    for (size_t i = 0; i < cells; i++)
        most = sct_larger(most, cost[i]);
    for (size_t i = 0; i < cells; i++) {
        double x = cost[i] / most;
        for (int squared = 0; squared < 4; squared++)
            x *= x;
        power[i] = x;
    }
}

/* Shortens the paths by way of a worker, whose own path has a length, and finds the nearest job.
 * Without branches that depend on costs, since no processor can foresee them. */
static int nearest_job(sct_assignment *a, int worker, int from, double length) {
    const double *power = a->power + (size_t)worker * (size_t)a->count;
    double price = a->worker[worker], least = INFINITY;
    int nearest = -1;
    for (int job = 0; job < a->count; job++) {
        double before = a->distance[job];
        double distance = length + power[job] - price - a->job[job] + a->done[job];
        a->distance[job] = distance < before ? distance : before;
        a->before[job] = distance < before ? from : a->before[job];
    }
    for (int job = 0; job < a->count; job++)
        if (a->distance[job] + a->done[job] < least) {
            least = a->distance[job] + a->done[job];
            nearest = job;
        }
    assert(nearest >= 0); /* some job is still free */
    a->done[nearest] = INFINITY;
    return nearest;
}

/* Keeps reduced costs at 0 along the path to `last`. */
static void update_prices(sct_assignment *a, int worker, int last) {
    double length = a->distance[last];
    a->worker[worker] += length;
    for (int job = 0; job < a->count; job++)
        if (a->done[job] > 0 && job != last) {
            a->worker[a->worker_of[job]] += length - a->distance[job];
            a->job[job] -= length - a->distance[job];
        }
}

/* Gives a job to one more worker. Others may change theirs. */
static void add_worker(sct_assignment *a, int worker) {
    int at = worker, job = -1;
    double length = 0;
    for (int i = 0; i < a->count; i++) {
        a->distance[i] = INFINITY;
        a->done[i] = 0;
    }
    do {
        job = nearest_job(a, at, job, length);
        length = a->distance[job];
        at = a->worker_of[job];
    } while (at != a->count);
    update_prices(a, worker, job);
    for (int before; job >= 0; job = before) {
        before = a->before[job];
        a->worker_of[job] = before >= 0 ? a->worker_of[before] : worker;
    }
}

/* Gives a worker its cheapest job if that is still free. Prices are such that it costs the worker
 * nothing. */
static bool take_cheapest(sct_assignment *a, int worker) {
    const double *power = a->power + (size_t)worker * (size_t)a->count;
    int cheapest = 0;
    for (int job = 1; job < a->count; job++)
        if (power[job] < power[cheapest] ||
            (power[job] == power[cheapest] && a->worker_of[cheapest] != a->count))
            cheapest = job;
    a->worker[worker] = power[cheapest];
    bool is_free = a->worker_of[cheapest] == a->count;
    if (is_free)
        a->worker_of[cheapest] = worker;
    return is_free;
}

sct_status sct_assign(int count, const double *cost, int *job_of) {
    size_t cells = (size_t)count * (size_t)count;
    sct_assignment *a = calloc(1, sizeof *a + cells * sizeof a->power[0]);
    if (!a)
        return sct_no_memory("an assignment");
    a->count = count;
    raise(count, cost, a->power);
    for (int job = 0; job < count; job++)
        a->worker_of[job] = count;
    int late = 0; /* workers whose cheapest job was taken; job_of lists them meanwhile */
    for (int worker = 0; worker < count; worker++)
        if (!take_cheapest(a, worker))
            job_of[late++] = worker;
    for (int i = 0; i < late; i++)
        add_worker(a, job_of[i]);
    for (int job = 0; job < count; job++)
        job_of[a->worker_of[job]] = job;
    free(a);
    return SCT_OK;
}

/* ---- Matchings ---- */

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
