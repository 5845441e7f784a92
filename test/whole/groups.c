/* groups.c - groups of products with all kinds of layouts: every matrix that is computed is exactly
 * what the products, done one after another, give; bytes moved are those that the plans announce.
 */
#include "engine/emulated.h"
#include "whole/support/elements.h"
#include "whole/support/layout_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, MOST_MATRICES = 16, TEXT = 2000, CASES = 30 };

static const char *const texts[] = {
    "Y = X[m,h] * W[h,f]; Z = Y * V[f,h]; Z ~ X",
    "D = A[m,h] * B[h,f]; E = D * C[f,m]",
    "Y = X[m,h] * W[h,f]; G = X' * X; H = W' * G",
    "S[m,f] += A[m,h] * B[h,f]; S += C[h,m]' * B; T = S' * A",
    "K = Q[m,h] * P[m,h]'; O = K * V[m,f]; R = O' * Q",
    "Y = X[m,h]^H * W[f,m]^H; Z = Y * W",
};

typedef struct trial {
    sct_products *products;
    sct_products_choice choice;
    sct_type type;
    emulated_options emulated;
    char name[TEXT];
    int runs;
    element *want[MOST_MATRICES]; /* row-major */
} trial;

/* ---- What the products give ---- */

static element element_of(const trial *t, int matrix, sct_op op, int64_t row, int64_t col) {
    int64_t cols = sct_products_matrix_at(t->products, matrix).cols;
    element is = t->want[matrix][op == SCT_N ? row * cols + col : col * cols + row];
    return op == SCT_C ? (element){is.re, -is.im} : is;
}

static element rounded(sct_type type, element value) {
    double memory[2];
    element_put(type, memory, 0, value);
    return element_get(type, memory, 0);
}

static void multiply(const trial *t, const sct_products_step *step) {
    for (int64_t i = 0; i < step->m; i++)
        for (int64_t j = 0; j < step->n; j++) {
            element *c = &t->want[step->c][i * step->n + j];
            element sum = step->add ? *c : (element){0, 0};
            for (int64_t l = 0; l < step->k; l++)
                sum = element_plus(sum, element_times(element_of(t, step->a, step->op_a, i, l),
                                                      element_of(t, step->b, step->op_b, l, j)));
            *c = rounded(t->type, sum);
        }
}

static source source_of(int matrix) {
    return (source){.seed = (uint64_t)matrix + 1, .most = 1};
}

/* Matrices that are given are filled before the first run only. */
static void solve(trial *t) {
    for (int i = 0; i < sct_products_matrices(t->products); i++) {
        const sct_products_shape shape = sct_products_matrix_at(t->products, i);
        t->want[i] = malloc((size_t)(shape.rows * shape.cols) * sizeof(element));
        for (int64_t at = 0; at < shape.rows * shape.cols; at++)
            t->want[i][at] =
                source_element(t->type, source_of(i), at / shape.cols, at % shape.cols);
    }
    for (int run = 0; run < t->runs; run++)
        for (int i = 0; i < sct_products_count(t->products); i++) {
            const sct_products_step step = sct_products_at(t->products, i);
            multiply(t, &step);
        }
}

/* ---- On the ranks ---- */

/* A matrix of a trial. */
typedef struct matrix_of {
    const trial *t;
    int matrix;
} matrix_of;

static element wanted(const void *context, int64_t row, int64_t col) {
    const matrix_of *of = context;
    return element_of(of->t, of->matrix, SCT_N, row, col);
}

static void check_matrices(sct_world *world, const trial *t, const sct_group *group) {
    for (int i = 0; i < t->choice.matrices; i++) {
        const matrix_of of = {t, i};
        int64_t wrong = matrix_count_unlike(world, sct_group_matrix(group, i), wanted, &of);
        CHECK_CASE(wrong == 0, "%s: %lld elements of %s are wrong", t->name, (long long)wrong,
                   sct_products_matrix_at(t->products, i).name);
    }
}

/* All ranks together move what all plans announce. */
static void check_bytes(sct_world *world, const trial *t, const sct_group *group,
                        const sct_traffic *before) {
    const sct_traffic after = sct_world_traffic(world);
    uint64_t moved[2] = {after.bytes_got - before->bytes_got + after.bytes_in_place -
                             before->bytes_in_place + after.bytes_accumulated -
                             before->bytes_accumulated,
                         0};
    uint64_t all[2 * RANKS], sum[2] = {0, 0};
    for (int i = 0; i < t->choice.products; i++) {
        sct_cost cost;
        CHECK(sct_group_cost(group, i, &cost) == SCT_OK);
        moved[1] += cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated;
    }
    CHECK(sct_world_gather(world, moved, sizeof moved, all) == SCT_OK);
    for (int i = 0; i < 2 * RANKS; i++)
        sum[i % 2] += all[i];
    CHECK_CASE(sum[0] == (uint64_t)t->runs * sum[1], "%s: %llu bytes moved, not %llu", t->name,
               (unsigned long long)sum[0], (unsigned long long)((uint64_t)t->runs * sum[1]));
}

