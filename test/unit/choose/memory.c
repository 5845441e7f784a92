/* memory.c - the memory of layouts is known before they are planned for all ranks. */
#include "choose/search.h"

#include "support/check.h"

#include <math.h>

/* With blocks, the rank with the largest parts uses most memory. */
static void test_bound(int ranks, bool min_workspace) {
    sct_search search = {.size = sizeof search,
                         .type = SCT_F64,
                         .m = 700,
                         .n = 500,
                         .k = 600,
                         .ranks = ranks,
                         .ranks_per_node = 1};
    sct_layout_search *layouts;
    sct_choice choice = {.memory = 0};
    if (!CHECK(sct_layout_search_create(&search, &layouts) == SCT_OK))
        return;
    sct_search_context *context = &layouts->context;
    const sct_layout *layout[SCT_MATS];
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        layout[matrix] = layouts->moving[matrix].layout[0];
    sct_score_consider(context, layout, SCT_MAT_C, NULL);
    context->min_workspace = min_workspace;
    CHECK(sct_score_plans(context, &choice) == SCT_OK && choice.memory > 0);
    CHECK_CASE(sct_score_min_memory(context) == choice.memory, "%llu bytes, not %llu",
               (unsigned long long)sct_score_min_memory(context),
               (unsigned long long)choice.memory);
    sct_layout_search_destroy(layouts);
}

/* With a limit, the computation stops as soon as it exceeds it: a result below the limit is exact,
 * any other is at least the limit. */
static void test_most(void) {
    sct_search search = {.size = sizeof search,
                         .type = SCT_F64,
                         .m = 700,
                         .n = 500,
                         .k = 600,
                         .ranks = 7,
                         .ranks_per_node = 2};
    sct_layout_search *layouts;
    if (!CHECK(sct_layout_search_create(&search, &layouts) == SCT_OK))
        return;
    sct_search_context *context = &layouts->context;
    const sct_layout *layout[SCT_MATS];
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        layout[matrix] = layouts->moving[matrix].layout[matrix == SCT_MAT_C];
    sct_score_consider(context, layout, SCT_MAT_C, NULL);
    for (int only = -1; only < SCT_MAT_C; only++) {
        double all = sct_score_layouts(context, only, INFINITY);
        CHECK_CASE(all > 0 && sct_score_layouts(context, only, all * 1.001) == all, "matrix %d: %g",
                   only, all);
        for (double part = 0.1; part <= 1; part += 0.1)
            CHECK(sct_score_layouts(context, only, all * part) >= all * part);
    }
    sct_layout_search_destroy(layouts);
}

/* With equal parts on all ranks, and with a rank that has the most and is not the first. */
int main(void) {
    for (int ranks = 4; ranks <= 7; ranks++) {
        test_bound(ranks, true);
        test_bound(ranks, false);
    }
    test_most();
    return check_report("seek");
}
