/* walk.c - how far ahead a walk prefetches: past steps that need nothing, as many steps as the
 * decisions or the options say. */
#include "plan/walk.h"
#include "support/check.h"
#include "support/problems.h"

enum { PANELS = 8, STEPS = 2 * PANELS };

/* Counts the fetches before each product. */
typedef struct watcher {
    int fetched, steps, before[STEPS];
} watcher;

static sct_status fetch(void *self, const sct_operand *operand, int64_t slot) {
    watcher *w = self;
    CHECK(operand->matrix == SCT_MAT_A && slot >= 0);
    w->fetched++;
    return SCT_OK;
}

static sct_status multiply(void *self, const sct_task *task) {
    watcher *w = self;
    CHECK(task->step == w->steps);
    w->before[w->steps++] = w->fetched;
    return SCT_OK;
}

/* Rank 0 of two multiplies its own rows of A in place, panel by panel, then those of rank 1, whose
 * panels have 1 MiB. */
static watcher walk(const sct_options *options) {
    static const char *const rows[] = {"row", "row", "row"};
    static const sct_actor actor = {.fetch = fetch, .multiply = multiply};
    watcher w = {.fetched = 0};
    sct_layout *layout[SCT_MATS];
    sct_plan *plan;
    parse_three(256, 2048 * PANELS, 256, 2, rows, layout);
    sct_problem problem = problem_with(SCT_F64, layout, 2);
    problem.ranks_per_node = 1;
    if (CHECK(sct_plan_create(&problem, 0, options, &plan) == SCT_OK)) {
        CHECK(plan->steps == STEPS && sct_plan_walk(plan, &actor, &w) == SCT_OK);
        CHECK(w.steps == STEPS && w.fetched == PANELS);
        sct_plan_destroy(plan);
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(layout[matrix]);
    return w;
}

int main(void) {
    sct_decisions decisions = {.size = sizeof decisions};
    CHECK(sct_decisions_parse("nest=mnk,k=1024,begin=own+shifted+shifted,ahead=16", &decisions) ==
          SCT_OK);
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_B, .decisions = &decisions};
    watcher freely = walk(&options);
    CHECK(freely.before[0] == PANELS);
    decisions.ahead = 0;
    options.prefetch = 2;
    watcher told = walk(&options);
    CHECK(told.before[PANELS - 3] == 0 && told.before[PANELS - 2] == 1);
    CHECK(told.before[PANELS] == 3);
    options.prefetch = -1;
    watcher never = walk(&options);
    CHECK(never.before[PANELS - 1] == 0 && never.before[PANELS] == 1);
    return check_report("walk");
}
