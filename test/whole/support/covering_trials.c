/* covering_trials.c - the parameters of a trial, their values, and which triples are covered. */
#include "whole/support/covering_trials.h"

#include "whole/support/option_choices.h"

#include <stdlib.h>
#include <string.h>

/* The parameters of a trial; those of A, B and C are adjacent. */
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
    OF_OPTIONS,
    OF_TIGHT = OF_OPTIONS + OPTION_CHOICES,
    OF_WRAPPED, /* a bit for each matrix */
    OF_ALONE,
    OF_NODES,
    OF_DEFERRED,
    OF_DELAY,
    OF_WORK, /* the kind of the work layout; KINDS: none */
    OF_WORK_COPIES,
    PARAMETERS,
    OF_STAY = OF_OPTIONS + CHOICE_STAY,
    OF_RESULT = OF_OPTIONS + CHOICE_RESULT
};

static const int ranks_of[] = {1, 2, 3, 4, 5, 7, 8, 12, 13};
static const double alphas[] = {1, 2, 1, -1}, betas[] = {0, 3, 1, 2};

enum {
    SHAPE_SMALL,
    SHAPE_PRIMES,
    SHAPE_EVEN,
    SHAPE_TINY, /* few elements, often fewer than ranks */
    SHAPE_ROW,
    SHAPE_COL,
    SHAPE_OUTER,
    SHAPE_EMPTY,
    SHAPE_NO_SUM,
    SHAPES
};

/* In the last two, C is f32. */
static const sct_type types[] = {SCT_F32, SCT_F64,  SCT_CF32, SCT_CF64,
                                 SCT_F16, SCT_BF16, SCT_F16,  SCT_BF16};

enum { TYPES = 8, SAME_TYPES = 6, OPS = 3, MARGIN = 4 };

/* How many values each parameter has, except those of layouts and options. */
static const int other_values[PARAMETERS] = {
    [OF_RANKS] = sizeof ranks_of / sizeof *ranks_of,
    [OF_OP] = OPS,
    [OF_OP + 1] = OPS,
    [OF_TYPE] = TYPES,
    [OF_SHAPE] = SHAPES,
    [OF_SCALARS] = sizeof alphas / sizeof *alphas,
    [OF_TIGHT] = 2,
    [OF_WRAPPED] = 1 << TRIAL_MATRICES,
    [OF_ALONE] = 2,
    [OF_NODES] = 4, /* ranks per node; 0: one node */
    [OF_DEFERRED] = 2,
    [OF_DELAY] = 2,
    [OF_WORK] = KINDS + 1,
    [OF_WORK_COPIES] = KIND_COPIES,
};

static const int triples[][3] = {
    {OF_KIND, OF_KIND + 1, OF_KIND + 2}, {OF_COPIES, OF_COPIES + 1, OF_COPIES + 2},
    {OF_STAY, OF_WORK, OF_COPIES + 2},   {OF_STAY, OF_COPIES, OF_RESULT},
    {OF_STAY, OF_COPIES + 1, OF_RESULT}, {OF_STAY, OF_COPIES + 2, OF_RESULT}};

struct covering_trials {
    int ranks; /* of each trial; 0: from ranks_of */
    uint64_t random;
    int values[PARAMETERS];
    cover *cover;
};

static void choose_shape(int shape, uint64_t *random, trial *t) {
    static const int primes[] = {7, 11, 13, 17, 19, 23};
    int64_t *size[] = {&t->m, &t->n, &t->k};
    for (int i = 0; i < 3; i++) {
        *size[i] = check_between(random, 1, 12);
        if (shape == SHAPE_PRIMES)
            *size[i] = primes[check_between(random, 0, 5)];
        if (shape == SHAPE_EVEN)
            *size[i] = 8 * check_between(random, 1, 3);
        if (shape == SHAPE_TINY)
            *size[i] = check_between(random, 1, 2);
    }
    if (shape == SHAPE_ROW || shape == SHAPE_COL || shape == SHAPE_OUTER)
        *size[shape - SHAPE_ROW] = 1;
    if (shape == SHAPE_EMPTY)
        *size[check_between(random, 0, 1)] = 0;
    if (shape == SHAPE_NO_SUM)
        t->k = 0;
}

