/* product.c - fuzzes whole products: an input says all that a trial is made of, and the trial is
 * planned, checked, run and compared.
 *
 * An input is a byte for each choice, and behind them a line for each layout that is any text. */
#include "fuzz/fuzz.h"

#include "support/check.h"
#include "whole/support/kinds.h"
#include "whole/support/trial.h"

#include <stdlib.h>

/* The choices. Those of A, B and C follow each other. */
enum {
    OF_RANKS,
    OF_M,
    OF_N,
    OF_K,
    OF_TYPE,
    OF_OP,
    OF_SCALARS = OF_OP + 2,
    OF_KIND,
    OF_COPIES = OF_KIND + TRIAL_MATRICES,
    OF_ORDER = OF_COPIES + TRIAL_MATRICES,
    OF_VIEW = OF_ORDER + TRIAL_MATRICES,
    OF_SEED = OF_VIEW + TRIAL_MATRICES,
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
    CHOICES
};

enum { EXTENTS = 13, MARGIN = 3, DELAY_US = 10 };

/* alpha is not 0: then nothing is moved, whatever the plan says. */
static const struct {
    element alpha, beta; /* of a real type their real parts */
} scalars[] = {{{1, 0}, {0, 0}}, {{2, 0}, {3, 0}},   {{-1, 0}, {1, 0}},
               {{1, 1}, {0, 0}}, {{2, -1}, {-1, 1}}, {{3, 0}, {0, 2}}};

static const int limits[CHOICES] = {
    [OF_RANKS] = 6,
    [OF_M] = EXTENTS,
    [OF_N] = EXTENTS,
    [OF_K] = EXTENTS,
    [OF_TYPE] = 4,
    [OF_OP] = 3,
    [OF_OP + 1] = 3,
    [OF_SCALARS] = sizeof scalars / sizeof *scalars,
    [OF_KIND] = KINDS + 1,
    [OF_KIND + 1] = KINDS + 1,
    [OF_KIND + 2] = KINDS + 1,
    [OF_COPIES] = KIND_COPIES,
    [OF_COPIES + 1] = KIND_COPIES,
    [OF_COPIES + 2] = KIND_COPIES,
    [OF_ORDER] = 2,
    [OF_ORDER + 1] = 2,
    [OF_ORDER + 2] = 2,
    [OF_VIEW] = 2,
    [OF_VIEW + 1] = 2,
    [OF_VIEW + 2] = 2,
    [OF_SEED] = 256,
    [OF_STAY] = 4,
    [OF_SLICING] = 2,
    [OF_RESULT] = 3,
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

static trial trial_of(const int *chosen) {
    trial t = {.ranks = 1 + chosen[OF_RANKS],
               .m = chosen[OF_M],
               .n = chosen[OF_N],
               .k = chosen[OF_K],
               .type = (sct_type)chosen[OF_TYPE],
               .op = {(sct_op)chosen[OF_OP], (sct_op)chosen[OF_OP + 1]},
               .alpha = scalars[chosen[OF_SCALARS]].alpha,
               .beta = scalars[chosen[OF_SCALARS]].beta,
               .options = {.size = sizeof t.options,
                           .stay = (sct_stay)chosen[OF_STAY],
                           .slicing = (sct_slicing)chosen[OF_SLICING],
                           .result = (sct_result)chosen[OF_RESULT],
                           .prefetch = chosen[OF_PREFETCH] - 1,
                           .products_in_flight = 1 + chosen[OF_PRODUCTS],
                           .accumulates_in_flight = 1 + chosen[OF_ACCUMULATES],
                           .sync = chosen[OF_SYNC],
                           .ordered = chosen[OF_ORDERED]},
               .world = {.size = sizeof t.world,
                         .ranks_per_node = chosen[OF_NODES],
                         .deferred = chosen[OF_DEFERRED],
                         .delay_us = DELAY_US * chosen[OF_DELAY],
                         .seed = (uint64_t)chosen[OF_SEED]},
               .tight = chosen[OF_TIGHT],
               .wrapped = chosen[OF_WRAPPED] ? TRIAL_ALL_WRAPPED : 0,
               .seed = (uint64_t)chosen[OF_SEED]};
    if (!sct_type_complex(t.type))
        t.alpha.im = t.beta.im = 0;
    /* The least limit depends on them, and the command line leaves them as they are. */
    if (t.tight)
        t.options.products_in_flight = t.options.accumulates_in_flight = 0;
    return t;
}

/* The kind that is none stands for any text; false if that is none of a layout. */
static bool put_matrix(const int *chosen, int matrix, fuzz_input *lines, uint64_t *random,
                       trial *t) {
    int64_t rows, cols;
    trial_stored(t, matrix, &rows, &cols);
    margin around = margin_random(chosen[OF_VIEW + matrix] ? MARGIN : 0, random);
    layout_kind kind = (layout_kind)chosen[OF_KIND + matrix];
    kind_wish wish = {.kind = kind,
                      .rows = margin_rows(around, rows),
                      .cols = margin_cols(around, cols),
                      .ranks = t->ranks,
                      .copies = kind_copies(kind, t->ranks, chosen[OF_COPIES + matrix]),
                      .by_cols = chosen[OF_ORDER + matrix]};
    char *text = t->layout[matrix];
    if (chosen[OF_KIND + matrix] == KINDS)
        fuzz_line(lines, text, TRIAL_TEXT);
    else
        kind_text(&wish, random, text, TRIAL_TEXT);
    t->margin[matrix] = around;
    sct_layout *layout;
    if (sct_layout_parse(text, wish.rows, wish.cols, wish.ranks, &layout))
        return false;
    sct_layout_destroy(layout);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    fuzz_input input = {bytes, length};
    int chosen[CHOICES];
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
