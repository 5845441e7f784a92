/* recent_plans.c - a product that is computed again gets the same plan; one that differs in
 * anything gets its own. */
#include "api/recent_plans.h"

#include "planner/options.h"
#include "support/check.h"

#include <string.h>

typedef struct product {
    sct_layout *rows, *cols;
    sct_slice whole, part;
    sct_problem problem;
    sct_recent_plans recent;
} product;

static void make(product *p) {
    *p = (product){.whole = {{0, 8}, {0, 8}}, .part = {{0, 8}, {0, 4}}};
    CHECK(sct_layout_create_row(8, 8, 2, &p->rows) == SCT_OK);
    CHECK(sct_layout_create_col(8, 8, 2, &p->cols) == SCT_OK);
    p->problem = (sct_problem){.size = sizeof p->problem,
                               .type = SCT_F64,
                               .a = p->rows,
                               .b = p->rows,
                               .c = p->rows,
                               .view_a = &p->whole,
                               .view_b = &p->whole,
                               .view_c = &p->whole,
                               .ranks = 2};
}

/* The plan's address; the plan is destroyed, but for the entry's own reference. */
static const sct_plan *find(product *p, const sct_problem *problem, const sct_options *options) {
    const sct_plan *plan = NULL;
    CHECK(sct_recent_plans_find(&p->recent, problem, 0, options, &plan) == SCT_OK);
    sct_plan_destroy((sct_plan *)plan);
    return plan;
}

static void test_found(product *p) {
    sct_options options = {.size = sizeof options};
    const sct_plan *first = find(p, &p->problem, NULL);
    CHECK(find(p, &p->problem, NULL) == first);
    CHECK(find(p, &p->problem, &options) == first);
    sct_problem other = p->problem;
    other.c = p->cols;
    CHECK(find(p, &other, NULL) != first);
    other = p->problem;
    other.view_b = other.view_c = &p->part;
    CHECK(find(p, &other, NULL) != first);
    options.ordered = 1;
    CHECK(find(p, &p->problem, &options) != first);
    CHECK(find(p, &p->problem, NULL) == first);
}

/* The padding of options changes no plan. */
static void test_padding(product *p) {
    sct_options zeros, ones;
    memset(&zeros, 0, sizeof zeros);
    memset(&ones, 255, sizeof ones);
    zeros.size = ones.size = sizeof(sct_options);
    ones.stay = 0;
    ones.work = NULL;
    ones.slicing = 0;
    ones.fetch = 0;
    ones.schedule = 0;
    ones.result = 0;
    ones.workspace = 0;
    ones.prefetch = ones.products_in_flight = ones.accumulates_in_flight = 0;
    ones.sync = ones.ordered = 0;
    ones.start = 0;
    ones.transfers_in_group = 0;
    ones.decisions = NULL;
    ones.machine = NULL;
    CHECK(memcmp(&zeros, &ones, sizeof zeros) != 0);
    CHECK(find(p, &p->problem, &zeros) == find(p, &p->problem, &ones));
    /* Every member counts: all bytes but those of the padding. */
    size_t same = 0, padding = 0;
    for (size_t i = 0; i < sizeof zeros; i++) {
        sct_options other = zeros;
        ((unsigned char *)&other)[i] = 255;
        same += sct_options_equal(&zeros, &other);
        padding += ((unsigned char *)&ones)[i] == 255;
    }
    CHECK_CASE(same == padding, "%zu bytes are not compared, %zu are padding", same, padding);
}

/* The oldest entry makes room for the fifth. */
static void test_replaced(product *p) {
    const sct_plan *first = find(p, &p->problem, NULL);
    for (int i = 1; i <= SCT_RECENT_PLANS; i++) {
        sct_options options = {.size = sizeof options, .prefetch = i};
        find(p, &p->problem, &options);
    }
    bool kept = false;
    for (int i = 0; i < SCT_RECENT_PLANS; i++)
        kept |= p->recent.entry[i].plan == first;
    CHECK(!kept);
}

/* Neither a plan made with a machine, which may change, nor a failure is kept. */
static void test_not_kept(product *p) {
    sct_machine *machine;
    const sct_plan *plan;
    CHECK(sct_machine_load("node", &machine) == SCT_OK);
    sct_options options = {.size = sizeof options, .machine = machine};
    sct_recent_plans before = p->recent;
    find(p, &p->problem, &options);
    CHECK(p->recent.next == before.next);
    options = (sct_options){.size = sizeof options, .prefetch = 5000};
    CHECK(sct_recent_plans_find(&p->recent, &p->problem, 0, &options, &plan) == SCT_BAD_ARGUMENT);
    CHECK(p->recent.next == before.next);
    sct_machine_destroy(machine);
}

int main(void) {
    product p;
    make(&p);
    test_found(&p);
    test_padding(&p);
    test_replaced(&p);
    test_not_kept(&p);
    sct_layout_destroy(p.rows);
    sct_layout_destroy(p.cols);
    sct_recent_plans_clear(&p.recent);
    return check_report("recent_plans");
}
