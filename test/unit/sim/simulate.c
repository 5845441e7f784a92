/* simulate.c - plans in virtual time, for problems so small that the time can be worked out by
 * hand. */
#include "support/check.h"
#include "support/machines.h"
#include "support/products.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The unit of time: with a peak of 2^30 a 32 x 64 x 32 product takes one beat, and so does moving
 * half of a 64 x 64 matrix of f64 at the rate `per_beat`. */
static const double beat = 1.0 / 8192, per_beat = 1 << 27;

static sct_forecast run(const product *p, const sct_machine *machine) {
    sct_forecast forecast = {.seconds = -1};
    CHECK_CASE(sct_simulate(&p->value, &p->options, machine, NULL, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    return forecast;
}

/* The simulated time in beats. */
static double beats(const product *p, const sct_machine *machine) {
    return run(p, machine).seconds / beat;
}

static void test_one_rank(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 1, rows, &p);
    sct_forecast forecast = run(&p, &machine);
    CHECK(forecast.seconds == 4 * beat && forecast.share_of_peak == 1);
    CHECK(forecast.mean.computing == 1 && forecast.mean.moving == 0 && forecast.bytes_moved == 0);
    machine.top = 0.5;
    machine.half[SCT_DIM_K] = 64;
    machine.product = beat;
    CHECK(beats(&p, &machine) == 17);
    machine.levels = 0;
    CHECK(beats(&p, &machine) == 17);
    free_product(&p);
}

/* Own rows of B first; nothing is cut. */
static const sct_decisions by_rows = {
    .size = sizeof by_rows,
    .nest = {1, 0, 2},
    .begin = {SCT_BEGIN_SHIFTED, SCT_BEGIN_OWN, SCT_BEGIN_SHIFTED}};

/* Each rank gets half of B from the other while it multiplies with its own half. */
static void test_overlap(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, rows, &p);
    p.options.stay = SCT_STAY_C;
    p.options.decisions = &by_rows;
    CHECK(beats(&p, &machine) == 2);
    machine.level[0].pair = per_beat;
    sct_forecast forecast = run(&p, &machine);
    CHECK(forecast.seconds == 2 * beat && forecast.share_of_peak == 1);
    CHECK(forecast.mean.computing == 1 && forecast.mean.moving == 0.5);
    CHECK(forecast.mean.overlap == 1 && forecast.critical.overlap == 1);
    CHECK(forecast.critical_rank == 0 && forecast.bytes_moved == 64 * 64 * 8);
    machine.level[0].latency = beat / 2;
    CHECK(beats(&p, &machine) == 2.5);
    machine.level[0].latency = 0;
    machine.level[0].port = per_beat / 2;
    forecast = run(&p, &machine);
    CHECK(forecast.seconds == 3 * beat && forecast.mean.overlap == 0.5);
    CHECK(fabs(forecast.critical.moving - 2.0 / 3) < 1e-12);
    /* No prefetch, and one product at a time. */
    p.options.prefetch = -1;
    p.options.products_in_flight = 1;
    CHECK(beats(&p, &machine) == 4);
    free_product(&p);
}

/* A transfer slows down the products at both ends; or the rank copies the data itself. */
static void test_processor(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, rows, &p);
    p.options.stay = SCT_STAY_C;
    machine.level[0].pair = per_beat;
    machine.level[0].processor = 0.25 / per_beat;
    CHECK(beats(&p, &machine) == 2.5);
    machine.level[0].processor = 0.5 / per_beat;
    CHECK(beats(&p, &machine) == 3);
    machine.level[0].processor = 4 / per_beat; /* the flow takes four times as long */
    CHECK(beats(&p, &machine) == 6);
    machine.level[0].processor = 0;
    machine.level[0].by_rank = true;
    CHECK(beats(&p, &machine) == 3);
    p.options.prefetch = -1;
    CHECK(beats(&p, &machine) == 3);
    free_product(&p);
}

/* Two nodes of two ranks. Of the four quarters of B, every rank gets two from the other node and
 * sends its own twice, while it makes the first of four products at half speed. */
static void test_nodes(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 4, rows, &p);
    p.options.stay = SCT_STAY_C;
    p.options.decisions = &by_rows;
    p.options.prefetch = 3;
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[1] = make_level(0);
    machine.level[1].uplink = 8 * per_beat;
    CHECK(beats(&p, &machine) == 1);
    machine.level[1].processor = 0.0625 / per_beat;
    sct_forecast forecast = run(&p, &machine);
    CHECK(forecast.seconds == 1.125 * beat && forecast.mean.computing == 1);
    free_product(&p);
}

