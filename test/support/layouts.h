/* layouts.h - random cuts, and random layouts of every kind. */
#ifndef TEST_LAYOUTS_H
#define TEST_LAYOUTS_H

#include <sectile/sectile.h>

enum { MOST_BLOCKS = 9 };

typedef struct random_cuts {
    int64_t cuts[MOST_BLOCKS];
    int owners[MOST_BLOCKS];
    sct_cuts given; /* points into this struct */
} random_cuts;

/* 1 to MOST_BLOCKS blocks, some of which may be empty, with owners from 0 to coords - 1. */
void make_random_cuts(uint64_t *state, int64_t extent, int coords, random_cuts *made);

/* A layout of any kind on up to 16 ranks for each of up to 3 replicas, which may share work in
 * blocks, possibly with a rank map, possibly column-major. Exits if there is no memory. */
sct_layout *make_random_layout(uint64_t *state, int64_t rows, int64_t cols);

#endif
