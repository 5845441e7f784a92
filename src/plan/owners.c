/* owners.c - counts the spans of an operand by grid coordinate. */
#include "plan/owners.h"

#include "base/status.h"

#include <stdlib.h>

/* Makes room for this many coordinates, all without a share yet. False: out of memory. */
static bool make_room(int room, sct_coord_shares *shares) {
    if (room <= shares->room)
        return true;
    free(shares->share);
    free(shares->place);
    shares->share = calloc((size_t)room, sizeof *shares->share);
    shares->place = calloc((size_t)room, sizeof *shares->place);
    shares->room = shares->share && shares->place ? room : 0;
    return shares->room > 0;
}

static void count_one(sct_span span, int64_t times, sct_coord_shares *shares) {
    int *place = &shares->place[span.coord - shares->base];
    if (*place == 0) {
        shares->share[shares->count] = (sct_coord_share){.coord = span.coord};
        *place = ++shares->count;
    }
    shares->share[*place - 1].spans += times;
    shares->share[*place - 1].indices += times * span.count;
}

/* Counts the spans by coordinate. Memory is proportional to the coordinates that occur. False: out
 * of memory. */
static bool count(const sct_spans *spans, sct_coord_shares *shares) {
    if (spans->all && spans->all == shares->of)
        return true;
    for (int i = 0; i < shares->count; i++)
        shares->place[shares->share[i].coord - shares->base] = 0;
    int64_t listed = sct_spans_listed(spans);
    int least = spans->first.coord, most = least;
    for (int64_t i = 1; i < listed; i++) {
        int coord = sct_spans_item(spans, i).coord;
        least = coord < least ? coord : least;
        most = coord > most ? coord : most;
    }
    shares->of = NULL;
    shares->count = 0;
    shares->base = least;
    if (!make_room(most - least + 1, shares))
        return false;
    for (int64_t i = 0; i < listed; i++)
        count_one(sct_spans_item(spans, i), sct_spans_times(spans, i), shares);
    shares->of = spans->all;
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

bool sct_owners_next(sct_owners *owners, sct_owner_share *owned) {
    const sct_operand *operand = owners->operand;
    const sct_coord_shares *lines = &owners->lines[operand->matrix];
    const sct_coord_shares *within = &owners->within[operand->matrix];
    if (owners->i == lines->count || within->count == 0)
        return false;
    const sct_coord_share *down = &lines->share[owners->i], *along = &within->share[owners->j];
    *owned = (sct_owner_share){.rank = sct_operand_place(operand, down->coord, along->coord).rank,
                               .fragments = down->spans * along->spans,
                               .bytes = (uint64_t)down->indices * (uint64_t)along->indices *
                                        owners->element};
    if (++owners->j == within->count) {
        owners->j = 0;
        owners->i++;
    }
    return true;
}

static void clear(sct_coord_shares *shares) {
    free(shares->share);
    free(shares->place);
}

sct_status sct_owners_end(sct_owners *owners, sct_status status) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        clear(&owners->lines[matrix]);
        clear(&owners->within[matrix]);
    }
    return status ? status : owners->status;
}
