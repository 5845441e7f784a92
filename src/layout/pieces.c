/* pieces.c - joins the stretches of a dimension into pieces.
 *
 * A first pass goes through all chains and counts. If it shows that pieces do not follow each other
 * in order of their indices, or have several ranges or spans, or would take long to find again, the
 * stretches are collected, sorted by their owners, and joined into stored pieces. Of what repeats
 * very often, a beginning and an end suffice.
 *
 * Pieces of a dimension whose owners repeat very often are unfolded from those of a shorter one. Of
 * that, the first period is the beginning, the second one is repeated, and the third one, with what
 * follows it, is the end. Ranges are listed, since users of the library read them; spans are not.
 */
#include "layout/pieces.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "layout/dimension.h"

#include <assert.h>
#include <stdlib.h>

/* Readers find a chain from the mark before it. Where there are too many marks, every second one is
 * dropped. A chain of more than MOST_JOINED stretches is stored rather than walked twice. Of a
 * short list, of up to FEW pieces, sct_pieces_store_few stores all. */
enum { STRIDE = 16, MOST_MARKS = 1 << 15, MOST_JOINED = 16, FEW = 64 };

static bool same_group(const sct_stretch *l, const sct_stretch *r) {
    return l->group[0] == r->group[0] && l->group[1] == r->group[1];
}

/* True if r directly follows l in storage on both sides. */
static bool continues(const sct_stretch *l, const sct_stretch *r) {
    int64_t count = sct_range_length(l->range);
    return l->coord[0] == r->coord[0] && l->coord[1] == r->coord[1] &&
           l->at[0] + count == r->at[0] && l->at[1] + count == r->at[1];
}

/* True if two neighbours in a sorted list belong to one piece. */
static bool together(sct_cutting cutting, const sct_stretch *l, const sct_stretch *r) {
    return cutting == SCT_CUT_CLASSES ? same_group(l, r)
                                      : cutting == SCT_CUT_RUNS && continues(l, r);
}

static sct_parts cut_equally(int64_t total, int64_t most) {
    int64_t count = most ? (total - 1) / most + 1 : 1;
    return (sct_parts){count, total / count, total % count};
}

static int64_t part_start(const sct_parts *parts, int64_t part) {
    return parts->size * part + sct_min(part, parts->larger);
}

/* ---- Lists that are computed ---- */

/* True if r continues the chain of the stretch l before it. */
static bool same_chain(sct_cutting cutting, const sct_stretch *l, const sct_stretch *r) {
    return cutting != SCT_CUT_TILES && l->range.hi == r->range.lo && continues(l, r);
}

/* True if r, of the next chain, comes after l in a sorted list too. */
static bool in_order(sct_cutting cutting, const sct_stretch *l, const sct_stretch *r) {
    return cutting == SCT_CUT_TILES || (!together(cutting, l, r) && sct_stretch_compare(l, r) < 0);
}

static void start_reading(const sct_pieces *pieces, sct_mark mark, sct_reader *reader) {
    *reader = (sct_reader){.pieces = pieces, .chain.first = mark.piece};
    sct_cursor_set(&pieces->dimension, mark.index, &reader->cursor);
    reader->more = sct_cursor_next(&pieces->dimension, &reader->cursor, &reader->ahead);
}

static void next_chain(sct_reader *reader) {
    const sct_dimension *d = &reader->pieces->dimension;
    sct_chain *chain = &reader->chain;
    chain->first += chain->parts.count;
    chain->whole = reader->ahead;
    chain->joined = 1;
    while ((reader->more = sct_cursor_next(d, &reader->cursor, &reader->ahead)) &&
           same_chain(d->cutting, &chain->whole, &reader->ahead)) {
        chain->whole.range.hi = reader->ahead.range.hi;
        chain->joined++;
    }
    chain->parts = cut_equally(sct_range_length(chain->whole.range), d->most);
}

/* Drops every second mark. */
static void thin_out(sct_pieces *pieces) {
    pieces->marks /= 2;
    pieces->stride *= 2;
    for (int64_t i = 0; i < pieces->marks; i++)
        pieces->mark[i] = pieces->mark[2 * i + 1];
}