/* Each rank computes the other's half of C first, and adds it there while it computes its own. */
static void test_accumulate(void) {
    static const char *const text[] = {"col", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, text, &p);
    p.options.stay = SCT_STAY_A;
    machine.level[0].pair = per_beat;
    CHECK(beats(&p, &machine) == 2);
    machine.slowed = 0.5;
    CHECK(beats(&p, &machine) == 2.5);
    machine.level[0].accumulate = 0.5;
    CHECK(beats(&p, &machine) == 3);
    machine.slowed = 0;
    machine.level[0].accumulate = 1;
    p.options.sync = 1;
    CHECK(beats(&p, &machine) == 3);
    /* Half a beat in the owner's memory: adding reads and writes three times the bytes. */
    machine.memory = 6 * per_beat;
    CHECK(beats(&p, &machine) == 3.5);
    p.options.sync = 0;
    machine.barrier = beat;
    CHECK(beats(&p, &machine) == 4.5);
    free_product(&p);
}

/* Four steps of a quarter of a beat. Three of them need a slice that takes half a beat to get. The
 * last slice is fetched during the second product; with `sync`, the group of that product lasts
 * until the slice has arrived. */
static void test_sync(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 4, rows, &p);
    p.options.stay = SCT_STAY_C;
    p.options.decisions = &by_rows;
    p.options.prefetch = 2;
    machine.level[0].pair = per_beat;
    CHECK(beats(&p, &machine) == 1.25);
    p.options.sync = 1;
    CHECK(beats(&p, &machine) == 1.5);
    free_product(&p);
}

/* Two rounds, each with a barrier, and a barrier before and after. In both rounds the ranks send in
 * the same turn; or, if both begin with the same owner, in two turns with a barrier between. */
static void test_ordered(void) {
    static const char *const text[] = {"col", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, text, &p);
    p.options.stay = SCT_STAY_A;
    p.options.ordered = 1;
    machine.barrier = beat;
    CHECK(beats(&p, &machine) == 5);
    p.options.start = SCT_START_ALIKE;
    CHECK(beats(&p, &machine) == 7);
    p.options.ordered = 0;
    CHECK(beats(&p, &machine) == 4);
    free_product(&p);
}

/* A slice of A arrives after four beats. Then there are four slices of C, of half a beat each: the
 * first two are sent in four beats each, one after the other; the rank's own wait for neither. */
static void test_own_part(void) {
    static const char *const text[] = {"row", "row", "cyclic:32x32@2x1"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, text, &p);
    p.options.stay = SCT_STAY_B;
    p.options.slicing = SCT_SLICE_TILE;
    p.options.accumulates_in_flight = p.options.products_in_flight = 1;
    machine.levels = 2;
    machine.level[0] = make_level(1);
    machine.level[0].by_rank = true;
    machine.level[1] = make_level(0);
    machine.level[1].pair = per_beat / 8;
    CHECK(beats(&p, &machine) == 12.5);
    free_product(&p);
}

/* Each rank multiplies half of k in two beats, then adds half of C and copies the other half. */
static void test_replicas(void) {
    static const char *const text[] = {"col", "row", "row*2"};
    product p;
    sct_machine machine = make_machine();
    make_product(64, 64, 2, text, &p);
    p.options.stay = SCT_STAY_C;
    machine.level[0].pair = per_beat;
    CHECK(beats(&p, &machine) == 4);
    machine.barrier = beat;
    sct_forecast forecast = run(&p, &machine);
    CHECK(forecast.seconds == 8 * beat && forecast.reducing == 5 * beat);
    CHECK(forecast.bytes_moved == 2 * 64 * 64 * 8);
    machine.level[0].accumulate = 0.5;
    CHECK(beats(&p, &machine) == 9);
    p.options.result = SCT_RESULT_ORIGIN;
    forecast = run(&p, &machine);
    CHECK(forecast.seconds == 9 * beat && forecast.bytes_moved == 3 * 64 * 32 * 8);
    p.options.result = SCT_RESULT_PARTIAL;
    forecast = run(&p, &machine);
    CHECK(forecast.seconds == 4 * beat && forecast.reducing == 0);
    free_product(&p);
}

/* Three replicas: a third of C takes one and a half beats to move. Each rank gets it from two
 * others to add it, one after the other, and sends copies of it to two others at the same time. */
