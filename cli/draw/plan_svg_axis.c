/* plan_svg_axis.c - one dimension of a matrix as it is drawn: its blocks, each on whole pixels. */
#include "draw/plan_svg_axis.h"

#include <string.h>

/* About so many blocks are drawn if not all are. Owners that come round later than that in a
 * dimension are taken for all different. */
enum { DRAWN = 40, LONGEST_PERIOD = 4096 };

/* The first line of a matrix along a dimension. */
struct line {
    const struct scene *scene;
    int matrix;
    bool down;
    int64_t size;
};

static sct_range block_at(const struct line *line, int64_t at) {
    sct_slice tile =
        scene_tile(line->scene, line->matrix, line->down ? at : 0, line->down ? 0 : at);
    return line->down ? tile.rows : tile.cols;
}

static int owner_at(const struct line *line, int64_t at) {
    return scene_owner(line->scene, line->matrix, line->down ? at : 0, line->down ? 0 : at);
}

static void add(struct track *track, sct_range block) {
    track->block[track->blocks++] = (struct block){.lo = block.lo, .hi = block.hi};
}

/* False if they are too many. */
static bool add_all(const struct line *line, struct track *track) {
    int64_t at = 0;
    while (at < line->size && track->blocks < TRACK_BLOCKS) {
        sct_range block = block_at(line, at);
        add(track, block);
        at = block.hi;
    }
    return at >= line->size;
}

/* After how many blocks the owners come round. */
static int64_t find_period(const struct line *line) {
    int first = owner_at(line, 0);
    int64_t at = 0;
    for (int64_t blocks = 0; blocks < LONGEST_PERIOD && at < line->size; blocks++) {
        if (blocks > 0 && owner_at(line, at) == first)
            return blocks;
        at = block_at(line, at).hi;
    }
    return LONGEST_PERIOD;
}

static int64_t common_divisor(int64_t x, int64_t y) {
    return y == 0 ? x : common_divisor(y, x % y);
}

/* One in how many blocks to draw, if it is to be in `least` or more. One more than whole periods
 * keeps the owners in their order; without a common divisor all of them come up alike. */
static int64_t find_every(int64_t least, int64_t period) {
    int64_t every = period <= least ? (least - 1 + period - 1) / period * period + 1 : least;
    while (common_divisor(every, period) > 1)
        every++;
    return every;
}

/* Some of those that were too many, as if all were as wide as these are; the first may be short. */
static void add_some(const struct line *line, int64_t through, struct track *track) {
    const struct block *some = track->block;
    int64_t width = (some[TRACK_BLOCKS - 1].hi - some[0].hi) / (TRACK_BLOCKS - 1);
    int64_t every = find_every((line->size - 1) / DRAWN / width + 1, find_period(line));
    int64_t stride = every * width, at = through % stride;
    track->blocks = 0;
    add(track, block_at(line, at));
    while (line->size - at > stride) {
        at += stride;
        sct_range block = block_at(line, at);
        if (block.lo > track->block[track->blocks - 1].lo)
            add(track, block);
    }
}

/* The pixel at which something begins that lies `at` in a whole of `size`. */
static int pixel(int length, int64_t at, int64_t size) {
    return (int)((double)length * (double)at / (double)size + 0.5);
}

void track_cut(const struct scene *scene, int matrix, bool down, int64_t through,
               struct track *track) {
    int64_t size = scene->size[down ? scene_down(matrix) : scene_across(matrix)];
    int64_t other = scene->size[down ? scene_across(matrix) : scene_down(matrix)];
    const struct line line = {scene, matrix, down, other > 0 ? size : 0};
    *track = (struct track){.size = size};
    track->all = add_all(&line, track);
    if (!track->all)
        add_some(&line, through, track);
}

void track_lay(struct track *track, int length) {
    track->length = length;
    for (int i = 0; i < track->blocks; i++) {
        struct block *block = &track->block[i];
        int64_t lo = track->all ? block->lo : i, hi = track->all ? block->hi : i + 1;
        int64_t whole = track->all ? track->size : track->blocks;
        block->from = pixel(length, lo, whole);
        block->to = pixel(length, hi, whole);
    }
}

/* What is there of a range in a block is at least one pixel. */
static void set_pixels(const struct block *block, sct_range range, bool pixels[TRACK_LENGTH]) {
    int64_t size = block->hi - block->lo;
    int64_t lo = range.lo > block->lo ? range.lo - block->lo : 0;
    int64_t hi = (range.hi < block->hi ? range.hi : block->hi) - block->lo;
    int from = block->from + pixel(block->to - block->from, lo, size);
    int to = block->from + pixel(block->to - block->from, hi, size);
    for (int i = from; i < to || (i == from && i < block->to); i++)
        pixels[i] = true;
}

void track_find(const struct track *track, const sct_indices *indices, bool pixels[TRACK_LENGTH]) {
    int64_t first = 0;
    memset(pixels, 0, TRACK_LENGTH * sizeof *pixels);
    for (int i = 0; i < track->blocks; i++) {
        const struct block *block = &track->block[i];
        while (first < indices->ranges && sct_indices_range(indices, first).hi <= block->lo)
            first++;
        for (int64_t j = first; j < indices->ranges; j++) {
            sct_range range = sct_indices_range(indices, j);
            if (range.lo >= block->hi)
                break;
            set_pixels(block, range, pixels);
        }
    }
}