/* Marks every `stride`-th chain, except the first. */
static sct_status mark_chain(sct_pieces *pieces, int64_t number, const sct_chain *chain) {
    if (number % pieces->stride == 0 && pieces->marks == MOST_MARKS)
        thin_out(pieces);
    if (number == 0 || number % pieces->stride != 0)
        return SCT_OK;
    sct_mark *mark = sct_memory_grow(pieces->mark, pieces->marks, &pieces->room, sizeof *mark);
    if (!mark)
        return sct_no_memory("the slices of a plan");
    pieces->mark = mark;
    mark[pieces->marks++] = (sct_mark){chain->first, chain->whole.range.lo};
    return SCT_OK;
}

/* Counts pieces chain by chain, until they turn out to need sorting. Tells the longest chain. */
static sct_status survey(sct_pieces *pieces, bool *sorted, int64_t *longest) {
    sct_dimension *d = &pieces->dimension;
    sct_reader reader;
    start_reading(pieces, (sct_mark){0, d->range.lo}, &reader);
    sct_stretch first = reader.ahead;
    const sct_chain *chain = &reader.chain;
    sct_status status = SCT_OK;
    *sorted = true;
    *longest = 0;
    for (int64_t number = 0; reader.more && *sorted && !status; number++) {
        next_chain(&reader);
        pieces->count += chain->parts.count;
        pieces->sets++;
        pieces->largest = sct_max(pieces->largest, part_start(&chain->parts, 1));
        pieces->total += sct_range_length(chain->whole.range);
        pieces->stretches += chain->joined;
        for (int side = 0; side < 2; side++)
            pieces->split[side] |= chain->whole.coord[side] != first.coord[side];
        status = mark_chain(pieces, number, chain);
        *longest = sct_max(*longest, chain->joined);
        *sorted = !reader.more || in_order(d->cutting, &chain->whole, &reader.ahead);
    }
    if (*sorted && pieces->count)
        d->range = (sct_range){first.range.lo, chain->whole.range.hi};
    return status;
}

/* The last mark at or before a piece. */
static sct_mark find_mark(const sct_pieces *pieces, int64_t index) {
    int64_t lo = -1, hi = pieces->marks;
    while (hi - lo > 1) {
        int64_t middle = lo + (hi - lo) / 2;
        if (pieces->mark[middle].piece <= index)
            lo = middle;
        else
            hi = middle;
    }
    return lo < 0 ? (sct_mark){0, pieces->dimension.range.lo} : pieces->mark[lo];
}

static void find_chain(const sct_pieces *pieces, int64_t index, sct_reader *reader) {
    const sct_chain *chain = &reader->chain;
    bool near = reader->pieces == pieces && chain->first <= index &&
                index <= chain->first + chain->parts.count;
    if (!near)
        start_reading(pieces, find_mark(pieces, index), reader);
    while (index >= chain->first + chain->parts.count)
        next_chain(reader);
}

static void read_part(const sct_chain *chain, int64_t part, sct_piece *piece) {
    int64_t from = part_start(&chain->parts, part);
    int64_t count = part_start(&chain->parts, part + 1) - from;
    int64_t lo = chain->whole.range.lo + from;
    piece->indices = (sct_indices){.count = count, .ranges = 1, .first = {lo, lo + count}};
    for (int side = 0; side < 2; side++)
        piece->side[side] = (sct_spans){
            .count = 1, .first = {chain->whole.at[side] + from, count, chain->whole.coord[side]}};
}

void sct_pieces_read(const sct_pieces *pieces, int64_t index, sct_reader *reader,
                     sct_piece *piece) {
    if (pieces->piece) {
        *piece = pieces->piece[index];
        return;
    }
    find_chain(pieces, index, reader);
    read_part(&reader->chain, index - reader->chain.first, piece);
}

/* ---- Lists that are stored ---- */

static sct_status check_listed(int64_t count) {
    return count <= SCT_MOST_LISTED
               ? SCT_OK
               : sct_fail(SCT_TOO_LARGE,
                          "the blocks of a dimension are so small that a plan must list about %lld "
                          "slices, and at most %d are allowed",
                          (long long)count, SCT_MOST_LISTED);
}

