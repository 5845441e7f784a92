/* owners.c - counts the spans of an operand by their coordinates. */
#include "plan/owners.h"

#include "base/status.h"

#include <stdlib.h>

/* Whether there is room for so many coordinates, none of which has a place yet. */
static bool make_room(int room, sct_census *census) {
    if (room <= census->room)
        return true;
    free(census->held);
    free(census->place);
    census->held = calloc((size_t)room, sizeof *census->held);
    census->place = calloc((size_t)room, sizeof *census->place);
    census->room = census->held && census->place ? room : 0;
    return census->room > 0;
}

static void count_one(const sct_span *span, sct_census *census) {
    int *place = &census->place[span->coord - census->base];
    if (*place == 0) {
        census->held[census->count] = (sct_held){.coord = span->coord};
        *place = ++census->count;
    }
    census->held[*place - 1].spans++;
    census->held[*place - 1].indices += span->count;
}

/* False if there is no memory. It takes as much as the coordinates of the spans, not as all. */
static bool count(const sct_spans *spans, sct_census *census) {
    if (spans->all && spans->all == census->of)
        return true;
    for (int i = 0; i < census->count; i++)
        census->place[census->held[i].coord - census->base] = 0;
    const sct_span *list = sct_spans_list(spans);
    int least = list->coord, most = list->coord;
    for (int64_t i = 1; i < spans->count; i++) {
        least = list[i].coord < least ? list[i].coord : least;
        most = list[i].coord > most ? list[i].coord : most;
    }
    census->of = NULL;
    census->count = 0;
    census->base = least;
    if (!make_room(most - least + 1, census))
        return false;
    for (int64_t i = 0; i < spans->count; i++)
        count_one(&list[i], census);
    census->of = spans->all;
    return true;
}

void sct_owners_begin(sct_owners *owners, const sct_operand *operand) {
    owners->operand = operand;
    owners->element = sct_type_bytes(operand->type);
    owners->i = owners->j = 0;
    if (!count(&operand->lines, &owners->lines[operand->matrix]) ||
        !count(&operand->within, &owners->within[operand->matrix]))
        owners->status = sct_fail(SCT_NO_MEMORY, "no memory to count owners");
}

bool sct_owners_next(sct_owners *owners, sct_owned *owned) {
    const sct_operand *operand = owners->operand;
    const sct_census *lines = &owners->lines[operand->matrix];
    const sct_census *within = &owners->within[operand->matrix];
    if (owners->i == lines->count || within->count == 0)
        return false;
    const sct_held *down = &lines->held[owners->i], *along = &within->held[owners->j];
    *owned =
        (sct_owned){.rank = sct_operand_place(operand, down->coord, along->coord).rank,
                    .fragments = down->spans * along->spans,
                    .bytes = (uint64_t)down->indices * (uint64_t)along->indices * owners->element};
    if (++owners->j == within->count) {
        owners->j = 0;
        owners->i++;
    }
    return true;
}

static void clear(sct_census *census) {
    free(census->held);
    free(census->place);
}

sct_status sct_owners_end(sct_owners *owners) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        clear(&owners->lines[matrix]);
        clear(&owners->within[matrix]);
    }
    return owners->status;
}
