/* proof.c - plans that do not add up to the product are detected: one is missing or duplicated, or
 * has other layouts, or a span that is too short. */
#include "plan/proof.h"

#include "support/check.h"
#include "support/problems.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, M = 12, K = 20, N = 16 };

typedef struct subject {
    sct_layout *layout[SCT_MATS];
    sct_problem problem;
    sct_plan *plan[RANKS];
} subject;

static void make(const char *const text[SCT_MATS], subject *s) {
    static const sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
    parse_three(M, K, N, RANKS, text, s->layout);
    s->problem = problem_with(SCT_F64, s->layout, RANKS);
    for (int rank = 0; rank < RANKS; rank++)
        CHECK(sct_plan_create(&s->problem, rank, &options, &s->plan[rank]) == SCT_OK);
}

static void drop(subject *s) {
    for (int rank = 0; rank < RANKS; rank++)
        sct_plan_destroy(s->plan[rank]);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(s->layout[matrix]);
}

static const char *const plain[SCT_MATS] = {"cyclic:2x3@2x2", "cyclic:5x4@2x2", "2d:2x2"};

/* The verdict on the plans of these ranks: "" if they add up to the product. */
static const char *judge(const sct_product *product, const subject *s, int ranks,
                         const int rank[]) {
    sct_proof proof = sct_proof_begin(product);
    sct_status status = SCT_OK;
    for (int i = 0; i < ranks && !status; i++)
        status = sct_proof_add(&proof, s->plan[rank[i]]);
    if (!status)
        status = sct_proof_end(&proof);
    return status ? sct_last_reason() : "";
}

static const int all[] = {0, 1, 2, 3};

static void test_count(const sct_product *product, const subject *s) {
    static const int twice[] = {0, 1, 1, 2, 3}, other[] = {0, 1, 2, 2};
    static const char wrong[] = "some product of A[i, l] and B[l, j] is not done exactly once";
    CHECK(strcmp(judge(product, s, RANKS, all), "") == 0);
    CHECK(strcmp(judge(product, s, RANKS - 1, all), wrong) == 0);
    CHECK(strcmp(judge(product, s, RANKS + 1, twice), wrong) == 0);
    CHECK(strcmp(judge(product, s, RANKS, other), wrong) == 0);
}

/* One matrix has another layout than the product: other owners, blocks, grids, storage orders or
 * replicas; on ranks with more blocks, or none. */
static void test_other_layouts(const sct_product *product) {
    static const char *const others[] = {"row",
                                         "col",
                                         "row/f",
                                         "row*2",
                                         "cyclic:2x3@4x1",
                                         "cyclic:5x4@1x4",
                                         "2d:2x2%3,2,1,0",
                                         "2d:2x1",
                                         "cuts:6x8@0,3,3,1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (int matrix = 0; matrix < SCT_MATS; matrix++) {
            const char *text[SCT_MATS];
            char wrong[] = "X is not where its layout says";
            subject s;
            memcpy(text, plain, sizeof text);
            text[matrix] = others[i];
            wrong[0] = (char)('A' + matrix);
            make(text, &s);
            const char *said = judge(product, &s, RANKS, all);
            CHECK_CASE(strstr(said, wrong), "%s for %c: \"%s\"", others[i], 'A' + matrix, said);
            drop(&s);
        }
}

/* Pieces of several spans are stored. */
static void test_short_span(const sct_product *product, const subject *s) {
    sct_piece_list *list = s->plan[0]->list;
    CHECK(list->pieces.piece != NULL);
    sct_spans *spans = &list->pieces.piece[0].side[0];
    spans->count--;
    CHECK(strstr(judge(product, s, RANKS, all), "is not where its layout says"));
    spans->count++;
}

/* Gives the plan an explicit order: direct order, except that the last panel of the first sum and
 * the first of the second change places. */
static void exchange_panels(sct_plan *plan) {
    int64_t panels = plan->list[plan->box[0].list[SCT_DIM_K]].pieces.count;
    sct_ordered_step *ordered = calloc((size_t)plan->steps, sizeof *ordered);
    CHECK(panels > 1 && plan->steps > panels);
    for (int64_t i = 0; i < plan->steps; i++)
        ordered[i] = (sct_ordered_step){
            .step = i, .fresh = i % panels == 0, .flush = i % panels == panels - 1};
    ordered[panels - 1].step = panels;
    ordered[panels].step = panels - 1;
    plan->groups.ordered = ordered;
}

/* With B stationary, each sum consists of several panels. It is handed over too early if one of
 * them changes places with a panel of the next sum. */
static void test_sums(void) {
    static const char *const rows[SCT_MATS] = {"row", "row", "row"};
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_B};
    subject s;
    sct_product product;
    parse_three(1024, 6144, 1536, RANKS, rows, s.layout);
    s.problem = problem_with(SCT_F64, s.layout, RANKS);
    s.problem.ranks_per_node = 1;
    for (int rank = 0; rank < RANKS; rank++)
        CHECK(sct_plan_create(&s.problem, rank, &options, &s.plan[rank]) == SCT_OK);
    CHECK(sct_product_create(&s.problem, &product) == SCT_OK);
    CHECK(strcmp(judge(&product, &s, RANKS, all), "") == 0);
    exchange_panels(s.plan[1]);
    CHECK(strcmp(judge(&product, &s, RANKS, all),
                 "rank 1: a contribution to C is not accumulated exactly once") == 0);
    sct_product_clear(&product);
    drop(&s);
}

int main(void) {
    subject s;
    sct_product product;
    make(plain, &s);
    CHECK(sct_product_create(&s.problem, &product) == SCT_OK);
    test_count(&product, &s);
    test_other_layouts(&product);
    test_short_span(&product, &s);
    test_sums();
    sct_product_clear(&product);
    drop(&s);
    return check_report("proof");
}
