/* plan_svg_axis.h - one dimension of a matrix as it is drawn: its blocks, each on whole pixels. */
#ifndef CLI_DRAW_PLAN_SVG_AXIS_H
#define CLI_DRAW_PLAN_SVG_AXIS_H

#include "draw/plan_drawing.h"

/* The longest track, in pixels, and the most blocks on it. */
enum { TRACK_LENGTH = 576, TRACK_BLOCKS = 64 };

struct block {
    int64_t lo, hi; /* indices */
    int from, to;   /* pixels from the begin of the track */
};

struct track {
    int64_t size; /* of the dimension */
    int length;
    int blocks;
    struct block block[TRACK_BLOCKS];
    bool all; /* blocks are drawn, in scale; else some, which are drawn alike */
};

/* The dimension down, or across, a matrix. Of too many blocks some are drawn, as many of each
 * owner; the one that holds the index `through` is one of them. */
void track_cut(const struct scene *scene, int matrix, bool down, int64_t through,
               struct track *track);

/* Lays the blocks on so many pixels. */
void track_lay(struct track *track, int length);

/* Sets the pixels at which some of the indices are drawn, and clears all others. */
void track_find(const struct track *track, const sct_indices *indices, bool pixels[TRACK_LENGTH]);

#endif
