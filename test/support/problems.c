/* problems.c - see problems.h. */
#include "support/problems.h"

#include "support/check.h"
#include "support/layouts.h"

void parse_three(int64_t m, int64_t k, int64_t n, int ranks, const char *const text[3],
                 sct_layout *layout[3]) {
    const int64_t rows[] = {m, k, m}, cols[] = {k, n, n};
    for (int i = 0; i < 3; i++)
        CHECK(sct_layout_parse(text[i], rows[i], cols[i], ranks, &layout[i]) == SCT_OK);
}

int make_random_three(uint64_t *state, int64_t m, int64_t k, int64_t n, sct_layout *layout[3]) {
    const int64_t rows[] = {m, k, m}, cols[] = {k, n, n};
    int ranks = 1;
    for (int i = 0; i < 3; i++) {
        layout[i] = make_random_layout(state, rows[i], cols[i]);
        int used = sct_layout_ranks(layout[i]);
        ranks = used > ranks ? used : ranks;
    }
    return ranks;
}

sct_problem problem_with(sct_type type, sct_layout *const layout[3], int ranks) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = type,
                         .a = layout[0],
                         .b = layout[1],
                         .c = layout[2],
                         .ranks = ranks};
}

sct_status cost_of(const sct_problem *problem, int rank, const sct_options *options,
                   sct_cost *cost) {
    sct_plan *plan;
    sct_status status = sct_plan_create(problem, rank, options, &plan);
    if (status)
        return status;
    sct_plan_cost(plan, cost);
    sct_plan_destroy(plan);
    return SCT_OK;
}