static int run_group(sct_world *world, void *context) {
    const trial *t = context;
    sct_group *group = NULL;
    sct_status status = sct_group_create(world, t->products, &t->choice, t->type, NULL, &group);
    if (!CHECK_CASE(status == SCT_OK, "%s: %s", t->name, sct_last_reason()))
        return 0;
    for (int i = 0; i < t->choice.matrices; i++)
        if (sct_products_matrix_at(t->products, i).given)
            matrix_fill(world, sct_group_matrix(group, i), source_of(i));
        else
            matrix_set(world, sct_group_matrix(group, i), rounded(t->type, (element){NAN, NAN}));
    sct_traffic before = sct_world_traffic(world);
    for (int run = 0; run < t->runs; run++)
        CHECK_CASE(sct_group_run(group) == SCT_OK, "%s: %s", t->name, sct_last_reason());
    check_bytes(world, t, group, &before);
    check_matrices(world, t, group);
    sct_group_destroy(group);
    return 0;
}

/* ---- Random groups ---- */

static void choose(trial *t, uint64_t *random) {
    sct_products_fix fix[MOST_MATRICES];
    sct_products_search search = {.size = sizeof search,
                                  .type = t->type,
                                  .ranks = RANKS,
                                  .ranks_per_node = t->emulated.ranks_per_node,
                                  .fix = fix};
    size_t length = strlen(t->name);
    for (int i = 0; i < sct_products_matrices(t->products); i++) {
        const sct_products_shape shape = sct_products_matrix_at(t->products, i);
        const layout_kind kind = (layout_kind)check_between(random, 0, KINDS - 1);
        const int level = (int)check_between(random, 0, KIND_COPIES - 1);
        layout_spec spec = {kind,
                            shape.rows,
                            shape.cols,
                            RANKS,
                            layout_kind_copies(kind, RANKS, level),
                            check_between(random, 0, 1) == 0};
        char text[TEXT];
        layout_spec_text(&spec, random, text, sizeof text);
        if (shape.equal != i || check_between(random, 0, 3) == 0)
            continue;
        fix[search.fixes++] =
            (sct_products_fix){shape.name, layout_of(text, shape.rows, shape.cols, RANKS)};
        length += (size_t)snprintf(t->name + length, length < TEXT ? TEXT - length : 0,
                                   " --layout '%s=%s'", shape.name, text);
    }
    CHECK_CASE(sct_products_choose(t->products, &search, &t->choice) == SCT_OK, "%s: %s", t->name,
               sct_last_reason());
    for (int i = 0; i < search.fixes; i++)
        sct_layout_destroy((sct_layout *)fix[i].layout);
}

static void try_group(uint64_t *random) {
    const char *text = texts[check_between(random, 0, sizeof texts / sizeof *texts - 1)];
    bool backward = !strchr(text, '^') && !strstr(text, "+=") && check_between(random, 0, 1);
    char sizes[80];
    trial t = {.type = (sct_type)check_between(random, SCT_F32, SCT_BF16),
               .emulated = {.host = 1, .ranks_per_node = (int)check_between(random, 0, 2)},
               .runs = 1 + (strstr(text, "+=") != NULL)};
    if (strchr(text, '^'))
        t.type = SCT_CF64;
    snprintf(sizes, sizeof sizes, "m=%d,h=%d,f=%d", (int)check_between(random, RANKS, 20),
             (int)check_between(random, RANKS, 20), (int)check_between(random, RANKS, 20));
    snprintf(t.name, sizeof t.name, "--group '%s'%s --size %s --type %s --ranks %d --per-node %d",
             text, backward ? " --backward" : "", sizes, sct_type_name(t.type), RANKS,
             t.emulated.ranks_per_node);
    CHECK(sct_products_parse(text, sizes, &t.products) == SCT_OK);
    if (backward)
        CHECK(sct_products_backward(t.products) == SCT_OK);
    choose(&t, random);
    check_line(t.name);
    solve(&t);
    const sct_world_options world = emulated_world(&t.emulated);
    CHECK(sct_run(RANKS, &world, run_group, &t) == SCT_OK);
    for (int i = 0; i < t.choice.matrices; i++)
        free(t.want[i]);
    sct_products_choice_clear(&t.choice);
    sct_products_destroy(t.products);
}

/* ---- What is refused ---- */

static int refuse(sct_world *world, void *context) {
    trial *t = context;
    sct_group *group = NULL;
    sct_products *other;
    sct_cost cost;
    CHECK(sct_products_parse("Y = X[9,9] * X", NULL, &other) == SCT_OK);
    CHECK(sct_group_create(world, other, &t->choice, SCT_F64, NULL, &group) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), "the choice is for other products") != NULL, "%s",
               sct_last_reason());
    sct_products_destroy(other);
    CHECK(sct_group_create(world, t->products, &t->choice, SCT_F64, NULL, &group) == SCT_OK);
    CHECK(sct_group_cost(group, 1, &cost) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), "product 1: there are 1") != NULL, "%s",
               sct_last_reason());
    sct_group_destroy(group);
    return 0;
}

static void test_refusals(void) {
    trial t = {.runs = 0};
    sct_products_search search = {.size = sizeof search, .type = SCT_F64, .ranks = RANKS};
    CHECK(sct_products_parse("Y = X[8,9] * W[9,7]", NULL, &t.products) == SCT_OK);
    CHECK(sct_products_choose(t.products, &search, &t.choice) == SCT_OK);
    CHECK(sct_run(RANKS, NULL, refuse, &t) == SCT_OK);
    sct_products_choice_clear(&t.choice);
    sct_products_destroy(t.products);
}

int main(void) {
    uint64_t random = check_seed(20);
    for (int i = 0; i < check_cases(CASES); i++)
        try_group(&random);
    test_refusals();
    return check_report("groups");
}
