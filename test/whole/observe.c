/* observe.c - what a job tells an observer: an event for each product, transfers with as many bytes
 * as the run counts, and times that go forward. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/operands.h"

#include <string.h>

enum { RANKS = 3, SIZE = 60, MOST = 20000 };

/* What one rank is told of a run. */
typedef struct told {
    sct_trace_event event[MOST];
    int count;
    sct_cost cost;
    sct_traffic traffic;
} told;

typedef struct request {
    sct_options options;
    told of[RANKS];
} request;

static void see(void *context, const sct_trace_event *event) {
    told *t = context;
    if (CHECK(t->count < MOST))
        t->event[t->count++] = *event;
}

static sct_traffic traffic_since(const sct_world *world, sct_traffic before) {
    sct_traffic now = sct_world_traffic(world);
    return (sct_traffic){.bytes_got = now.bytes_got - before.bytes_got,
                         .bytes_accumulated = now.bytes_accumulated - before.bytes_accumulated};
}

static void run_job(sct_job *job) {
    const double one = 1, zero = 0;
    CHECK(sct_job_start(job, &one, &zero) == SCT_OK);
    CHECK(sct_job_observe(job, NULL) == SCT_BAD_ARGUMENT);
    CHECK(sct_job_wait(job) == SCT_OK);
}

static void watch(sct_world *world, sct_job *job, told *t) {
    const sct_observer observer = {.size = sizeof observer, .event = see, .context = t};
    run_job(job);
    CHECK(t->count == 0);
    CHECK(sct_job_observe(job, &observer) == SCT_OK);
    sct_traffic before = sct_world_traffic(world);
    run_job(job);
    t->traffic = traffic_since(world, before);
    int count = t->count;
    CHECK(sct_job_observe(job, NULL) == SCT_OK);
    run_job(job);
    CHECK(t->count == count);
}

static int work(sct_world *world, void *arg) {
    request *r = arg;
    told *t = &r->of[sct_world_rank(world)];
    const operands_spec spec = {.layout = {"col", "col", "cyclic:7x9"},
                                .type = SCT_F64,
                                .size = SIZE,
                                .options = &r->options};
    operands made;
    operands_create(world, &spec, &made);
    CHECK(sct_plan_cost(made.plan, &t->cost) == SCT_OK);
    watch(world, made.job, t);
    operands_destroy(&made);
    return 0;
}

/* `apart`: each addition is to one other rank, which is not near. */
static void check_told(const told *t, int rank, bool apart) {
    uint64_t bytes[SCT_SHARING + 1] = {0};
    int64_t products = 0;
    for (int i = 0; i < t->count; i++) {
        const sct_trace_event *event = &t->event[i];
        CHECK(event->rank == rank && event->begin > 0 && event->begin <= event->end);
        CHECK((event->peer == -1) == (event->kind == SCT_MULTIPLYING));
        CHECK(event->peer != rank || event->kind == SCT_GATHERING || event->kind == SCT_SCATTERING);
        products += event->kind == SCT_MULTIPLYING;
        bytes[event->kind] += event->bytes;
    }
    CHECK_CASE(products == t->cost.steps, "%lld products in %lld steps", (long long)products,
               (long long)t->cost.steps);
    /* transfers of one slot may be to several ranks, itself among them; near ones are not counted
     */
    CHECK_CASE(bytes[SCT_GETTING] >= t->traffic.bytes_got, "%llu bytes are got, %llu told",
               (unsigned long long)t->traffic.bytes_got, (unsigned long long)bytes[SCT_GETTING]);
    CHECK(bytes[SCT_ACCUMULATING] >= t->traffic.bytes_accumulated);
    CHECK_CASE(!apart || bytes[SCT_ACCUMULATING] == t->traffic.bytes_accumulated,
               "%llu bytes are added, %llu told", (unsigned long long)t->traffic.bytes_accumulated,
               (unsigned long long)bytes[SCT_ACCUMULATING]);
    CHECK((bytes[SCT_ACCUMULATING] == 0) == (t->traffic.bytes_accumulated == 0));
    CHECK(bytes[SCT_MULTIPLYING] == 0);
}

static void run(emulated_options emulated, sct_options options) {
    static request r;
    const sct_world_options world = emulated_world(&emulated);
    memset(&r, 0, sizeof r);
    r.options = options;
    r.options.size = sizeof r.options;
    CHECK_CASE(sct_run(RANKS, &world, work, &r) == SCT_OK, "%s", sct_last_reason());
    uint64_t got = 0, accumulated = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        check_told(&r.of[rank], rank, options.decisions && emulated.ranks_per_node == 1);
        got += r.of[rank].traffic.bytes_got;
        accumulated += r.of[rank].traffic.bytes_accumulated;
    }
    CHECK(got > 0 || emulated.ranks_per_node == 0);
    CHECK(accumulated > 0 || options.stay == SCT_STAY_C || emulated.ranks_per_node == 0);
}

int main(void) {
    const emulated_options worlds[] = {
        {.host = 1},
        {.host = 1, .ranks_per_node = 1, .delay_us = 20},
        {.host = 1, .ranks_per_node = 1, .deferred = 1, .delay_us = 20},
        {.ranks_per_node = 1, .delay_us = 20}};
    sct_decisions gathered; /* additions of one slot, to several owners in turn */
    CHECK(sct_decisions_parse("gather=cm+cn", &gathered) == SCT_OK);
    const sct_options options[] = {{.stay = SCT_STAY_C},
                                   {.stay = SCT_STAY_A, .slicing = SCT_SLICE_TILE},
                                   {.stay = SCT_STAY_B, .ordered = 1},
                                   {.stay = SCT_STAY_A, .ordered = 1, .decisions = &gathered}};
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        for (size_t o = 0; o < sizeof options / sizeof *options; o++)
            run(worlds[w], options[o]);
    return check_report("observe");
}
