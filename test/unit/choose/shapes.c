/* shapes.c - choices for products of many shapes: they move as little as on the best grid, and the
 * first does not depend on how many are asked for. */
#include "support/check.h"
#include "support/choices.h"

#include <inttypes.h>

enum { MATRICES = 3, MANY = 24 };

/* What the plans of all ranks say: the bytes moved by the busiest, and the memory of the rank that
 * uses most. */
static void survey(const sct_search *search, const sct_choice *choice, uint64_t *bytes,
                   uint64_t *memory) {
    sct_problem problem = choices_problem(search, choice);
    const sct_layout *layout[MATRICES] = {choice->a, choice->b, choice->c};
    sct_options options = choices_options(choice);
    *bytes = *memory = 0;
    for (int rank = 0; rank < search->ranks; rank++) {
        sct_plan *plan;
        sct_cost cost;
        if (!CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK))
            return;
        sct_plan_cost(plan, &cost);
        sct_plan_destroy(plan);
        uint64_t moved = cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated;
        uint64_t taken = cost.workspace;
        for (int i = 0; i < MATRICES; i++) {
            size_t part = 0;
            sct_layout_bytes(layout[i], search->type, rank, &part);
            taken += part;
        }
        *bytes = moved > *bytes ? moved : *bytes;
        *memory = taken > *memory ? taken : *memory;
    }
}

static void test_bytes(choices_shape s, int ranks) {
    sct_search search = choices_search(s, ranks);
    sct_choice choice;
    int count;
    uint64_t bytes, memory;
    search.aim = SCT_AIM_BYTES;
    if (!CHECK_CASE(sct_choose(&search, 1, &choice, &count) == SCT_OK && count == 1, "%s",
                    sct_last_reason()))
        return;
    survey(&search, &choice, &bytes, &memory);
    double least = choices_best_grid(s, ranks);
    CHECK_CASE((double)(bytes + choice.bytes_made) <= 1.02 * least,
               "%" PRId64 "x%" PRId64 "x%" PRId64 " on %d ranks: %" PRIu64 " + %" PRIu64
               " bytes, not %g",
               s.m, s.n, s.k, ranks, bytes, choice.bytes_made, least);
    CHECK(bytes == choice.bytes && memory == choice.memory);
    sct_choices_clear(&choice, 1);
}

/* If fewer choices are asked for, more candidates are left unplanned, but not the best. */
static void test_first(choices_shape s, sct_aim aim) {
    sct_search search = choices_search(s, 24);
    sct_choice one, many[MANY];
    int count, counts;
    search.aim = aim;
    if (!CHECK(sct_choose(&search, 1, &one, &count) == SCT_OK && count == 1))
        return;
    CHECK(sct_choose(&search, MANY, many, &counts) == SCT_OK && counts > 1);
    CHECK_CASE(one.seconds == many[0].seconds && one.bytes == many[0].bytes,
               "%g s and %" PRIu64 " bytes, not %g and %" PRIu64, one.seconds, one.bytes,
               many[0].seconds, many[0].bytes);
    sct_choices_clear(&one, 1);
    sct_choices_clear(many, counts);
}

int main(void) {
    static const choices_shape shapes[] = {{4096, 4096, 4096},  {2048, 12288, 3072},
                                           {2048, 3072, 12288}, {262144, 512, 512},
                                           {512, 512, 262144},  {30000, 20000, 10000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        test_bytes(shapes[i], 8);
        test_bytes(shapes[i], 64);
        test_first(shapes[i], SCT_AIM_TIME);
        test_first(shapes[i], SCT_AIM_BYTES);
    }
    return check_report("shapes");
}
