/* work_choice.c - what the chosen work layout moves, on ranks that share no memory, is what the
 * best grid moves; and layouts that suit a stationary matrix keep it. */
#include <sectile/sectile.h>

#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };

typedef struct product {
    int ranks;
    int64_t m, n, k;
    const char *a, *b, *c;
} product;

typedef struct decided {
    sct_layout *layout[3], *work;
    sct_problem problem;
    sct_options options;
} decided;

static void make(const product *p, decided *made) {
    memset(made, 0, sizeof *made);
    CHECK(sct_layout_parse(p->a, p->m, p->k, p->ranks, &made->layout[0]) == SCT_OK);
    CHECK(sct_layout_parse(p->b, p->k, p->n, p->ranks, &made->layout[1]) == SCT_OK);
    CHECK(sct_layout_parse(p->c, p->m, p->n, p->ranks, &made->layout[2]) == SCT_OK);
    made->problem = (sct_problem){.size = sizeof made->problem,
                                  .type = SCT_F64,
                                  .a = made->layout[0],
                                  .b = made->layout[1],
                                  .c = made->layout[2],
                                  .ranks = p->ranks,
                                  .ranks_per_node = 1};
    made->options = (sct_options){.size = sizeof made->options, .workspace = SCT_NO_LIMIT};
    CHECK(sct_plan_decide(&made->problem, &made->options, &made->options.stay, &made->work) ==
          SCT_OK);
    made->options.work = made->work;
}

static void clear(decided *made) {
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(made->layout[i]);
    sct_layout_destroy(made->work);
}

/* The larger of what the busiest rank takes in and gives out. */
static uint64_t busiest(const decided *made) {
    uint64_t in[MOST] = {0}, out[MOST] = {0}, most = 0;
    for (int rank = 0; rank < made->problem.ranks; rank++) {
        uint64_t read[MOST] = {0}, added[MOST] = {0};
        sct_plan *plan;
        CHECK(sct_plan_create(&made->problem, rank, &made->options, &plan) == SCT_OK);
        CHECK(sct_plan_traffic(plan, read, added) == SCT_OK);
        CHECK(read[rank] == 0 && added[rank] == 0);
        sct_plan_destroy(plan);
        for (int other = 0; other < made->problem.ranks; other++) {
            in[rank] += read[other];
            out[other] += read[other];
            out[rank] += added[other];
            in[other] += added[other];
        }
    }
    for (int rank = 0; rank < made->problem.ranks; rank++) {
        most = in[rank] > most ? in[rank] : most;
        most = out[rank] > most ? out[rank] : most;
    }
    return most;
}

/* The bytes of the best grid, counted by hand. */
static void test_bytes(void) {
    static const struct {
        product product;
        uint64_t bytes;
    } cases[] = {{{4, 1024, 6144, 1536, "row", "row", "row"}, 33030144},
                 {{8, 1024, 6144, 1536, "row", "row", "row"}, 23592960},
                 {{16, 1024, 6144, 1536, "row", "row", "row"}, 15925248},
                 {{4, 256, 256, 65536, "row", "col", "row"}, 50724864},
                 {{8, 256, 256, 65536, "row", "col", "row"}, 29818880},
                 {{16, 256, 256, 65536, "row", "col", "row"}, 16220160},
                 /* k in blocks dealt to replicas, although no matrix has them in k; as B has */
                 {{8, 4096, 4096, 4096, "row", "row", "cyclic:64x64"}, 75497472},
                 {{16, 1024, 1536, 6144, "2d", "cyclic:64x64", "row"}, 13762560}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decided made;
        make(&cases[i].product, &made);
        uint64_t bytes = busiest(&made);
        CHECK_CASE(bytes == cases[i].bytes, "case %zu: %llu bytes, not %llu", i,
                   (unsigned long long)bytes, (unsigned long long)cases[i].bytes);
        CHECK_CASE(made.work && sct_plan_check(&made.problem, &made.options) == SCT_OK,
                   "case %zu: %s", i, sct_last_reason());
        clear(&made);
    }
}

static void test_stationary(void) {
    static const struct {
        product product;
        int per_node;
        sct_stay stay;
    } cases[] = {
        {{4, 4096, 4096, 4096, "2d", "2d", "2d"}, 1, SCT_STAY_C},
        {{4, 128, 64, 65536, "col", "row", "2d"}, 1, SCT_STAY_A},
        {{4, 65536, 64, 64, "row", "row", "row"}, 1, SCT_STAY_C},
        /* n has parts without indices, which need nothing of A */
        {{6, 1000, 64, 64, "cyclic:64x64", "cyclic:64x64", "cyclic:64x64"}, 1, SCT_STAY_C},
        /* all of A and B is behind one link, which two ranks share; both can compute */
        {{8, 1536, 512, 512, "row@1", "col@2", "row"}, 2, SCT_STAY_B},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        decided made;
        sct_layout *work = NULL;
        sct_stay stay;
        make(&cases[i].product, &made);
        made.problem.ranks_per_node = cases[i].per_node;
        CHECK(sct_plan_decide(&made.problem, NULL, &stay, &work) == SCT_OK);
        CHECK_CASE(!work && stay == cases[i].stay, "case %zu: %d%s", i, (int)stay,
                   work ? ", with a work layout" : "");
        sct_layout_destroy(work);
        clear(&made);
    }
}

