/* covering.c - products of every kind: a covering array of all options, then random ones.
 *
 * SECTILE_TEST_SECONDS limits the time, but for the pairs, which are always covered;
 * SECTILE_TEST_TRIALS says how many random trials follow. */
#include "whole/support/cover.h"
#include "whole/support/kinds.h"
#include "whole/support/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The parameters of a trial. Those of A, B and C follow each other. */
enum {
    OF_RANKS,
    OF_KIND,
    OF_COPIES = OF_KIND + TRIAL_MATRICES,
    OF_ORDER = OF_COPIES + TRIAL_MATRICES,
    OF_VIEW = OF_ORDER + TRIAL_MATRICES,
    OF_OP = OF_VIEW + TRIAL_MATRICES,
    OF_TYPE = OF_OP + 2,
    OF_SHAPE,
    OF_SCALARS,
    OF_STAY,
    OF_SLICING,
    OF_RESULT,
    OF_PREFETCH,
    OF_PRODUCTS,
    OF_ACCUMULATES,
    OF_SYNC,
    OF_ORDERED,
    OF_TIGHT,
    OF_WRAPPED,
    OF_NODES,
    OF_DEFERRED,
    OF_DELAY,
    PARAMETERS
};

static const int ranks_of[] = {1, 2, 3, 4, 5, 7, 8, 12, 13};
static const double alphas[] = {1, 2, 1, -1}, betas[] = {0, 3, 1, 2};

enum {
    SHAPE_SMALL,
    SHAPE_PRIMES,
    SHAPE_EVEN,
    SHAPE_TINY, /* fewer elements than ranks */
    SHAPE_ROW,
    SHAPE_COL,
    SHAPE_OUTER,
    SHAPE_EMPTY,
    SHAPE_NO_SUM,
    SHAPES
};

/* The last two have a C of another type. */
static const sct_type types[] = {SCT_F32, SCT_F64,  SCT_CF32, SCT_CF64,
                                 SCT_F16, SCT_BF16, SCT_F16,  SCT_BF16};

enum { TYPES = 8, SAME_TYPES = 6, OPS = 3, STAYS = 4, RESULTS = 3, MARGIN = 4 };

static const int values[PARAMETERS] = {
    [OF_RANKS] = sizeof ranks_of / sizeof *ranks_of,
    [OF_KIND] = KINDS,
    [OF_KIND + 1] = KINDS,
    [OF_KIND + 2] = KINDS,
    [OF_COPIES] = KIND_COPIES,
    [OF_COPIES + 1] = KIND_COPIES,
    [OF_COPIES + 2] = KIND_COPIES,
    [OF_ORDER] = 2,
    [OF_ORDER + 1] = 2,
    [OF_ORDER + 2] = 2,
    [OF_VIEW] = 2,
    [OF_VIEW + 1] = 2,
    [OF_VIEW + 2] = 2,
    [OF_OP] = OPS,
    [OF_OP + 1] = OPS,
    [OF_TYPE] = TYPES,
    [OF_SHAPE] = SHAPES,
    [OF_SCALARS] = sizeof alphas / sizeof *alphas,
    [OF_STAY] = STAYS,
    [OF_SLICING] = 2,
    [OF_RESULT] = RESULTS,
    [OF_PREFETCH] = 5, /* -1 to 3 */
    [OF_PRODUCTS] = 3, /* 1 to 3 */
    [OF_ACCUMULATES] = 3,
    [OF_SYNC] = 2,
    [OF_ORDERED] = 2,
    [OF_TIGHT] = 2,
    [OF_WRAPPED] = 2,
    [OF_NODES] = 4, /* 0: all near; else so many ranks each */
    [OF_DEFERRED] = 2,
    [OF_DELAY] = 2,
};

static const int triples[][3] = {{OF_KIND, OF_KIND + 1, OF_KIND + 2},
                                 {OF_COPIES, OF_COPIES + 1, OF_COPIES + 2},
                                 {OF_STAY, OF_COPIES, OF_RESULT},
                                 {OF_STAY, OF_COPIES + 1, OF_RESULT},
                                 {OF_STAY, OF_COPIES + 2, OF_RESULT}};

static int64_t any(uint64_t *random, int64_t lo, int64_t hi) {
    return check_between(random, lo, hi);
}

static void choose_shape(int shape, uint64_t *random, trial *t) {
    static const int primes[] = {7, 11, 13, 17, 19, 23};
    int64_t *size[] = {&t->m, &t->n, &t->k};
    for (int i = 0; i < 3; i++) {
        *size[i] = any(random, 1, 12);
        if (shape == SHAPE_PRIMES)
            *size[i] = primes[any(random, 0, 5)];
        if (shape == SHAPE_EVEN)
            *size[i] = 8 * any(random, 1, 3);
        if (shape == SHAPE_TINY)
            *size[i] = any(random, 1, 2);
    }
    if (shape == SHAPE_ROW || shape == SHAPE_COL || shape == SHAPE_OUTER)
        *size[shape - SHAPE_ROW] = 1;
    if (shape == SHAPE_EMPTY)
        *size[any(random, 0, 1)] = 0;
    if (shape == SHAPE_NO_SUM)
        t->k = 0;
}

