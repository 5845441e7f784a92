/* single_rank.c - simulating one rank alone gives the same time as simulating all, if the others do
 * as much; but it does not see that the rank waits for others. */
#include "support/check.h"
#include "support/machines.h"
#include "support/products.h"

#include "forecast/simulate.h"

#include <math.h>

enum { SIZE = 64 };

static const double per_second = 1 << 27;

static double seconds_of_all(const product *p, const sct_machine *machine) {
    sct_forecast forecast = {.seconds = -1};
    CHECK_CASE(sct_simulate(&p->value, &p->options, machine, NULL, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    return forecast.seconds;
}

/* Own rows of B first; nothing is cut. */
static const sct_decisions by_rows = {
    .size = sizeof by_rows,
    .nest = {1, 0, 2},
    .begin = {SCT_BEGIN_SHIFTED, SCT_BEGIN_OWN, SCT_BEGIN_SHIFTED}};

static double seconds_of_one(const product *p, const sct_machine *machine, int rank) {
    sct_sim_result trial = {-1, 0};
    CHECK_CASE(sct_simulate_single(&p->value, &p->options, machine, rank, &trial) == SCT_OK, "%s",
               sct_last_reason());
    CHECK(trial.work > 0);
    return trial.seconds;
}

/* The slowest rank takes as long alone as beside the others. */
static void check_same(const product *p, const sct_machine *machine, const char *what) {
    double all = seconds_of_all(p, machine), slowest = 0;
    for (int rank = 0; rank < p->value.ranks; rank++)
        slowest = fmax(slowest, seconds_of_one(p, machine, rank));
    CHECK_CASE(fabs(slowest - all) <= 1e-9 * all, "%s: alone the slowest takes %g s, all take %g",
               what, slowest, all);
}

/* Each of two ranks gets half of B from the other. */
static void test_two(void) {
    static const char *const rows[] = {"row", "row", "row"};
    product p;
    sct_machine machine = make_machine();
    make_product(SIZE, SIZE, 2, rows, &p);
    p.options.stay = SCT_STAY_C;
    check_same(&p, &machine, "no limits");
    machine.level[0].pair = per_second;
    machine.level[0].processor = 0.25 / per_second;
    check_same(&p, &machine, "processor");
    machine.level[0].pair = per_second / 3;
    machine.level[0].latency = 1e-5;
    machine.barrier = 1e-5;
    check_same(&p, &machine, "pair");
    machine.level[0].total = per_second / 3;
    check_same(&p, &machine, "total");
    machine.level[0].by_rank = true;
    check_same(&p, &machine, "by rank");
    free_product(&p);
}

/* Two nodes of two ranks each share their uplinks; and C has two replicas. */
static void test_nodes(void) {
    static const char *const rows[] = {"row", "row", "row"}, *const pairs[] = {"row@2*2", "col",
                                                                               "row@2*2"};
    product p;
    sct_machine machine = make_machine();
    machine.levels = 2;
    machine.level[0] = make_level(2);
    machine.level[1] = make_level(0);
    machine.level[1].uplink = per_second / 2;
    make_product(SIZE, SIZE, 4, rows, &p);
    p.options.stay = SCT_STAY_C;
    p.options.decisions = &by_rows;
    check_same(&p, &machine, "uplink");
    free_product(&p);
    make_product(SIZE, SIZE, 4, pairs, &p);
    check_same(&p, &machine, "replicas");
    free_product(&p);
}

/* All ranks get all of B from rank 0, whose port is slow: the contention is not seen. */
static void test_waiting(void) {
    static const char *const text[] = {"row", "row@1", "row"};
    product p;
    sct_machine machine = make_machine();
    machine.level[0].port = per_second;
    machine.ranks = 4;
    make_product(SIZE, SIZE, 4, text, &p);
    p.options.stay = SCT_STAY_C;
    double seconds = SIZE * SIZE * 8 / per_second;
    CHECK(seconds_of_all(&p, &machine) >= 3 * seconds);
    CHECK(seconds_of_one(&p, &machine, 1) < 2 * seconds);
    CHECK(seconds_of_one(&p, &machine, 0) < seconds);
    machine.ranks = 12;
    CHECK(seconds_of_one(&p, &machine, 1) < 2 * seconds);
    free_product(&p);
}

int main(void) {
    test_two();
    test_nodes();
    test_waiting();
    return check_report("single_rank");
}
