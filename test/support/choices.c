/* choices.c - see choices.h. */
#include "support/choices.h"

#include "support/check.h"

sct_search choices_search(choices_shape s, int ranks) {
    return (sct_search){.size = sizeof(sct_search),
                        .type = SCT_F64,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k,
                        .ranks = ranks,
                        .ranks_per_node = 1};
}

sct_problem choices_problem(const sct_search *search, const sct_choice *choice) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = search->type,
                         .a = choice->a,
                         .b = choice->b,
                         .c = choice->c,
                         .ranks = search->ranks,
                         .ranks_per_node = search->ranks_per_node};
}

sct_options choices_options(const sct_choice *choice) {
    return (sct_options){.size = sizeof(sct_options),
                         .stay = choice->stay,
                         .work = choice->work,
                         .slicing = choice->slicing,
                         .schedule = choice->schedule};
}

static double part(int64_t size, int parts) {
    return (double)((size - 1) / parts + 1);
}

double choices_best_grid(choices_shape s, int ranks) {
    double best = -1;
    for (int pm = 1; pm <= ranks; pm++)
        for (int pn = 1; pn <= ranks / pm; pn++) {
            int pk = ranks / pm / pn;
            double m = part(s.m, pm), n = part(s.n, pn), k = part(s.k, pk);
            double bytes =
                8 * (m * k * (1 - 1.0 / pn) + k * n * (1 - 1.0 / pm) + m * n * (1 - 1.0 / pk));
            if (pm * pn * pk == ranks && (best < 0 || bytes < best))
                best = bytes;
        }
    return best;
}

void choices_check_fit(const sct_search *search, const sct_choice *choice) {
    sct_problem problem = choices_problem(search, choice);
    sct_options options = {.size = sizeof options,
                           .stay = choice->stay,
                           .work = choice->work,
                           .slicing = choice->slicing,
                           .schedule = choice->schedule,
                           .machine = search->machine,
                           .workspace = (size_t)choice->workspace};
    const sct_layout *layout[] = {choice->a, choice->b, choice->c};
    for (int rank = 0; rank < search->ranks; rank++) {
        sct_plan *plan;
        sct_cost cost = {.workspace = UINT64_MAX};
        size_t bytes, all = 0;
        for (int i = 0; i < 3; i++) {
            CHECK(sct_layout_bytes(layout[i], search->type, rank, &bytes) == SCT_OK);
            all += bytes;
        }
        if (CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK)) {
            CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
            sct_plan_destroy(plan);
        }
        CHECK_CASE(all + cost.workspace <= search->memory, "rank %d: %zu and %llu bytes", rank, all,
                   (unsigned long long)cost.workspace);
    }
}

void choices_check_before(const sct_choice *first, const sct_choice *other) {
    CHECK_CASE(first->expected <= 1.02 * other->expected, "%g and %g s", first->expected,
               other->expected);
}