static void choose_matrix(const int *row, int matrix, uint64_t *random, trial *t) {
    int64_t rows, cols;
    trial_stored(t, matrix, &rows, &cols);
    layout_spec spec = chosen_layout(&row[OF_KIND + matrix], TRIAL_MATRICES, t->ranks, MARGIN, rows,
                                     cols, random, &t->margin[matrix]);
    layout_spec_text(&spec, random, t->layout[matrix], sizeof t->layout[matrix]);
}

static void choose_work(const int *row, uint64_t *random, trial *t) {
    layout_kind kind = (layout_kind)row[OF_WORK];
    layout_spec spec = {.kind = kind, .ranks = t->ranks};
    if (kind == KINDS)
        return;
    trial_work_size(t, &spec.rows, &spec.cols);
    spec.copies = layout_kind_copies(kind, t->ranks, row[OF_WORK_COPIES]);
    layout_spec_text(&spec, random, t->work, sizeof t->work);
}

static void choose_scalars(int level, trial *t) {
    bool imaginary = sct_type_complex(t->type) && level % 2 == 1;
    t->alpha = (element){alphas[level], imaginary ? 1 : 0};
    t->beta = (element){betas[level], imaginary ? -1 : 0};
}

static trial trial_of(const covering_trials *m, const int *row, uint64_t *random) {
    trial t = {.ranks = m->ranks ? m->ranks : ranks_of[row[OF_RANKS]],
               .type = types[row[OF_TYPE]],
               .sum_c = row[OF_TYPE] >= SAME_TYPES,
               .op = {(sct_op)row[OF_OP], (sct_op)row[OF_OP + 1]},
               .options = chosen_options(&row[OF_OPTIONS]),
               .emulated = {.ranks_per_node = row[OF_NODES],
                            .deferred = row[OF_DEFERRED],
                            .delay_us = 20 * row[OF_DELAY],
                            .wrapped_alone = row[OF_ALONE]},
               .tight = row[OF_TIGHT],
               .wrapped = (unsigned)row[OF_WRAPPED],
               .seed = check_random(random) >> 40};
    t.emulated.seed = t.seed;
    if (trial_type(&t, TRIAL_C) != sct_type_sum(t.type) && t.options.result == SCT_RESULT_PARTIAL)
        t.options.result = SCT_RESULT_ALL;
    choose_shape(row[OF_SHAPE], random, &t);
    for (int matrix = 0; matrix < TRIAL_MATRICES; matrix++)
        choose_matrix(row, matrix, random, &t);
    choose_work(row, random, &t);
    choose_scalars(row[OF_SCALARS], &t);
    return t;
}

/* With trials on so many ranks, or, if that is 0, on the first `choices` of ranks_of. */
static covering_trials *create(int ranks, int choices, uint64_t seed) {
    covering_trials *m = malloc(sizeof *m);
    *m = (covering_trials){.ranks = ranks, .random = seed};
    memcpy(m->values, other_values, sizeof other_values);
    memcpy(&m->values[OF_OPTIONS], option_choices, sizeof option_choices);
    put_layout_choices(TRIAL_MATRICES, &m->values[OF_KIND]);
    m->values[OF_RANKS] = choices;
    m->cover = cover_create(PARAMETERS, m->values, sizeof triples / sizeof *triples, triples);
    return m;
}

covering_trials *covering_trials_create(int ranks, uint64_t seed) {
    return create(ranks, ranks > 0 ? 1 : other_values[OF_RANKS], seed);
}

covering_trials *covering_trials_up_to(int most, uint64_t seed) {
    int choices = 0;
    while (choices < other_values[OF_RANKS] && ranks_of[choices] <= most)
        choices++;
    return create(0, choices, seed);
}

void covering_trials_destroy(covering_trials *m) {
    cover_destroy(m->cover);
    free(m);
}

bool covering_trials_next(covering_trials *m, trial *t) {
    int row[PARAMETERS];
    bool more = cover_next(m->cover, &m->random, row);
    if (more)
        *t = trial_of(m, row, &m->random);
    return more;
}

trial covering_trials_random(covering_trials *m) {
    int row[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        row[i] = (int)check_between(&m->random, 0, m->values[i] - 1);
    return trial_of(m, row, &m->random);
}

cover_count covering_trials_counts(const covering_trials *m) {
    return cover_counts(m->cover);
}