/* A work layout of the wrong size, or on too many ranks, is refused. */
static void test_refused(void) {
    static const struct {
        const char *text, *reason;
        sct_stay stay;
        int64_t rows, cols;
        int ranks;
    } cases[] = {
        {"row", "work: the layout is of 5 x 6, and must be of 8 x 6, as C", SCT_STAY_AUTO, 5, 6, 4},
        {"row", "must be of 8 x 7, as op(A)", SCT_STAY_A, 8, 6, 4},
        {"row", "must be of 7 x 6, as op(B)", SCT_STAY_B, 8, 6, 4},
        {"row", "work: the layout uses 5 ranks of 4", SCT_STAY_C, 8, 6, 5}};
    const product p = {4, 8, 6, 7, "row", "row", "row"};
    decided made;
    make(&p, &made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_layout *work;
        sct_plan *plan;
        CHECK(sct_layout_parse(cases[i].text, cases[i].rows, cases[i].cols, cases[i].ranks,
                               &work) == SCT_OK);
        sct_options options = {.size = sizeof options, .stay = cases[i].stay, .work = work};
        CHECK(sct_plan_create(&made.problem, 0, &options, &plan) == SCT_BAD_ARGUMENT);
        CHECK_CASE(strstr(sct_last_reason(), cases[i].reason), "%s", sct_last_reason());
        sct_layout_destroy(work);
    }
    clear(&made);
}

/* A work layout that is that of C keeps C stationary. */
static void test_same(void) {
    const product p = {4, 8, 6, 7, "row", "row", "2d"};
    decided made;
    make(&p, &made);
    sct_options options = {.size = sizeof options, .work = made.layout[2]};
    sct_plan *plan;
    CHECK(sct_plan_create(&made.problem, 0, &options, &plan) == SCT_OK);
    CHECK(sct_plan_work(plan) == NULL && sct_plan_stay(plan) == SCT_STAY_C);
    sct_plan_destroy(plan);
    clear(&made);
}

/* The bytes that a rank moves on the best grid of equal boxes, of at most 256 x 256 x any. */
static double bytes_of_grid(const product *p) {
    double least = INFINITY;
    for (int64_t i = 1; i <= 256 && i <= p->m; i++)
        for (int64_t j = 1; j <= 256 && j <= p->n && i * j <= p->ranks; j++) {
            int64_t parts = p->ranks / (i * j);
            double m = (double)p->m / (double)i, n = (double)p->n / (double)j,
                   k = (double)p->k / (double)(parts < p->k ? parts : p->k);
            least = fmin(least, 8 * (m * k + k * n + m * n));
        }
    return least;
}

/* With very many ranks, also with a prime number, a rank moves little more than on the best grid;
 * also if few ranks have all of A and B, and where a grid takes many messages. */
static void test_many(const product *p) {
    decided made;
    make(p, &made);
    sct_plan *plan;
    sct_cost cost = {.bytes_got = UINT64_MAX};
    if (CHECK(sct_plan_create(&made.problem, p->ranks / 2, &made.options, &plan) == SCT_OK)) {
        sct_plan_cost(plan, &cost);
        sct_plan_destroy(plan);
    }
    double bytes = (double)(cost.bytes_got + cost.bytes_accumulated), grid = bytes_of_grid(p);
    CHECK_CASE(bytes <= 1.05 * grid, "%dx%dx%d, %d ranks: %g bytes, not %g", (int)p->m, (int)p->n,
               (int)p->k, p->ranks, bytes, grid);
    clear(&made);
}

int main(void) {
    static const product many[] = {{8192, 1000000, 1000000, 1000000, "row", "col", "2d"},
                                   {10007, 1000000, 1000000, 1000000, "row", "col", "2d"},
                                   {65536, 1000000, 1000000, 1000000, "row", "col", "2d"},
                                   {1048576, 1000000, 1000000, 1000000, "row", "col", "2d"},
                                   {65536, 4096, 4096, 4096, "row", "col", "2d"},
                                   {4096, 256, 256, 65536, "2d", "2d", "2d"},
                                   {65536, 256, 256, 65536, "2d", "2d", "2d"}};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        test_many(&many[i]);
    test_bytes();
    test_stationary();
    test_refused();
    test_same();
    return check_report("work_choice");
}
