/* elements.h - distributed matrices, filled, checked and read element by element.
 *
 * Every function concerns the elements that the calling rank stores and, except matrix_new, is not
 * collective. */
#ifndef TEST_ELEMENTS_H
#define TEST_ELEMENTS_H

#include "support/element.h"

#include <sectile/sectile.h>

/* The layout that the text describes; NULL, after a failed check, if there is none. */
sct_layout *layout_of(const char *text, int64_t rows, int64_t cols, int ranks);

/* A matrix of the layout that the text describes; NULL, after a failed check, if there is none.
 * Collective. */
sct_matrix *matrix_new(sct_world *world, sct_type type, const char *layout, int64_t rows,
                       int64_t cols);

/* Generated elements: each is a function of the seed and its position alone. */
typedef struct source {
    uint64_t seed;
    int most; /* integers from -most to most; 0: reals in [-1, 1) that an f32 holds exactly */
} source;

element source_element(sct_type type, source from, int64_t row, int64_t col);

typedef void element_visitor(void *context, int64_t row, int64_t col, void *at);

/* Calls `visit` for each element that this rank stores in its own replica, to look at it, or to set
 * it without having looked. */
void matrix_read(const sct_world *world, const sct_matrix *matrix, element_visitor *visit,
                 void *context);
void matrix_write(const sct_world *world, const sct_matrix *matrix, element_visitor *visit,
                  void *context);

/* Set the elements that this rank stores: to those of the source, or to one value. */
void matrix_fill(const sct_world *world, const sct_matrix *matrix, source from);
void matrix_set(const sct_world *world, const sct_matrix *matrix, element value);

/* Fails a check for each element of type f64 that this rank stores and that has another value. */
void matrix_check_f64(const sct_world *world, const sct_matrix *matrix, double wanted);

/* How many of this rank's elements differ from those of the source, from one value, or from what a
 * function says. NaN differs from all. */
int64_t matrix_count_wrong(const sct_world *world, const sct_matrix *matrix, source from);
int64_t matrix_count_other(const sct_world *world, const sct_matrix *matrix, element value);
typedef element element_wanted(const void *context, int64_t row, int64_t col);
int64_t matrix_count_unlike(const sct_world *world, const sct_matrix *matrix,
                            element_wanted *wanted, const void *context);

#endif
