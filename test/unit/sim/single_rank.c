/* single_rank.c - simulating one rank alone gives the same time as simulating all, if the others do
 * as much; but it does not see that the rank waits for others. */
#include "support/check.h"
#include "support/machines.h"
#include "support/products.h"

#include "forecast/simulate.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = 64, CASES = 300, MANY = 120, WORLD = 1000000 };

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

/* ---- Only ranks near to partners have numbers ---- */

static double run(sct_sim *sim) {
    sim->most_work = INFINITY;
    CHECK_CASE(sct_sim_run(sim) == SCT_OK, "%s", sct_last_reason());
    double seconds = sim->now;
    sct_sim_clear(sim);
    return seconds;
}

/* One rank, where all have numbers. */
static double run_among_all(const sct_machine *machine, const sct_plan *plan) {
    int ranks = plan->product.ranks;
    int64_t *place = calloc((size_t)ranks, sizeof *place);
    sct_script script;
    sct_sim sim;
    CHECK(sct_script_create(plan, machine, place, &script) == SCT_OK);
    CHECK(sct_sim_begin(machine, ranks, plan->rank, 1, &sim) == SCT_OK);
    CHECK(sct_sim_give(&sim, plan->rank, plan, &script) == SCT_OK);
    free(place);
    return run(&sim);
}

/* Numbers make no difference, to the last bit. Returns how many transfers there are. */
static int64_t test_numbers(int number, uint64_t *random) {
    static const char *const texts[] = {"row", "col", "2d", "cyclic:3x5", "row*2", "col*2"};
    const char *text[3];
    sct_machine machine = make_random_machine(random);
    sct_sim sim;
    sct_plan *plan = NULL;
    product p;
    for (int i = 0; i < 3; i++)
        text[i] = texts[check_between(random, 0, 5)];
    int ranks = 2 * (int)check_between(random, 6, MANY + 5);
    int rank = (int)check_between(random, 0, ranks - 1);
    int64_t transfers = 0;
    make_product(SIZE, SIZE, ranks, text, &p);
    p.value.ranks_per_node = (int)check_between(random, 1, 3);
    p.options.machine = &machine;
    p.options.ordered = check_between(random, 0, 1) == 1;
    CHECK(sct_plan_create(&p.value, rank, &p.options, &plan) == SCT_OK);
    CHECK(sct_sim_create_alone(&machine, plan, &sim) == SCT_OK);
    transfers += sim.rank[sim.first].script.transfers;
    double alone = run(&sim), all = run_among_all(&machine, plan);
    CHECK_CASE(alone == all, "case %d: rank %d of %d takes %.17g s, among all numbers %.17g",
               number, rank, ranks, alone, all);
    sct_plan_destroy(plan);
    free_product(&p);
    return transfers;
}

/* A simulation of one rank of a million has numbers for its partners' nodes. */
static void test_large_world(void) {
    static const char *const text[] = {"2d", "2d", "2d"};
    product p;
    sct_machine machine = make_machine();
    sct_plan *plan = NULL;
    sct_sim sim;
    machine.levels = 2;
    machine.level[0] = make_level(4);
    machine.level[1] = make_level(0);
    make_product(WORLD, WORLD, WORLD, text, &p);
    p.value.ranks_per_node = 4;
    p.options.stay = SCT_STAY_C;
    CHECK(sct_plan_create(&p.value, WORLD / 2, &p.options, &plan) == SCT_OK);
    CHECK(sct_sim_create_alone(&machine, plan, &sim) == SCT_OK);
    const sct_script *script = &sim.rank[sim.first].script;
    CHECK_CASE(script->transfers > 0 && sim.ranks <= 4 * (script->transfers + 1),
               "%d numbers for %lld transfers", sim.ranks, (long long)script->transfers);
    CHECK(run(&sim) > 0);
    sct_plan_destroy(plan);
    free_product(&p);
}

int main(void) {
    uint64_t random = check_seed(1);
    int64_t transfers = 0;
    for (int i = 0, cases = check_cases(CASES); i < cases; i++)
        transfers += test_numbers(i, &random);
    CHECK(transfers > 0);
    test_large_world();
    test_two();
    test_nodes();
    test_waiting();
    return check_report("single_rank");
}