/* About the number of stretches: that of blocks on the side with the smallest ones. Of a class, it
 * is a part of them. */
static int64_t guess_stretches(const sct_dimension *d) {
    sct_class side[] = {{d->axis[0], d->offset[0], 0}, {d->axis[1], d->offset[1], 0}, d->only};
    int64_t most = 0;
    for (int i = 0; i < 3 && d->range.lo < d->range.hi; i++)
        if (side[i].axis)
            most =
                sct_max(most, sct_axis_block(side[i].axis, d->range.hi - 1 + side[i].offset) -
                                  sct_axis_block(side[i].axis, d->range.lo + side[i].offset) + 1);
    return d->only.axis ? most / d->only.axis->coords : most;
}

static sct_status store(sct_pieces *pieces) {
    sct_status status = check_listed(pieces->count);
    if (status)
        return status;
    sct_piece *all = malloc((size_t)pieces->count * sizeof *all);
    sct_reader reader = {.pieces = NULL};
    if (!all)
        return sct_no_memory("the slices of a plan");
    for (int64_t i = 0; i < pieces->count; i++)
        sct_pieces_read(pieces, i, &reader, &all[i]);
    pieces->piece = all;
    return SCT_OK;
}

/* Appends a part of a stretch to the last piece, joining contiguous parts. */
static void append(sct_piece *piece, const sct_stretch *s, int64_t skip, int64_t count) {
    sct_range *ranges = (sct_range *)piece->indices.all;
    int64_t lo = s->range.lo + skip;
    if (piece->indices.ranges && ranges[piece->indices.ranges - 1].hi == lo)
        ranges[piece->indices.ranges - 1].hi += count;
    else
        ranges[piece->indices.ranges++] = (sct_range){lo, lo + count};
    piece->indices.count += count;
    for (int side = 0; side < 2; side++) {
        sct_spans *spans = &piece->side[side];
        sct_span *span = (sct_span *)spans->all;
        assert(span); /* places were counted before */
        sct_span *last = spans->count ? span + spans->count - 1 : NULL;
        int64_t at = s->at[side] + skip;
        if (last && last->coord == s->coord[side] && last->at + last->count == at)
            last->count += count;
        else
            span[spans->count++] = (sct_span){at, count, s->coord[side]};
    }
}

/* Starts a piece. Its arrays begin where those of the previous piece end. */
static sct_piece *new_piece(sct_pieces *pieces) {
    sct_piece *piece = &pieces->piece[pieces->count];
    *piece = (sct_piece){.indices.all = pieces->ranges,
                         .side = {{.all = pieces->spans[0]}, {.all = pieces->spans[1]}}};
    if (pieces->count++) {
        const sct_piece *last = piece - 1;
        piece->indices.all = last->indices.all + last->indices.ranges;
        for (int side = 0; side < 2; side++)
            piece->side[side].all = last->side[side].all + last->side[side].count;
    }
    return piece;
}

/* Makes pieces of equal size, at most `most` indices, from list[0 .. count), whose stretches belong
 * together. */
static void cut_group(const sct_stretch *list, int64_t count, int64_t most, sct_pieces *pieces) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += sct_range_length(list[i].range);
    sct_parts parts = cut_equally(total, most);
    int64_t done = 0, part = 1;
    sct_piece *piece = new_piece(pieces);
    for (int64_t i = 0; i < count; i++) {
        int64_t size = sct_range_length(list[i].range);
        for (int64_t skip = 0; skip < size;) {
            int64_t bound = part_start(&parts, part);
            if (done == bound) {
                piece = new_piece(pieces);
                part++;
                continue;
            }
            int64_t step = sct_min(size - skip, bound - done);
            append(piece, &list[i], skip, step);
            skip += step;
            done += step;
        }
    }
}

/* Completes a piece: a single range or span is stored within it. */
static void finish(sct_piece *piece) {
    piece->indices.first = piece->indices.all[0];
    if (piece->indices.ranges == 1)
        piece->indices.all = NULL;
    for (int side = 0; side < 2; side++) {
        sct_spans *spans = &piece->side[side];
        spans->first = spans->all[0];
        if (spans->count == 1)
            spans->all = NULL;
    }
}

