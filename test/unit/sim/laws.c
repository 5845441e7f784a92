/* laws.c - laws that hold for the simulation of any plans on any machine. */
#include "support/check.h"
#include "support/machines.h"
#include "support/problems.h"
#include "support/products.h"

#include <math.h>
#include <string.h>

enum { CASES = 300, RANKS = 64, KINDS = SCT_SHARING + 1 };

/* What is observed of one simulation. */
typedef struct seen {
    const sct_machine *machine;
    int ranks_per_node;
    uint64_t bytes[KINDS], pulled_near;
    int64_t products, progress;
    uint64_t hash;
    double out[SCT_MACHINE_LEVELS][RANKS], in[SCT_MACHINE_LEVELS][RANKS];
    bool sane;
} seen;

static void mix(seen *s, const void *value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        s->hash = (s->hash ^ ((const unsigned char *)value)[i]) * 1099511628211u;
}

static void count_flow(seen *s, const sct_trace_event *event) {
    bool sends = event->kind == SCT_ACCUMULATING;
    int64_t level = sct_machine_level(s->machine, event->rank, event->peer) - s->machine->level;
    s->out[level][sends ? event->rank : event->peer] += (double)event->bytes;
    s->in[level][sends ? event->peer : event->rank] += (double)event->bytes;
    int node = s->ranks_per_node;
    bool pulls = event->kind == SCT_REDUCING || event->kind == SCT_SHARING;
    if (pulls && (node == 0 || event->rank / node == event->peer / node))
        s->pulled_near += event->bytes;
}

static void see(void *context, const sct_trace_event *event) {
    seen *s = context;
    s->bytes[event->kind] += event->bytes;
    s->products += event->kind == SCT_MULTIPLYING;
    s->sane &= event->begin >= 0 && event->end >= event->begin;
    s->sane &= (event->peer < 0) == (event->kind == SCT_MULTIPLYING);
    s->sane &= (event->step < 0) == (event->kind == SCT_REDUCING || event->kind == SCT_SHARING);
    if (event->peer >= 0 && event->peer != event->rank)
        count_flow(s, event);
    mix(s, &event->begin, sizeof event->begin);
    mix(s, &event->end, sizeof event->end);
    mix(s, &event->rank, sizeof event->rank);
    mix(s, &event->peer, sizeof event->peer);
    mix(s, &event->step, sizeof event->step);
}

static void see_progress(void *context, const char *work, int64_t done, int64_t total) {
    seen *s = context;
    s->sane &= done <= total;
    s->progress += strcmp(work, "products simulated") == 0;
}

static sct_forecast watch(const product *p, const sct_machine *machine, seen *s) {
    sct_forecast forecast = {.seconds = -1};
    int near = p->value.ranks_per_node;
    *s = (seen){.machine = machine, .sane = true};
    s->ranks_per_node = near ? near : sct_machine_ranks_per_node(machine);
    const sct_observer observer = {sizeof observer, see, see_progress, s};
    CHECK_CASE(sct_simulate(&p->value, &p->options, machine, &observer, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    return forecast;
}

static void make_random_product(uint64_t *random, product *p) {
    int64_t m = check_between(random, 1, 40), k = check_between(random, 0, 40),
            n = check_between(random, 1, 40);
    *p = (product){.options = {.size = sizeof p->options}};
    int ranks = make_random_three(random, m, k, n, p->layout);
    p->value = problem_with((sct_type)check_between(random, 0, 3), p->layout, ranks);
    p->value.ranks_per_node = (int)check_between(random, 0, 2);
    p->options.stay = (sct_stay)check_between(random, 0, 3);
    p->options.slicing = (sct_slicing)check_between(random, 0, 1);
    p->options.result = (sct_result)check_between(random, 0, 2);
    p->options.prefetch = (int)check_between(random, -1, 3);
    p->options.products_in_flight = (int)check_between(random, 0, 3);
    p->options.accumulates_in_flight = (int)check_between(random, 0, 3);
    p->options.sync = check_between(random, 0, 3) == 0;
    p->options.ordered = check_between(random, 0, 3) == 0;
}

/* The simulation moves the bytes that the plans announce. */
static void check_bytes(int number, const seen *s, const sct_forecast *forecast) {
    const uint64_t *bytes = s->bytes;
    const sct_cost *cost = &forecast->cost;
    uint64_t pulled = bytes[SCT_REDUCING] + bytes[SCT_SHARING];
    CHECK_CASE(s->sane && s->products == cost->steps && s->progress == s->products, "case %d",
               number);
    CHECK_CASE(bytes[SCT_GETTING] + bytes[SCT_GATHERING] + pulled - s->pulled_near ==
                   cost->bytes_got + cost->bytes_gathered,
               "case %d: bytes got", number);
    CHECK_CASE(bytes[SCT_ACCUMULATING] == cost->bytes_accumulated &&
                   bytes[SCT_SCATTERING] == cost->bytes_scattered,
               "case %d: bytes accumulated", number);
    CHECK_CASE(forecast->bytes_moved == bytes[SCT_GETTING] + bytes[SCT_ACCUMULATING] + pulled,
               "case %d: bytes moved", number);
}

static double seconds_of_steps(const product *p, const sct_machine *machine, int rank) {
    sct_problem value = p->value;
    sct_options options = p->options;
    sct_plan *plan;
    sct_cost cost;
    double sum = 0;
    options.machine = options.machine ? options.machine : machine;
    if (value.ranks_per_node == 0)
        value.ranks_per_node = sct_machine_ranks_per_node(machine);
    CHECK(sct_plan_create(&value, rank, &options, &plan) == SCT_OK);
    sct_plan_cost(plan, &cost);
    for (int64_t i = 0; i < cost.steps; i++) {
        sct_step step;
        sct_plan_step(plan, i, &step);
        sum += sct_machine_multiply(machine, value.type, step.m.count, step.n.count, step.k.count);
    }
    sct_plan_destroy(plan);
    return sum;
}

/* No rank ends before its products could, and no port exceeds its rate. */
static void check_bounds(int number, const product *p, const seen *s,
                         const sct_forecast *forecast) {
    double most = forecast->seconds * (1 + 1e-9);
    for (int rank = 0; rank < p->value.ranks; rank++) {
        double busy = seconds_of_steps(p, s->machine, rank);
        CHECK_CASE(busy <= most, "case %d: rank %d computes for %g of %g", number, rank, busy,
                   forecast->seconds);
        for (int i = 0; i < s->machine->levels; i++) {
            double port = s->machine->level[i].port;
            CHECK_CASE(fmax(s->out[i][rank], s->in[i][rank]) / port <= most,
                       "case %d: rank %d, level %d", number, rank, i);
        }
    }
    const sct_use *use = &forecast->critical;
    CHECK(use->computing <= 1 + 1e-9 && use->moving <= 1 + 1e-9 && use->overlap <= 1 + 1e-9);
    CHECK(forecast->share_of_peak <= 1 + 1e-9);
}

static void test_random(int number, uint64_t *random) {
    static seen first, again;
    product p;
    sct_machine machine = make_random_machine(random);
    make_random_product(random, &p);
    sct_forecast forecast = watch(&p, &machine, &first);
    sct_forecast repeated = watch(&p, &machine, &again);
    CHECK_CASE(first.hash == again.hash && forecast.seconds == repeated.seconds,
               "case %d differs when repeated", number);
    check_bytes(number, &first, &forecast);
    check_bounds(number, &p, &first, &forecast);
    free_product(&p);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0, cases = check_cases(CASES); i < cases; i++)
        test_random(i, &random);
    return check_report("laws");
}