static void choose_matrix(const int *row, int matrix, uint64_t *random, trial *t) {
    margin around = margin_random(row[OF_VIEW + matrix] ? MARGIN : 0, random);
    t->margin[matrix] = around;
    int64_t rows, cols;
    trial_stored(t, matrix, &rows, &cols);
    layout_kind kind = (layout_kind)row[OF_KIND + matrix];
    kind_wish wish = {.kind = kind,
                      .rows = margin_rows(around, rows),
                      .cols = margin_cols(around, cols),
                      .ranks = t->ranks,
                      .copies = kind_copies(kind, t->ranks, row[OF_COPIES + matrix]),
                      .by_cols = row[OF_ORDER + matrix]};
    kind_text(&wish, random, t->layout[matrix], sizeof t->layout[matrix]);
}

static void choose_scalars(int level, trial *t) {
    bool imaginary = sct_type_complex(t->type) && level % 2 == 1;
    t->alpha = (element){alphas[level], imaginary ? 1 : 0};
    t->beta = (element){betas[level], imaginary ? -1 : 0};
}

static trial trial_of(const int *row, uint64_t *random) {
    trial t = {.ranks = ranks_of[row[OF_RANKS]],
               .type = types[row[OF_TYPE]],
               .sum_c = row[OF_TYPE] >= SAME_TYPES,
               .op = {(sct_op)row[OF_OP], (sct_op)row[OF_OP + 1]},
               .options = {.size = sizeof t.options,
                           .stay = (sct_stay)row[OF_STAY],
                           .slicing = (sct_slicing)row[OF_SLICING],
                           .result = (sct_result)row[OF_RESULT],
                           .prefetch = row[OF_PREFETCH] - 1,
                           .products_in_flight = row[OF_PRODUCTS] + 1,
                           .accumulates_in_flight = row[OF_ACCUMULATES] + 1,
                           .sync = row[OF_SYNC],
                           .ordered = row[OF_ORDERED]},
               .world = {.size = sizeof t.world,
                         .ranks_per_node = row[OF_NODES],
                         .deferred = row[OF_DEFERRED],
                         .delay_us = 20 * row[OF_DELAY]},
               .tight = row[OF_TIGHT],
               .wrapped = row[OF_WRAPPED],
               .seed = check_random(random) >> 40};
    t.world.seed = t.seed;
    if (trial_type(&t, TRIAL_C) != sct_type_sum(t.type) && t.options.result == SCT_RESULT_PARTIAL)
        t.options.result = SCT_RESULT_ALL;
    choose_shape(row[OF_SHAPE], random, &t);
    for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++)
        choose_matrix(row, matrix, random, &t);
    choose_scalars(row[OF_SCALARS], &t);
    return t;
}

static void run_row(const int *row, uint64_t *random) {
    trial t = trial_of(row, random);
    trial_run(&t);
}

static long setting(const char *name, long fallback) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : fallback;
}

/* Covers all pairs and, until then, the triples; returns how many trials that took. */
static long run_cover(cover *c, time_t until, uint64_t *random) {
    int row[PARAMETERS];
    long trials = 0;
    cover_count counts = cover_counts(c);
    while ((counts.pairs < counts.all_pairs || time(NULL) < until) && cover_next(c, random, row)) {
        run_row(row, random);
        trials++;
        if (counts.pairs < counts.all_pairs)
            counts = cover_counts(c);
    }
    return trials;
}

static long run_random(long most, time_t until, uint64_t *random) {
    int row[PARAMETERS];
    long trials = 0;
    for (; trials < most && time(NULL) < until; trials++) {
        for (int i = 0; i < PARAMETERS; i++)
            row[i] = (int)any(random, 0, values[i] - 1);
        run_row(row, random);
    }
    return trials;
}

int main(void) {
    uint64_t random = check_seed(1);
    time_t until = time(NULL) + setting("SECTILE_TEST_SECONDS", 28);
    cover *c = cover_create(PARAMETERS, values, sizeof triples / sizeof *triples, triples);
    long covering = run_cover(c, until, &random);
    cover_count counts = cover_counts(c);
    cover_destroy(c);
    long beyond = run_random(setting("SECTILE_TEST_TRIALS", 1000), until, &random);
    printf("%ld trials cover %lld of %lld pairs and %lld of %lld triples; %ld random trials\n",
           covering, (long long)counts.pairs, (long long)counts.all_pairs,
           (long long)counts.triples, (long long)counts.all_triples, beyond);
    return check_report("covering");
}
