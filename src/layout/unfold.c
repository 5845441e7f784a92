/* unfold.c - pieces of a dimension whose owners repeat very often, from those of a shorter one.
 *
 * Of the shorter dimension, the first period is the beginning, the second one is repeated, and the
 * third one, with what follows it, is the end. Ranges are listed, since users of the library read
 * them; spans are not. */
#include "layout/pieces.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

enum { RANGES = 2, LISTS = 3 }; /* of a piece: the spans of both sides, and its ranges */

static int64_t length_of(const sct_piece *piece, int list) {
    return list == RANGES ? piece->indices.ranges : piece->side[list].count;
}

static sct_span item_of(const sct_piece *piece, int list, int64_t i) {
    if (list != RANGES)
        return sct_spans_item(&piece->side[list], i);
    sct_range range = piece->indices.all ? piece->indices.all[i] : piece->indices.first;
    return (sct_span){range.lo, sct_range_length(range), 0};
}

/* Finds the items of the second period, whose indices are numbers `once` and following. A list of
 * one item does not repeat: the item only grows. */
static sct_repeat find_repeat(const sct_piece *piece, int list, int64_t once, int64_t times) {
    int64_t items[] = {0, 0}, begin = 0; /* that begin in the first one and two periods */
    sct_repeat repeat = {.times = times};
    if (length_of(piece, list) == 1)
        return repeat;
    for (int64_t i = 0; begin < 2 * once; begin += item_of(piece, list, i++).count)
        for (int periods = 1; periods <= 2; periods++)
            items[periods - 1] += begin < periods * once;
    repeat.first = items[0];
    repeat.length = items[1] - items[0];
    repeat.shift = item_of(piece, list, items[1]).at - item_of(piece, list, items[0]).at;
    return repeat;
}

/* The indices of a piece before a bound. */
static int64_t count_before(const sct_piece *piece, int64_t bound) {
    int64_t sum = 0;
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        sct_span range = item_of(piece, RANGES, i);
        int64_t before = bound - range.at;
        sum += before < 0 ? 0 : before < range.count ? before : range.count;
    }
    return sum;
}

/* Finds how each list of each piece repeats, and adds up the ranges to list. False if those are
 * too many, or if a piece would have to be cut. */
static bool find_repeats(const sct_dimension *whole, sct_fold fold, const sct_pieces *pieces,
                         sct_repeat *repeat, int64_t *ranges) {
    *ranges = 0;
    for (int64_t i = 0; i < pieces->count; i++, repeat += LISTS) {
        const sct_piece *piece = &pieces->piece[i];
        int64_t once = count_before(piece, whole->range.lo + fold.period);
        if (whole->most && piece->indices.count + fold.times * once > whole->most)
            return false;
        for (int list = 0; list < LISTS; list++)
            repeat[list] = find_repeat(piece, list, once, fold.times);
        *ranges += piece->indices.ranges + fold.times * repeat[RANGES].length;
    }
    return *ranges <= SCT_MOST_LISTED;
}

/* Lists all ranges of a piece. Returns the end of the list. */
static sct_range *list_ranges(const sct_piece *piece, const sct_repeat *repeat, sct_range *to) {
    int64_t end = repeat->first + repeat->length;
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        bool repeats = i >= repeat->first && i < end;
        int64_t shift = i < end ? 0 : repeat->times * repeat->shift;
        sct_span item = item_of(piece, RANGES, i);
        *to++ = (sct_range){item.at + shift, item.at + shift + item.count};
        for (int64_t turn = 1; repeats && turn <= repeat->times; turn++) {
            int64_t at = item.at + turn * repeat->shift;
            to[turn * repeat->length - 1] = (sct_range){at, at + item.count};
        }
        to += i == end - 1 ? repeat->times * repeat->length : 0;
    }
    return to;
}

/* Makes a piece that of the whole dimension. Returns the end of the list of its ranges. */
static sct_range *grow(const sct_dimension *whole, sct_fold fold, const sct_repeat *repeat,
                       sct_range *list, sct_piece *piece) {
    int64_t more = fold.times * count_before(piece, whole->range.lo + fold.period);
    sct_range *end = list;
    if (piece->indices.ranges > 1) {
        end = list_ranges(piece, &repeat[RANGES], list);
        piece->indices.ranges = end - list;
        piece->indices.all = list;
    } else {
        piece->indices.first.hi += more;
    }
    piece->indices.count += more;
    for (int side = 0; side < 2; side++) {
        sct_spans *spans = &piece->side[side];
        if (spans->count > 1) {
            spans->count += fold.times * repeat[side].length;
            spans->repeat = &repeat[side];
        } else {
            spans->first.count += more;
        }
    }
    return end;
}

sct_status sct_pieces_unfold(const sct_dimension *whole, sct_fold fold, sct_pieces *pieces,
                             bool *done) {
    int64_t count = 0;
    *done = false;
    if (!pieces->piece)
        return SCT_OK;
    pieces->repeat = malloc(LISTS * (size_t)pieces->count * sizeof *pieces->repeat);
    if (!pieces->repeat)
        return sct_no_memory("the slices of a plan");
    if (!find_repeats(whole, fold, pieces, pieces->repeat, &count))
        return SCT_OK;
    sct_range *ranges = malloc(((size_t)count + 1) * sizeof *ranges), *end = ranges;
    if (!ranges)
        return sct_no_memory("the slices of a plan");
    pieces->total = pieces->largest = 0;
    for (int64_t i = 0; i < pieces->count; i++) {
        sct_piece *piece = &pieces->piece[i];
        end = grow(whole, fold, pieces->repeat + LISTS * i, end, piece);
        pieces->total += piece->indices.count;
        pieces->largest = sct_max(pieces->largest, piece->indices.count);
    }
    free(pieces->ranges);
    pieces->ranges = ranges;
    pieces->dimension = *whole;
    *done = true;
    return SCT_OK;
}
