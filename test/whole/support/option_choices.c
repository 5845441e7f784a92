/* option_choices.c - see option_choices.h. */
#include "whole/support/option_choices.h"

const int option_choices[OPTION_CHOICES] = {
    [CHOICE_STAY] = 4,        [CHOICE_SLICING] = 2,  [CHOICE_FETCH] = 2,
    [CHOICE_RESULT] = 3,      [CHOICE_PREFETCH] = 5, /* -1 to 3 */
    [CHOICE_PRODUCTS] = 3,                           /* 1 to 3 */
    [CHOICE_ACCUMULATES] = 3, [CHOICE_SYNC] = 2,     [CHOICE_ORDERED] = 2,
    [CHOICE_SCHEDULE] = 4,    [CHOICE_START] = 2,    [CHOICE_TRANSFERS] = 3, /* 0 to 2 */
};

/* Only direct order has a prefetch distance; only the other orders have transfers per group. */
sct_options chosen_options(const int *chosen) {
    bool direct = chosen[CHOICE_SCHEDULE] == SCT_DIRECT;
    return (sct_options){.size = sizeof(sct_options),
                         .stay = (sct_stay)chosen[CHOICE_STAY],
                         .slicing = (sct_slicing)chosen[CHOICE_SLICING],
                         .fetch = (sct_fetch)chosen[CHOICE_FETCH],
                         .result = (sct_result)chosen[CHOICE_RESULT],
                         .prefetch = direct ? chosen[CHOICE_PREFETCH] - 1 : 0,
                         .products_in_flight = chosen[CHOICE_PRODUCTS] + 1,
                         .accumulates_in_flight = chosen[CHOICE_ACCUMULATES] + 1,
                         .sync = chosen[CHOICE_SYNC],
                         .ordered = chosen[CHOICE_ORDERED],
                         .schedule = (sct_schedule)chosen[CHOICE_SCHEDULE],
                         .start = (sct_start)chosen[CHOICE_START],
                         .transfers_in_group = direct ? 0 : chosen[CHOICE_TRANSFERS]};
}

void put_layout_choices(int matrices, int *limits) {
    static const int each[LAYOUT_CHOICES] = {KINDS, KIND_COPIES, 2, 2};
    for (int i = 0; i < LAYOUT_CHOICES * matrices; i++)
        limits[i] = each[i / matrices];
}

layout_spec chosen_layout(const int *chosen, int matrices, int ranks, int64_t most, int64_t rows,
                          int64_t cols, uint64_t *random, margin *around) {
    layout_kind kind = (layout_kind)chosen[0];
    *around = margin_random(chosen[3 * matrices] ? most : 0, random);
    return (layout_spec){.kind = kind,
                         .rows = margin_rows(*around, rows),
                         .cols = margin_cols(*around, cols),
                         .ranks = ranks,
                         .copies = layout_kind_copies(kind, ranks, chosen[matrices]),
                         .by_cols = chosen[2 * matrices]};
}
