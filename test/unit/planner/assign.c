/* assign.c - assignments of random costs, and which limits they can keep, compared with all
 * permutations. */
#include "planner/matching.h"

#include "support/check.h"

#include <math.h>

enum { MOST = 6, CASES = 2000 };

typedef struct trial {
    int count;
    double cost[MOST * MOST];
    double best;  /* the least sum of powers */
    double limit; /* the least largest cost */
} trial;

static double power_of(const trial *t, const int *job_of) {
    double sum = 0;
    for (int worker = 0; worker < t->count; worker++)
        sum += pow(t->cost[worker * t->count + job_of[worker]] / 100, 16);
    return sum;
}

static double largest_of(const trial *t, const int *job_of) {
    double largest = 0;
    for (int worker = 0; worker < t->count; worker++)
        largest = fmax(largest, t->cost[worker * t->count + job_of[worker]]);
    return largest;
}

/* Tries all jobs for the workers from this one on. */
static void try_all(trial *t, int worker, int *job_of, unsigned taken) {
    if (worker == t->count) {
        t->best = fmin(t->best, power_of(t, job_of));
        t->limit = fmin(t->limit, largest_of(t, job_of));
    }
    for (int job = 0; job < t->count && worker < t->count; job++)
        if (!(taken >> job & 1)) {
            job_of[worker] = job;
            try_all(t, worker + 1, job_of, taken | 1u << job);
        }
}

/* True if each worker finds a job that costs less than the limit. */
static bool is_possible(int count, const double *cost, double limit) {
    sct_matching matching;
    bool possible = true;
    sct_matching_begin(count, &matching);
    for (int worker = 0; worker < count && possible; worker++)
        possible = sct_matching_add(&matching, worker, cost + worker * count, limit);
    return possible;
}

static void test_random(int number, uint64_t *random) {
    trial t = {.count = (int)check_between(random, 1, MOST), .best = INFINITY, .limit = INFINITY};
    int job_of[MOST], all[MOST];
    unsigned taken = 0;
    int64_t most = check_between(random, 0, 3) ? 100 : 3; /* small: many alike */
    for (int i = 0; i < t.count * t.count; i++)
        t.cost[i] = (double)check_between(random, 0, most);
    if (!CHECK(sct_assign(t.count, t.cost, job_of) == SCT_OK))
        return;
    for (int worker = 0; worker < t.count; worker++)
        taken |= 1u << job_of[worker];
    CHECK_CASE(taken == (1u << t.count) - 1, "case %d: not each job once", number);
    try_all(&t, 0, all, 0);
    CHECK_CASE(power_of(&t, job_of) <= t.best * (1 + 1e-9), "case %d: %g, not %g", number,
               power_of(&t, job_of), t.best);
    CHECK_CASE(is_possible(t.count, t.cost, t.limit + 1), "case %d: %g is possible", number,
               t.limit);
    CHECK_CASE(!is_possible(t.count, t.cost, t.limit), "case %d: less than %g is not possible",
               number, t.limit);
}

/* Worker i can only do jobs i to i + 2, on as many workers as there may be. */
static void test_band(void) {
    enum { COUNT = SCT_MOST_ASSIGNED, NONE = COUNT / 2 };
    static double cost[COUNT * COUNT];
    for (int worker = 0; worker < COUNT; worker++)
        for (int job = 0; job < COUNT; job++)
            cost[worker * COUNT + job] = job >= worker && job <= worker + 2 ? 1 : 2;
    CHECK(is_possible(COUNT, cost, 2));
    for (int worker = 0; worker < COUNT; worker++)
        cost[worker * COUNT + NONE] = 2;
    CHECK(!is_possible(COUNT, cost, 2));
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    test_band();
    return check_report("assign");
}
