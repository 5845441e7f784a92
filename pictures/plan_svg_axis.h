/* plan_svg_axis.h - one dimension of a matrix in a plan picture: its blocks, aligned to pixels. */
#ifndef PICTURES_PLAN_SVG_AXIS_H
#define PICTURES_PLAN_SVG_AXIS_H

#include "pictures/plan_drawing.h"

/* The length of the longest axis in pixels, and the most blocks that are drawn on an axis. */
enum { SVG_AXIS_LENGTH = 576, SVG_AXIS_BLOCKS = 64 };

struct block {
    int64_t lo, hi; /* indices */
    int from, to;   /* pixels from the start of the axis */
};

struct svg_axis {
    int64_t size; /* of the dimension */
    int length;
    int blocks;
    struct block block[SVG_AXIS_BLOCKS];
    bool all; /* all blocks are drawn, to scale; otherwise a sample, with equal lengths */
};

/* Finds the blocks down, or across, a matrix. Of too many blocks it takes a sample with equally
 * many of each owner, which includes the block of index `through`. */
void svg_axis_cut(const struct drawing *drawing, int matrix, bool down, int64_t through,
                  struct svg_axis *axis);

/* Gives the axis a length in pixels, and its blocks their pixels. */
void svg_axis_lay(struct svg_axis *axis, int length);

/* The pixel of an index, where all blocks are drawn. */
int svg_axis_at(const struct svg_axis *axis, int64_t index);

/* Sets the pixels that show any of the indices, and clears the others. */
void svg_axis_find(const struct svg_axis *axis, const sct_indices *indices,
                   bool pixels[SVG_AXIS_LENGTH]);

#endif
