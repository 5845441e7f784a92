/* owners.c - counts the spans of an operand by their coordinates. */
#include "plan/owners.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

static bool create(int coords, sct_census *census) {
    census->coord = calloc((size_t)coords, sizeof *census->coord);
    census->held = calloc((size_t)coords, sizeof *census->held);
    return census->coord && census->held;
}

static void clear(sct_census *census) {
    free(census->coord);
    free(census->held);
}

sct_status sct_owners_create(const sct_product *product, sct_owners *owners) {
    bool room = true;
    *owners = (sct_owners){.i = 0};
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = product->layout[matrix];
        bool by_rows = layout->order == SCT_ROW_MAJOR;
        int rows = layout->rows.coords, cols = layout->cols.coords;
        room = room && create(by_rows ? rows : cols, &owners->lines[matrix]) &&
               create(by_rows ? cols : rows, &owners->within[matrix]);
    }
    if (room)
        return SCT_OK;
    sct_owners_clear(owners);
    return sct_fail(SCT_NO_MEMORY, "no memory to count owners");
}

void sct_owners_clear(sct_owners *owners) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        clear(&owners->lines[matrix]);
        clear(&owners->within[matrix]);
    }
    *owners = (sct_owners){.i = 0};
}

static void count(const sct_spans *spans, sct_census *census) {
    if (spans->all && spans->all == census->of)
        return;
    for (int i = 0; i < census->count; i++)
        census->held[census->coord[i]] = (sct_held){0, 0};
    census->of = spans->all;
    census->count = 0;
    const sct_span *list = sct_spans_list(spans);
    for (int64_t i = 0; i < spans->count; i++) {
        sct_held *held = &census->held[list[i].coord];
        if (held->spans++ == 0)
            census->coord[census->count++] = list[i].coord;
        held->indices += list[i].count;
    }
}

void sct_owners_begin(sct_owners *owners, const sct_operand *operand) {
    owners->operand = operand;
    owners->element = sct_type_bytes(operand->type);
    owners->i = owners->j = 0;
    count(&operand->lines, &owners->lines[operand->matrix]);
    count(&operand->within, &owners->within[operand->matrix]);
}

bool sct_owners_next(sct_owners *owners, sct_owned *owned) {
    const sct_operand *operand = owners->operand;
    const sct_census *lines = &owners->lines[operand->matrix];
    const sct_census *within = &owners->within[operand->matrix];
    if (owners->i == lines->count || within->count == 0)
        return false;
    int line = lines->coord[owners->i], at = within->coord[owners->j];
    const sct_held *down = &lines->held[line], *along = &within->held[at];
    *owned =
        (sct_owned){.rank = sct_operand_place(operand, line, at).rank,
                    .fragments = down->spans * along->spans,
                    .bytes = (uint64_t)down->indices * (uint64_t)along->indices * owners->element};
    if (++owners->j == within->count) {
        owners->j = 0;
        owners->i++;
    }
    return true;
}
