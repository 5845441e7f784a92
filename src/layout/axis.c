/* axis.c - blocks, owners and positions along one dimension. */
#include "layout/axis.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

sct_status sct_axis_deal(const char *name, int64_t extent, int64_t block, int64_t first, int source,
                         int coords, sct_axis *axis) {
    if (extent < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: %lld is negative", name, (long long)extent);
    if (block < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: a block size of %lld is not at least 1", name,
                        (long long)block);
    if (coords < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: a grid size of %d is less than 1", name, coords);
    if (first < 0 || first > block)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: a first block of %lld is not between 0 and %lld",
                        name, (long long)first, (long long)block);
    if (source < 0 || source >= coords)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: source %d is not between 0 and %d", name, source,
                        coords - 1);
    if (first == 0)
        first = block;
    int64_t rest = extent - sct_min(first, extent);
    int64_t blocks = (extent > 0) + rest / block + (rest % block != 0);
    *axis = (sct_axis){.extent = extent,
                       .blocks = blocks,
                       .coords = coords,
                       .block = block,
                       .first = first,
                       .source = source};
    return SCT_OK;
}

static sct_status check_cuts(const char *name, int64_t extent, const sct_cuts *cuts,
                             const int *owners, int coords) {
    if (extent < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: %lld is negative", name, (long long)extent);
    if (!cuts || (cuts->blocks > 1 && !cuts->cuts))
        return sct_fail(SCT_BAD_ARGUMENT, "%s: the cuts are NULL", name);
    if (cuts->blocks < 1 || cuts->blocks > INT32_MAX)
        return sct_fail(SCT_BAD_ARGUMENT, "%s: %lld blocks are not between 1 and %d", name,
                        (long long)cuts->blocks, INT32_MAX);
    int64_t last = 0;
    for (int64_t b = 0; b + 1 < cuts->blocks; b++) {
        if (cuts->cuts[b] < last || cuts->cuts[b] > extent)
            return sct_fail(SCT_BAD_ARGUMENT, "%s: cut %lld is not between %lld and %lld", name,
                            (long long)cuts->cuts[b], (long long)last, (long long)extent);
        last = cuts->cuts[b];
    }
    for (int64_t b = 0; owners && b < cuts->blocks; b++)
        if (owners[b] < 0 || owners[b] >= coords)
            return sct_fail(SCT_BAD_ARGUMENT, "%s: owner %d is not between 0 and %d", name,
                            owners[b], coords - 1);
    return SCT_OK;
}

static sct_status allocate(sct_axis *axis) {
    size_t blocks = (size_t)axis->blocks;
    axis->bounds = calloc(blocks + 1, sizeof *axis->bounds);
    axis->owners = calloc(blocks, sizeof *axis->owners);
    axis->positions = calloc(blocks, sizeof *axis->positions);
    axis->sizes = calloc((size_t)axis->coords, sizeof *axis->sizes);
    if (axis->bounds && axis->owners && axis->positions && axis->sizes)
        return SCT_OK;
    sct_axis_clear(axis);
    return sct_fail(SCT_NO_MEMORY, "no memory for an axis of %zu blocks", blocks);
}

sct_status sct_axis_cut(const char *name, int64_t extent, const sct_cuts *cuts, const int *owners,
                        int coords, sct_axis *axis) {
    sct_status status = check_cuts(name, extent, cuts, owners, coords);
    if (status)
        return status;
    *axis = (sct_axis){.extent = extent,
                       .blocks = cuts->blocks,
                       .coords = owners ? coords : (int)cuts->blocks,
                       .in_order = true};
    if ((status = allocate(axis)))
        return status;
    for (int64_t b = 0; b < axis->blocks; b++) {
        int owner = owners ? owners[b] : (int)b;
        axis->bounds[b + 1] = b + 1 < axis->blocks ? cuts->cuts[b] : extent;
        axis->owners[b] = owner;
        axis->in_order &= owner == b;
        axis->positions[b] = axis->sizes[owner];
        axis->sizes[owner] += axis->bounds[b + 1] - axis->bounds[b];
    }
    return SCT_OK;
}

bool sct_axis_equal(const sct_axis *x, const sct_axis *y) {
    if (x->extent != y->extent || x->blocks != y->blocks || x->coords != y->coords ||
        !x->bounds != !y->bounds)
        return false;
    if (!x->bounds)
        return x->block == y->block && x->first == y->first && x->source == y->source;
    size_t blocks = (size_t)x->blocks;
    return memcmp(x->bounds, y->bounds, (blocks + 1) * sizeof *x->bounds) == 0 &&
           memcmp(x->owners, y->owners, blocks * sizeof *x->owners) == 0;
}

void sct_axis_clear(sct_axis *axis) {
    free(axis->bounds);
    free(axis->owners);
    free(axis->positions);
    free(axis->sizes);
    *axis = (sct_axis){.extent = 0};
}

int64_t sct_axis_block(const sct_axis *axis, int64_t i) {
    if (!axis->bounds)
        return i < axis->first ? 0 : 1 + (i - axis->first) / axis->block;
    int64_t lo = 0, hi = axis->blocks; /* bounds[lo] <= i < bounds[hi] */
    while (hi - lo > 1) {
        int64_t middle = lo + (hi - lo) / 2;
        if (axis->bounds[middle] <= i)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

sct_range sct_axis_bounds(const sct_axis *axis, int64_t block) {
    if (axis->bounds)
        return (sct_range){axis->bounds[block], axis->bounds[block + 1]};
    int64_t lo = block == 0 ? 0 : axis->first + (block - 1) * axis->block;
    int64_t size = block == 0 ? axis->first : axis->block;
    return (sct_range){lo, lo + sct_min(size, axis->extent - lo)};
}

int sct_axis_owner(const sct_axis *axis, int64_t block) {
    if (axis->bounds)
        return axis->owners[block];
    int64_t coord = axis->source + block % axis->coords;
    return (int)(coord < axis->coords ? coord : coord - axis->coords);
}

int64_t sct_axis_position(const sct_axis *axis, int64_t block) {
    if (axis->bounds)
        return axis->positions[block];
    int64_t earlier = block / axis->coords;
    bool after_first = block % axis->coords == 0 && earlier > 0;
    return after_first ? axis->first + (earlier - 1) * axis->block : earlier * axis->block;
}

/* The distance from coordinate `from` to coordinate `to`, cyclically. */
static int ahead(const sct_axis *axis, int from, int to) {
    return to >= from ? to - from : to - from + axis->coords;
}

int64_t sct_axis_seek(const sct_axis *axis, int coord, int64_t block) {
    if (block >= axis->blocks)
        return axis->blocks;
    if (!axis->bounds) {
        int lead = ahead(axis, sct_axis_owner(axis, block), coord);
        return lead < axis->blocks - block ? block + lead : axis->blocks;
    }
    if (axis->in_order)
        return coord >= block ? sct_min(coord, axis->blocks) : axis->blocks;
    while (block < axis->blocks && axis->owners[block] != coord)
        block++;
    return block;
}

/* The last block below `block` that coord owns, or -1. */
static int64_t seek_back(const sct_axis *axis, int coord, int64_t block) {
    if (axis->in_order)
        return coord < block ? coord : -1;
    if (axis->bounds) {
        do
            block--;
        while (block >= 0 && axis->owners[block] != coord);
        return block;
    }
    int lead = ahead(axis, axis->source, coord);
    return block > lead ? lead + (block - 1 - lead) / axis->coords * axis->coords : -1;
}

int64_t sct_axis_below(const sct_axis *axis, int coord, int64_t i) {
    if (i >= axis->extent && axis->sizes)
        return axis->sizes[coord];
    int64_t block = i < axis->extent ? sct_axis_block(axis, i) : axis->blocks;
    if (block < axis->blocks && sct_axis_owner(axis, block) == coord)
        return sct_axis_position(axis, block) + (i - sct_axis_bounds(axis, block).lo);
    int64_t last = seek_back(axis, coord, block);
    if (last < 0)
        return 0;
    sct_range bounds = sct_axis_bounds(axis, last);
    return sct_axis_position(axis, last) + (bounds.hi - bounds.lo);
}

int64_t sct_axis_class_size(const sct_axis *axis, int coord) {
    return sct_axis_below(axis, coord, axis->extent);
}

/* Of blocks that are dealt round, no coordinate has more than the first two: only the first of all
 * blocks and the last may be short. */
int64_t sct_axis_largest_class(const sct_axis *axis) {
    int64_t most = 0;
    for (int i = 0; i < (axis->bounds ? axis->coords : 2); i++) {
        int coord = axis->bounds ? i : (axis->source + i) % axis->coords;
        most = sct_max(most, sct_axis_class_size(axis, coord));
    }
    return most;
}
