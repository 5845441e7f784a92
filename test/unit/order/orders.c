/* orders.c - orders of plans: the exact groups of small ones, limits, and the effect of the
 * machine. */
#include "order/order.h"
#include "support/check.h"
#include "support/layouts.h"
#include "support/machines.h"
#include "support/problems.h"

#include <sectile/sectile_simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANDOM = 300 };

/* Three matrices with one layout each, on ranks of which none reaches another's memory. */
typedef struct problem {
    sct_layout *layout[3];
    sct_problem value;
} problem;

static void make_problem(int64_t size, int ranks, const char *const text[3], problem *p) {
    parse_three(size, size, size, ranks, text, p->layout);
    p->value = problem_with(SCT_F64, p->layout, ranks);
    p->value.ranks_per_node = 1;
}

static void free_problem(problem *p) {
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(p->layout[i]);
}

/* Prints each group: the steps it multiplies, with + and - where a sum begins and ends, and the
 * operands it fetches, named by the position of the step that first needs them. */
static void print_groups(const sct_plan *plan, char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (int64_t g = 0; g < plan->groups.count; g++) {
        const sct_step_group *group = &plan->groups.group[g];
        used += (size_t)snprintf(text + used, bytes - used, g ? " |" : "|");
        for (int64_t t = group->multiply.lo; t < group->multiply.hi; t++) {
            const sct_ordered_step *turn = &plan->groups.ordered[t];
            used += (size_t)snprintf(text + used, bytes - used, "%s%d%s", turn->fresh ? "+" : " ",
                                     (int)turn->step, turn->flush ? "-" : "");
        }
        for (int64_t e = group->prefetches.lo; e < group->prefetches.hi; e++)
            used += (size_t)snprintf(text + used, bytes - used, " %c%d",
                                     "AB"[plan->groups.prefetch[e].matrix],
                                     (int)plan -> groups.prefetch[e].position);
    }
}

static void check_groups(const problem *p, int rank, const sct_options *options,
                         const char *expected) {
    sct_plan *plan;
    char text[2000] = "";
    if (CHECK(sct_plan_create(&p->value, rank, options, &plan) == SCT_OK)) {
        print_groups(plan, text, sizeof text);
        sct_plan_destroy(plan);
    }
    CHECK_CASE(strcmp(text, expected) == 0, "groups %s, expected %s", text, expected);
}

/* Some small plans, compared in full. */
static void test_groups(void) {
    static const char *const rows[] = {"row", "row", "row"}, *const grid[] = {"2d", "2d", "2d"};
    static const char *const sums[] = {"2d", "col", "row"};
    sct_decisions decisions = {.size = sizeof decisions};
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_C,
                           .decisions = &decisions,
                           .schedule = SCT_GREEDY,
                           .products_in_flight = 1,
                           .transfers_in_group = 1};
    problem p;
    CHECK(sct_decisions_parse("nest=kmn,begin=shifted+shifted+shifted", &decisions) == SCT_OK);
    make_problem(64, 4, rows, &p);
    check_groups(&p, 2, &options, "|+0 B1 | 1 B2 | 2 B3 | 3");
    free_problem(&p);
    make_problem(64, 4, grid, &p);
    check_groups(&p, 1, &options, "| B0 |+0 A1 | 1");
    options.transfers_in_group = 2;
    check_groups(&p, 1, &options, "| B0 A1 |+0 | 1");
    free_problem(&p);
    make_problem(64, 4, sums, &p);
    options.stay = SCT_STAY_B;
    CHECK(sct_decisions_parse("nest=mnk,begin=behind+shifted+shifted", &decisions) == SCT_OK);
    check_groups(&p, 1, &options, "|+4 A1 A2 | 5- A3 A4 |+0 A5 A7 | 1- |+2 | 3- |+6 | 7");
    free_problem(&p);
}

