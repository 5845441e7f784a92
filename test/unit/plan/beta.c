/* beta.c - whether the first products into a rank's own C apply beta, or C is scaled before. */
#include "plan/plan.h"

#include "support/check.h"
#include "support/problems.h"

/* C = AB, of 8 x 8 each, on two ranks. */
typedef struct written {
    const char *text[3];
    sct_stay stay;
    int ranks_per_node; /* 0: each reaches all */
    bool in_product[2]; /* by rank */
} written;

static const written cases[] = {
    {{"row", "row", "row"}, SCT_STAY_C, 0, {true, true}},
    {{"row", "row", "row"}, SCT_STAY_A, 0, {true, true}},
    {{"row", "row", "row"}, SCT_STAY_A, 1, {true, true}},
    {{"row", "col", "col"}, SCT_STAY_B, 1, {true, true}},
    {{"row*2", "row", "row*2"}, SCT_STAY_A, 0, {false, false}}, /* half of each replica's columns */
    {{"row", "row", "row*2"}, SCT_STAY_A, 0, {false, false}},   /* half of each replica's rows */
    {{"col", "row", "row"}, SCT_STAY_A, 0, {false, false}},     /* both add to all */
    {{"row", "row", "col"}, SCT_STAY_A, 1, {false, false}},     /* half of it is the other's */
    {{"row", "row", "col"}, SCT_STAY_A, 0, {false, false}},     /* which is written in place */
    /* The same amount, but all of it the other rank's; and all of C beside parts of the other rank.
     */
    {{"row", "row", "cuts:4x-@1,0x0"}, SCT_STAY_A, 0, {false, false}},
    {{"cuts:5x-@0,1x0", "row", "row"}, SCT_STAY_A, 1, {false, false}},
    /* Rank 1 adds to all of it, too. */
    {{"col", "row", "cuts:-x-@0"}, SCT_STAY_A, 0, {false, false}},
    /* Several cells; both ranks hold part of k for one row of cells. */
    {{"cuts:2,4,6x-@0,1,0,1", "row", "cuts:2,4,6x-@0,1,0,1"}, SCT_STAY_A, 0, {true, true}},
    {{"cuts:4x4@0,0,1,1", "row", "cuts:4x-@0,1"}, SCT_STAY_A, 0, {false, false}},
    {{"cuts:-x-@0", "row", "cuts:4x-@0,0"}, SCT_STAY_C, 0, {true, false}}};

static bool beta_in_product(const written *w, int rank) {
    sct_layout *layout[3];
    parse_three(8, 8, 8, 2, w->text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, 2);
    problem.ranks_per_node = w->ranks_per_node;
    const sct_options options = {.size = sizeof options, .stay = w->stay};
    sct_plan *plan;
    CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK);
    bool in_product = plan->beta_in_product;
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
    return in_product;
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int rank = 0; rank < 2; rank++)
            CHECK_CASE(beta_in_product(&cases[i], rank) == cases[i].in_product[rank],
                       "%s,%s,%s on rank %d", cases[i].text[0], cases[i].text[1], cases[i].text[2],
                       rank);
    return check_report("beta");
}