static void test_three_replicas(void) {
    static const char *const text[] = {"col", "row", "row*3"};
    product p;
    sct_machine machine = make_machine();
    make_product(96, 96, 3, text, &p);
    p.options.stay = SCT_STAY_C;
    CHECK(beats(&p, &machine) == 4.5);
    machine.level[0].pair = per_beat;
    CHECK(beats(&p, &machine) == 4.5 + 3 + 1.5);
    free_product(&p);
}

/* Four ranks that each get a quarter of B from every other rank, or add three quarters of C to
 * others: starting a transfer takes as long as ten steps. */
static void test_limits(void) {
    static const char *const rows[] = {"row", "row", "row"}, *const inner[] = {"col", "row", "row"};
    const double step = beat / 4;
    product p;
    sct_machine machine = make_machine();
    machine.level[0].latency = 10 * step;
    make_product(64, 64, 4, rows, &p);
    p.options.stay = SCT_STAY_C;
    p.options.decisions = &by_rows;
    p.options.prefetch = 3;
    CHECK(run(&p, &machine).seconds == 13 * step);
    machine.gets = 1;
    CHECK(run(&p, &machine).seconds == 31 * step);
    machine.gets = 2;
    CHECK(run(&p, &machine).seconds == 21 * step);
    free_product(&p);
    make_product(64, 64, 4, inner, &p);
    p.options.stay = SCT_STAY_A;
    p.options.products_in_flight = 4;
    for (int i = 0; i < 3; i++) {
        static const double steps[] = {31, 21, 13};
        p.options.accumulates_in_flight = i + 1;
        CHECK(run(&p, &machine).seconds == steps[i] * step);
    }
    machine.accumulates = 1;
    CHECK(run(&p, &machine).seconds == 31 * step);
    free_product(&p);
}

/* The rank with more rows is critical, whichever it is. */
static void test_critical(void) {
    static const char *const text[2][3] = {{"row", "row", "row"}, {"row%1,0", "row", "row%1,0"}};
    for (int last = 0; last < 2; last++) {
        product p;
        sct_machine machine = make_machine();
        make_product(65, 64, 2, text[last], &p);
        p.options.stay = SCT_STAY_C;
        sct_forecast forecast = run(&p, &machine);
        CHECK(forecast.critical_rank == last && forecast.critical.computing == 1);
        CHECK(forecast.mean.computing == 65.0 / 66);
        free_product(&p);
    }
}

static sct_status fails(const product *p, const sct_machine *machine, const char *reason) {
    sct_forecast forecast;
    sct_status status = sct_simulate(&p->value, &p->options, machine, NULL, &forecast);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s", sct_last_reason());
    return status;
}

static void test_errors(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    sct_observer observer = {.size = 1};
    sct_forecast forecast;
    make_product(8, 8, 2, rows, &p);
    machine.ranks = 12;
    CHECK(fails(&p, &machine, "machine made up has 12 ranks, but the problem has 2") ==
          SCT_BAD_ARGUMENT);
    machine.ranks = 0;
    machine.peak[SCT_F64] = 0;
    CHECK(fails(&p, &machine, "machine made up: its peak for f64 is not known") ==
          SCT_BAD_ARGUMENT);
    machine = make_machine();
    machine.levels = 0;
    CHECK(fails(&p, &machine, "machine made up has no links between its ranks") ==
          SCT_BAD_ARGUMENT);
    machine = make_machine();
    CHECK(fails(&p, NULL, "'machine' is NULL") == SCT_BAD_ARGUMENT);
    p.value.ranks = 0;
    CHECK(fails(&p, &machine, "ranks: 0 is not at least 1") == SCT_BAD_ARGUMENT);
    p.value.ranks = 2;
    CHECK(sct_simulate(NULL, NULL, &machine, NULL, &forecast) == SCT_BAD_ARGUMENT);
    CHECK(sct_simulate(&p.value, NULL, &machine, NULL, NULL) == SCT_BAD_ARGUMENT);
    CHECK(sct_simulate(&p.value, NULL, &machine, &observer, &forecast) == SCT_BAD_ARGUMENT);
    machine.level[0].pair = 0;
    p.options.stay = SCT_STAY_C;
    CHECK(fails(&p, &machine, "machine made up: rank 0 would never finish") == SCT_FAILED);
    free_product(&p);
}

int main(void) {
    test_one_rank();
    test_overlap();
    test_processor();
    test_nodes();
    test_accumulate();
    test_sync();
    test_ordered();
    test_own_part();
    test_replicas();
    test_three_replicas();
    test_limits();
    test_critical();
    test_errors();
    return check_report("simulate");
}
