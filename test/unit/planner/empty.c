/* empty.c - where m, n or k is 0, plans have nothing to list, however many blocks the others have.
 */
#include "plan/plan.h"

#include "support/check.h"
#include "support/problems.h"

static const int64_t size = 1000000000; /* more blocks than a plan may list */

static void check_plan(const char *name, const sct_problem *problem, const sct_options *options) {
    sct_plan *plan = NULL;
    if (!CHECK_CASE(sct_plan_create(problem, 1, options, &plan) == SCT_OK, "%s: %s", name,
                    sct_last_reason()))
        return;
    sct_cost cost;
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
    CHECK_CASE(plan->steps == 0 && plan->boxes == 0 && plan->stretches == 0, "%s", name);
    CHECK_CASE(cost.steps == 0 && cost.workspace == 0 && cost.flops == 0, "%s", name);
    sct_plan_destroy(plan);
}

static void test_empty(const char *name, int64_t m, int64_t k, int64_t n) {
    static const char *const text[] = {"cyclic:1x1", "col*2", "cyclic:3x5"};
    sct_layout *layout[3];
    parse_three(m, k, n, 8, text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, 8);
    for (int stay = SCT_STAY_AUTO; stay <= SCT_STAY_C; stay++)
        for (int schedule = SCT_DIRECT; schedule <= SCT_EXHAUSTIVE; schedule++) {
            sct_options options = {
                .size = sizeof options, .stay = (sct_stay)stay, .schedule = (sct_schedule)schedule};
            check_plan(name, &problem, &options);
            options.fetch = SCT_FETCH_TILE;
            options.slicing = SCT_SLICE_TILE;
            check_plan(name, &problem, &options);
        }
    CHECK_CASE(sct_plan_check(&problem, NULL) == SCT_OK, "%s: %s", name, sct_last_reason());
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
}

int main(void) {
    test_empty("m", 0, size, size);
    test_empty("k", size, 0, size);
    test_empty("n", size, size, 0);
    test_empty("all", 0, 0, 0);
    return check_report("empty");
}
