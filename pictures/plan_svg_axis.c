/* plan_svg_axis.c - one dimension of a matrix in a plan picture: its blocks, aligned to pixels. */
#include "pictures/plan_svg_axis.h"

#include <string.h>

/* A sample has about DRAWN blocks. Owners that repeat only after more than LONGEST_PERIOD blocks
 * count as not repeating. */
enum { DRAWN = 40, LONGEST_PERIOD = 4096 };

/* The first column of a matrix, or its first row: along it the blocks of a dimension are found. */
struct line {
    const struct drawing *drawing;
    int matrix;
    bool down; /* a column */
    int64_t size;
};

static sct_range block_at(const struct line *line, int64_t at) {
    sct_slice tile =
        drawing_tile(line->drawing, line->matrix, line->down ? at : 0, line->down ? 0 : at);
    return line->down ? tile.rows : tile.cols;
}

static int owner_at(const struct line *line, int64_t at) {
    return drawing_owner(line->drawing, line->matrix, line->down ? at : 0, line->down ? 0 : at);
}

static void add(struct svg_axis *axis, sct_range block) {
    axis->block[axis->blocks++] = (struct block){.lo = block.lo, .hi = block.hi};
}

/* Adds all blocks; false if there are too many. */
static bool add_all(const struct line *line, struct svg_axis *axis) {
    int64_t at = 0;
    while (at < line->size && axis->blocks < SVG_AXIS_BLOCKS) {
        sct_range block = block_at(line, at);
        add(axis, block);
        at = block.hi;
    }
    return at >= line->size;
}

/* The number of blocks after which the owners repeat. */
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

/* Every how many blocks one is drawn, at least `least`. One more than a multiple of the period
 * keeps the owners in order; any number coprime to the period shows all owners equally often. */
static int64_t find_every(int64_t least, int64_t period) {
    int64_t every = period <= least ? (least - 1 + period - 1) / period * period + 1 : least;
    while (common_divisor(every, period) > 1)
        every++;
    return every;
}

/* Replaces the blocks by a sample, as if all were as wide as those found so far. */
static void add_some(const struct line *line, int64_t through, struct svg_axis *axis) {
    const struct block *some = axis->block;
    int64_t width = (some[SVG_AXIS_BLOCKS - 1].hi - some[0].hi) / (SVG_AXIS_BLOCKS - 1);
    int64_t every = find_every((line->size - 1) / DRAWN / width + 1, find_period(line));
    int64_t stride = every * width, at = through % stride;
    axis->blocks = 0;
    add(axis, block_at(line, at));
    while (line->size - at > stride) {
        at += stride;
        sct_range block = block_at(line, at);
        if (block.lo > axis->block[axis->blocks - 1].lo)
            add(axis, block);
    }
}

/* The pixel of index `at`, where `length` pixels show `size` indices. */
static int pixel(int length, int64_t at, int64_t size) {
    return (int)((double)length * (double)at / (double)size + 0.5);
}

void svg_axis_cut(const struct drawing *drawing, int matrix, bool down, int64_t through,
                  struct svg_axis *axis) {
    int64_t size = drawing->size[down ? drawing_down(matrix) : drawing_across(matrix)];
    int64_t other = drawing->size[down ? drawing_across(matrix) : drawing_down(matrix)];
    const struct line line = {drawing, matrix, down, other > 0 ? size : 0};
    *axis = (struct svg_axis){.size = size};
    axis->all = add_all(&line, axis);
    if (!axis->all)
        add_some(&line, through, axis);
}

void svg_axis_lay(struct svg_axis *axis, int length) {
    axis->length = length;
    for (int i = 0; i < axis->blocks; i++) {
        struct block *block = &axis->block[i];
        int64_t lo = axis->all ? block->lo : i, hi = axis->all ? block->hi : i + 1;
        int64_t whole = axis->all ? axis->size : axis->blocks;
        block->from = pixel(length, lo, whole);
        block->to = pixel(length, hi, whole);
    }
}

int svg_axis_at(const struct svg_axis *axis, int64_t index) {
    return pixel(axis->length, index, axis->size);
}

/* Marks the pixels of a range within a block: at least one. */
static void set_pixels(const struct block *block, sct_range range, bool pixels[SVG_AXIS_LENGTH]) {
    int64_t size = block->hi - block->lo;
    int64_t lo = range.lo > block->lo ? range.lo - block->lo : 0;
    int64_t hi = (range.hi < block->hi ? range.hi : block->hi) - block->lo;
    int from = block->from + pixel(block->to - block->from, lo, size);
    int to = block->from + pixel(block->to - block->from, hi, size);
    for (int i = from; i < to || (i == from && i < block->to); i++)
        pixels[i] = true;
}

void svg_axis_find(const struct svg_axis *axis, const sct_indices *indices,
                   bool pixels[SVG_AXIS_LENGTH]) {
    int64_t first = 0;
    memset(pixels, 0, SVG_AXIS_LENGTH * sizeof *pixels);
    for (int i = 0; i < axis->blocks; i++) {
        const struct block *block = &axis->block[i];
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