/* An exhaustive search accepts few steps, and says how many; the other orders accept any number. */
static void test_limits(void) {
    static const char *const cols[] = {"2d", "col", "2d"};
    sct_decisions apart = {.size = sizeof apart};
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_C,
                           .decisions = &apart,
                           .schedule = SCT_EXHAUSTIVE};
    problem p;
    sct_plan *plan;
    CHECK(sct_decisions_parse("nest=kmn", &apart) == SCT_OK);
    make_problem(64, 12, cols, &p);
    CHECK(sct_plan_create(&p.value, 0, &options, &plan) == SCT_OK);
    sct_plan_destroy(plan);
    free_problem(&p);
    make_problem(64, 16, cols, &p);
    CHECK(sct_plan_create(&p.value, 3, &options, &plan) == SCT_BAD_ARGUMENT);
    CHECK(!strcmp(sct_last_reason(),
                  "schedule: rank 3 has 16 steps, but an exhaustive search takes at most 12; the "
                  "order by cost takes any number"));
    options.schedule = SCT_COST;
    CHECK(sct_plan_create(&p.value, 3, &options, &plan) == SCT_OK);
    sct_plan_destroy(plan);
    free_problem(&p);
}

/* The machine determines what is cheapest, and is not needed afterwards. */
static void test_machine(void) {
    static const char *const text[] = {"cuts:3000x5000@0,1x0,1", "row", "2d"};
    problem p;
    sct_plan *plan;
    uint64_t hash[2];
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_C,
                           .slicing = SCT_SLICE_TILE,
                           .products_in_flight = 1,
                           .transfers_in_group = 1};
    make_problem(10000, 4, text, &p);
    for (int slow = 0; slow < 2; slow++) {
        struct sct_machine machine = sct_machine_default(1, false);
        machine.level[1].pair = machine.level[1].port = slow ? 1e6 : 119e6;
        options.machine = &machine;
        options.schedule = SCT_EXHAUSTIVE;
        CHECK(sct_plan_create(&p.value, 1, &options, &plan) == SCT_OK);
        CHECK(plan->options.machine == NULL);
        hash[slow] = sct_plan_hash(plan);
        sct_plan_destroy(plan);
        machine.peak[SCT_F64] = 0;
        CHECK(sct_plan_create(&p.value, 1, &options, &plan) == SCT_BAD_ARGUMENT);
        CHECK(!strcmp(sct_last_reason(), "machine \"plain\": its peak for f64 is not known"));
        options.schedule = SCT_GREEDY;
        CHECK(sct_plan_create(&p.value, 1, &options, &plan) == SCT_OK);
        sct_plan_destroy(plan);
    }
    CHECK(hash[0] != hash[1]);
    free_problem(&p);
}

/* The cost of a plan's order, by the graph of its steps in direct order. */
static double seconds_of(const sct_plan *plan, const sct_graph *graph) {
    const sct_group_list *groups = &plan->groups;
    sct_step_order order;
    double seconds = NAN;
    CHECK(sct_step_order_create(graph, &order) == SCT_OK);
    for (int64_t g = 0; g < groups->count; g++) {
        const sct_step_group *group = &groups->group[g];
        for (int64_t e = group->prefetches.lo; e < group->prefetches.hi; e++) {
            const sct_prefetch *errand = &groups->prefetch[e];
            const sct_node *node = &graph->node[groups->ordered[errand->position].step];
            sct_step_order_add_fetch(&order, node->slice[errand->matrix]);
        }
        for (int64_t t = group->multiply.lo; t < group->multiply.hi; t++)
            sct_step_order_add_step(&order, groups->ordered[t].step);
        sct_step_order_end_group(&order);
    }
    CHECK(sct_step_order_seconds(graph, &order, &seconds) == SCT_OK);
    sct_step_order_clear(&order);
    return seconds;
}

/* The cost of direct order, with groups as large as those of the orders it is compared with. */
static double direct_seconds(const sct_plan *plan, int transfers, const sct_graph *graph) {
    const sct_options *options = &plan->options;
    sct_step_order order;
    double seconds = NAN;
    CHECK(sct_step_order_create(graph, &order) == SCT_OK);
    CHECK(sct_step_order_direct(graph,
                                (sct_limits){options->products_in_flight,
                                             transfers ? transfers : options->transfers_in_group,
                                             options->prefetch},
                                &order) == SCT_OK);
    CHECK(sct_step_order_seconds(graph, &order, &seconds) == SCT_OK);
    sct_step_order_clear(&order);
    return seconds;
}

