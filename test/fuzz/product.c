/* product.c - fuzzes whole products: an input describes a trial, which is planned, checked, run and
 * compared.
 *
 * An input is a byte for each choice, then a line for each layout that is given as free text. */
#include "fuzz/fuzz.h"

#include "support/check.h"
#include "whole/support/option_choices.h"
#include "whole/support/trial.h"

#include <stdlib.h>
#include <string.h>

/* The choices; those of A, B and C are adjacent. */
enum {
    OF_RANKS,
    OF_M,
    OF_N,
    OF_K,
    OF_TYPE,
    OF_OP,
    OF_SCALARS = OF_OP + 2,
    OF_KIND,
    OF_VIEW = OF_KIND + (LAYOUT_CHOICES - 1) * TRIAL_MATRICES,
    OF_SEED = OF_VIEW + TRIAL_MATRICES,
    OF_OPTIONS,
    OF_TIGHT = OF_OPTIONS + OPTION_CHOICES,
    OF_WRAPPED,
    OF_NODES,
    OF_DEFERRED,
    OF_DELAY,
    CHOICES
};

enum { EXTENTS = 13, MARGIN = 3, DELAY_US = 10 };

/* alpha is never 0, because then nothing moves, whatever the plan says. */
static const struct {
    element alpha, beta; /* real types use the real parts */
} scalars[] = {{{1, 0}, {0, 0}}, {{2, 0}, {3, 0}},   {{-1, 0}, {1, 0}},
               {{1, 1}, {0, 0}}, {{2, -1}, {-1, 1}}, {{3, 0}, {0, 2}}};

enum { TYPES = 6 };

/* How many values each choice has, except those of layouts and options. */
static const int other_limits[CHOICES] = {
    [OF_RANKS] = 6,        [OF_M] = EXTENTS,
    [OF_N] = EXTENTS,      [OF_K] = EXTENTS,
    [OF_TYPE] = 2 * TYPES, [OF_OP] = 3, /* C has the same type, or that of sums */
    [OF_OP + 1] = 3,       [OF_SCALARS] = sizeof scalars / sizeof *scalars,
    [OF_SEED] = 256,       [OF_TIGHT] = 2,
    [OF_WRAPPED] = 2,      [OF_NODES] = 4, /* ranks per node; 0: one node */
    [OF_DEFERRED] = 2,     [OF_DELAY] = 2,
};

static trial trial_of(const int *chosen) {
    trial t = {.ranks = 1 + chosen[OF_RANKS],
               .m = chosen[OF_M],
               .n = chosen[OF_N],
               .k = chosen[OF_K],
               .type = (sct_type)(chosen[OF_TYPE] % TYPES),
               .sum_c = chosen[OF_TYPE] >= TYPES,
               .op = {(sct_op)chosen[OF_OP], (sct_op)chosen[OF_OP + 1]},
               .alpha = scalars[chosen[OF_SCALARS]].alpha,
               .beta = scalars[chosen[OF_SCALARS]].beta,
               .options = chosen_options(&chosen[OF_OPTIONS]),
               .emulated = {.ranks_per_node = chosen[OF_NODES],
                            .deferred = chosen[OF_DEFERRED],
                            .delay_us = DELAY_US * chosen[OF_DELAY],
                            .seed = (uint64_t)chosen[OF_SEED]},
               .tight = chosen[OF_TIGHT],
               .wrapped = chosen[OF_WRAPPED] ? TRIAL_ALL_WRAPPED : 0,
               .seed = (uint64_t)chosen[OF_SEED]};
    if (!sct_type_complex(t.type))
        t.alpha.im = t.beta.im = 0;
    /* C of f16 or bf16 cannot hold partial sums. */
    if (t.type >= SCT_F16 && t.options.result == SCT_RESULT_PARTIAL)
        t.sum_c = true;
    /* The smallest possible limit depends on these, and the command line uses their defaults. */
    if (t.tight)
        t.options.products_in_flight = t.options.accumulates_in_flight = 0;
    return t;
}

/* The kind KINDS stands for free text; false if that is not a layout. */
static bool put_matrix(const int *chosen, int matrix, fuzz_input *lines, uint64_t *random,
                       trial *t) {
    int64_t rows, cols;
    trial_stored(t, matrix, &rows, &cols);
    layout_spec spec = chosen_layout(&chosen[OF_KIND + matrix], TRIAL_MATRICES, t->ranks, MARGIN,
                                     rows, cols, random, &t->margin[matrix]);
    char *text = t->layout[matrix];
    if (chosen[OF_KIND + matrix] == KINDS)
        fuzz_line(lines, text, TRIAL_TEXT);
    else
        layout_spec_text(&spec, random, text, TRIAL_TEXT);
    sct_layout *layout;
    if (sct_layout_parse(text, spec.rows, spec.cols, spec.ranks, &layout))
        return false;
    sct_layout_destroy(layout);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    fuzz_input input = {bytes, length};
    int limits[CHOICES], chosen[CHOICES];
    memcpy(limits, other_limits, sizeof limits);
    memcpy(&limits[OF_OPTIONS], option_choices, sizeof option_choices);
    put_layout_choices(TRIAL_MATRICES, &limits[OF_KIND]);
    for (int i = 0; i < TRIAL_MATRICES; i++)
        limits[OF_KIND + i]++; /* for free text */
    for (int i = 0; i < CHOICES; i++)
        chosen[i] = fuzz_below(&input, limits[i]);
    trial t = trial_of(chosen);
    uint64_t random = t.seed;
    for (int i = 0; i < TRIAL_MATRICES; i++)
        if (!put_matrix(chosen, i, &input, &random, &t))
            return 0;
    trial_run(&t);
    if (check_failures())
        abort();
    return 0;
}
