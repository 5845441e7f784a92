/* owners.c - the cells of an operand's owners are the sums of its fragments, in the order in which
 * fragments reach them. */
#include "plan/operand.h"
#include "planner/planner.h"
#include "support/check.h"
#include "support/problems.h"

enum { CASES = 300, MOST = 24, MOST_CELLS = MOST * MOST };

typedef struct cell {
    sct_place place;
    sct_owner_share owned;
} cell;

/* Counts fragment by fragment. */
static int count_plainly(const sct_operand *operand, cell cells[MOST_CELLS]) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    int count = 0;
    while (sct_fragments_next(&fragments, &f)) {
        int i = 0;
        while (i < count &&
               (cells[i].place.rank != f.place.rank || cells[i].place.block != f.place.block))
            i++;
        if (i == count)
            cells[count++] = (cell){f.place, {.rank = f.place.rank}};
        cells[i].owned.fragments++;
        cells[i].owned.bytes += (uint64_t)(f.lines * f.count) * sct_type_bytes(operand->type);
    }
    return count;
}

static bool same(sct_owners *owners, const sct_operand *operand) {
    static cell cells[MOST_CELLS];
    sct_owner_share owned;
    int count = count_plainly(operand, cells), i = 0;
    bool right = true;
    sct_owners_begin(owners, operand);
    for (; sct_owners_next(owners, &owned) && right; i++)
        right = i < count && owned.rank == cells[i].owned.rank &&
                owned.fragments == cells[i].owned.fragments && owned.bytes == cells[i].owned.bytes;
    return right && i == count;
}

static void test_plan(int number, const sct_plan *plan, int64_t *scattered) {
    sct_owners owners = {.i = 0};
    sct_task task;
    for (int64_t step = 0; step < plan->steps; step++) {
        sct_plan_task(plan, step, &task);
        for (int matrix = 0; matrix < SCT_MATS; matrix++) {
            const sct_operand *operand = &task.operand[matrix];
            *scattered += operand->lines.count > 1 && operand->within.count > 1;
            CHECK_CASE(same(&owners, operand), "case %d, rank %d, step %lld, matrix %d", number,
                       plan->rank, (long long)step, matrix);
        }
    }
    CHECK(sct_owners_end(&owners, SCT_OK) == SCT_OK);
}

/* Checks the plans of all ranks; takes ownership of the problem's layouts. */
static void test_plans(int number, const sct_problem *problem, const sct_options *options,
                       int64_t *scattered) {
    for (int rank = 0; rank < problem->ranks; rank++) {
        sct_plan *plan;
        int64_t least = -1;
        if (!CHECK(sct_plan_create(problem, rank, options, &plan) == SCT_OK))
            break;
        test_plan(number, plan, scattered);
        if (options->slicing == SCT_SLICE_TILE)
            CHECK(sct_plan_least_steps(problem, rank, options, &least) == SCT_OK &&
                  least == plan->steps);
        sct_plan_destroy(plan);
    }
    sct_layout_destroy((sct_layout *)problem->a);
    sct_layout_destroy((sct_layout *)problem->b);
    sct_layout_destroy((sct_layout *)problem->c);
}

static void test_random(int number, uint64_t *random, int64_t *scattered) {
    sct_layout *layout[SCT_MATS];
    int64_t m = check_between(random, 1, MOST), k = check_between(random, 1, MOST);
    int64_t n = check_between(random, 1, MOST);
    int ranks = make_random_three(random, m, k, n, layout);
    sct_problem problem = problem_with(SCT_F32, layout, ranks);
    problem.ranks_per_node = (int)check_between(random, 0, 2);
    sct_options options = {.size = sizeof options,
                           .stay = (sct_stay)check_between(random, 0, 3),
                           .slicing = (sct_slicing)check_between(random, 0, 1),
                           .fetch = (sct_fetch)check_between(random, 0, 1)};
    test_plans(number, &problem, &options, scattered);
}

/* Slices of many small blocks of each matrix in turn, on a 3 x 2 grid. */
static void test_small_blocks(int stay) {
    static const char *const text[] = {"cyclic:1x2", "cyclic:2x1/f", "cyclic:3x1"};
    enum { RANKS = 6 };
    int64_t scattered = 0;
    for (int ranks_per_node = 1; ranks_per_node <= RANKS; ranks_per_node++) {
        sct_layout *layout[SCT_MATS];
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            CHECK(sct_layout_parse(matrix == stay ? "row" : text[matrix], MOST, MOST, RANKS,
                                   &layout[matrix]) == SCT_OK);
        sct_problem problem = problem_with(SCT_F64, layout, RANKS);
        problem.ranks_per_node = ranks_per_node;
        const sct_decisions together = {
            .size = sizeof together, .nest = {0, 1, 2}, .gather = {{1, 1}, {1, 1}, {1, 1}}};
        sct_options options = {
            .size = sizeof options, .stay = (sct_stay)(SCT_STAY_A + stay), .decisions = &together};
        test_plans(stay, &problem, &options, &scattered);
    }
    CHECK_CASE(scattered > 0, "stay %d: no slice of several lines and columns", stay);
}

int main(void) {
    uint64_t random = check_seed(1);
    int64_t scattered = 0;
    for (int i = 0, cases = check_cases(CASES); i < cases; i++)
        test_random(i, &random, &scattered);
    CHECK(scattered > 0);
    for (int stay = 0; stay < SCT_MATS; stay++)
        test_small_blocks(stay);
    return check_report("owners");
}