static sct_plan *plan_of(const problem *p, sct_options options, sct_schedule schedule) {
    sct_plan *plan = NULL;
    options.schedule = schedule;
    if (schedule == SCT_DIRECT)
        options.transfers_in_group = 0;
    CHECK_CASE(sct_plan_create(&p->value, 0, &options, &plan) == SCT_OK, "%s", sct_last_reason());
    return plan;
}

/* By its own cost model an order by cost takes no longer than direct order, and the best order no
 * longer than that. */
static void check_never_behind(const problem *p, const sct_options *options, sct_schedule last) {
    sct_plan *direct = plan_of(p, *options, SCT_DIRECT);
    sct_graph graph;
    CHECK(sct_graph_create(direct, options->machine, &graph) == SCT_OK);
    double most = direct_seconds(direct, options->transfers_in_group, &graph);
    for (sct_schedule schedule = SCT_COST; schedule <= last; schedule++) {
        sct_plan *plan = plan_of(p, *options, schedule);
        double seconds = seconds_of(plan, &graph);
        CHECK_CASE(seconds <= most * (1 + 1e-9), "order %d takes %g, one before it %g",
                   (int)schedule, seconds, most);
        most = seconds;
        sct_plan_destroy(plan);
    }
    sct_graph_clear(&graph);
    sct_plan_destroy(direct);
}

/* For random layouts and machines. */
static void test_never_behind(uint64_t *random) {
    for (int i = 0; i < RANDOM; i++) {
        sct_machine machine = make_random_machine(random);
        problem p;
        int ranks = make_random_three(random, 60, 60, 60, p.layout);
        p.value = problem_with(SCT_F64, p.layout, ranks);
        p.value.ranks_per_node = 1;
        sct_options options = {.size = sizeof options,
                               .stay = (sct_stay)check_between(random, 1, 3),
                               .slicing = SCT_SLICE_TILE,
                               .workspace = SIZE_MAX,
                               .machine = &machine,
                               .products_in_flight = (int)check_between(random, 1, 3),
                               .transfers_in_group = (int)check_between(random, 1, 4)};
        check_never_behind(&p, &options, SCT_COST);
        free_problem(&p);
    }
}

static double simulated(const problem *p, sct_options options, sct_schedule schedule) {
    sct_forecast forecast = {.seconds = NAN};
    options.schedule = schedule;
    CHECK(sct_simulate(&p->value, &options, options.machine, NULL, &forecast) == SCT_OK);
    return forecast.seconds;
}

/* Unaligned 2-D blocks, on machines whose ranks have a link to each other rank, where the best
 * order is also the fastest in virtual time, or share one. */
static void test_best(void) {
    static const char *const text[][3] = {{"2d:3x4", "2d:3x4", "2d:3x4"},
                                          {"2d:4x3", "2d:4x3", "2d:4x3"},
                                          {"2d:4x3", "2d:3x4", "2d:4x3"}};
    static const char *const names[] = {"pvc12", "cluster"};
    for (int i = 0; i < 6; i++)
        for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
            sct_machine *machine;
            problem p;
            CHECK(sct_machine_load(names[i % 2], &machine) == SCT_OK);
            make_problem(3072, 12, text[i / 2], &p);
            sct_options options = {.size = sizeof options,
                                   .stay = (sct_stay)stay,
                                   .slicing = SCT_SLICE_TILE,
                                   .workspace = SIZE_MAX,
                                   .machine = machine};
            check_never_behind(&p, &options, SCT_EXHAUSTIVE);
            if (i % 2 == 0) {
                double first = simulated(&p, options, SCT_DIRECT);
                double least = simulated(&p, options, SCT_EXHAUSTIVE);
                CHECK_CASE(least <= first * 1.01, "layouts %d, stay %d: direct %g, exhaustive %g",
                           i / 2, stay, first, least);
            }
            free_problem(&p);
            sct_machine_destroy(machine);
        }
}

int main(void) {
    uint64_t random = check_seed(1);
    test_groups();
    test_limits();
    test_machine();
    test_never_behind(&random);
    test_best();
    return check_report("orders");
}