static void finish_pieces(sct_pieces *pieces) {
    const sct_piece *first = pieces->piece;
    for (int64_t i = 0; i < pieces->count; i++) {
        sct_piece *piece = &pieces->piece[i];
        finish(piece);
        pieces->largest = sct_max(pieces->largest, piece->indices.count);
        pieces->total += piece->indices.count;
        for (int side = 0; side < 2; side++) {
            pieces->scattered[side] |= piece->side[side].count > 1;
            pieces->split[side] |= piece->side[side].first.coord != first->side[side].first.coord;
        }
    }
}

static sct_status join(const sct_stretches *all, sct_pieces *pieces) {
    const sct_dimension *d = &pieces->dimension;
    int64_t cuts = d->most ? sct_range_length(d->range) / d->most + all->count : 0;
    sct_status status = check_listed(cuts);
    if (status)
        return status;
    size_t room = (size_t)(all->count + cuts);
    pieces->piece = malloc(room * sizeof *pieces->piece);
    pieces->ranges = malloc(room * sizeof *pieces->ranges);
    for (int side = 0; side < 2; side++)
        pieces->spans[side] = malloc(room * sizeof *pieces->spans[side]);
    if (!pieces->piece || !pieces->ranges || !pieces->spans[0] || !pieces->spans[1])
        return sct_no_memory("the slices of a plan");
    for (int64_t from = 0, to; from < all->count; from = to) {
        for (to = from + 1; to < all->count; to++)
            if (!together(d->cutting, &all->list[to - 1], &all->list[to]))
                break;
        cut_group(all->list + from, to - from, d->most, pieces);
        pieces->sets++;
    }
    pieces->stretches = all->count;
    finish_pieces(pieces);
    return SCT_OK;
}

static sct_status sort_and_store(sct_pieces *pieces) {
    sct_stretches all = {0, 0, NULL};
    sct_dimension d = pieces->dimension;
    sct_pieces_clear(pieces);
    pieces->dimension = d;
    sct_status status = check_listed(guess_stretches(&d));
    if (!status)
        status = sct_stretches_collect(&d, &all);
    if (!status)
        status = sct_stretches_sort(&d, &all);
    if (!status)
        status = join(&all, pieces);
    free(all.list);
    return status;
}

static sct_status find_pieces(const sct_dimension *dimension, sct_pieces *pieces) {
    sct_pieces made = {.dimension = *dimension, .stride = STRIDE};
    bool sorted;
    int64_t longest;
    sct_status status = survey(&made, &sorted, &longest);
    if (!status && !sorted)
        status = sort_and_store(&made);
    else if (!status && longest > MOST_JOINED)
        status = store(&made);
    if (status)
        sct_pieces_clear(&made);
    else
        *pieces = made;
    return status;
}

sct_status sct_pieces_create(const sct_dimension *dimension, sct_pieces *pieces) {
    sct_dimension shorter;
    sct_fold fold = sct_dimension_fold(dimension, &shorter);
    if (fold.times > 0) {
        bool done = false;
        sct_status status = find_pieces(&shorter, pieces);
        if (status)
            return status;
        status = sct_pieces_unfold(dimension, fold, pieces, &done);
        if (!done)
            sct_pieces_clear(pieces);
        if (done || status)
            return status;
    }
    return find_pieces(dimension, pieces);
}

sct_status sct_pieces_store_few(sct_pieces *pieces) {
    bool few = pieces->count > 0 && pieces->count <= FEW;
    sct_status status = few && !pieces->piece ? store(pieces) : SCT_OK;
    if (status)
        sct_pieces_clear(pieces);
    return status;
}

void sct_pieces_clear(sct_pieces *pieces) {
    free(pieces->mark);
    free(pieces->piece);
    free(pieces->ranges);
    free(pieces->spans[0]);
    free(pieces->spans[1]);
    free(pieces->repeat);
    *pieces = (sct_pieces){.count = 0};
}

/* ---- Unfolding ---- */

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
    pieces->repeat = calloc(LISTS * (size_t)pieces->count, sizeof *pieces->repeat);
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
