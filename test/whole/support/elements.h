/* elements.h - distributed matrices seen element by element: filled, checked and read by tests.
 *
 * All of it concerns the elements that the calling rank stores; nothing is collective. */
#ifndef TEST_ELEMENTS_H
#define TEST_ELEMENTS_H

#include "support/element.h"

#include <sectile/sectile.h>

/* Fails a check, and returns NULL, if the text is not a layout. */
sct_layout *layout_of(const char *text, int64_t rows, int64_t cols, int ranks);

/* Made-up elements: each is a function of the seed and its place alone. */
typedef struct source {
    uint64_t seed;
    int most; /* integers from -most to most; 0: reals in [-1, 1) that fit an f32 */
} source;

element source_element(sct_type type, source from, int64_t row, int64_t col);

typedef void element_visitor(void *context, int64_t row, int64_t col, void *at);

/* Calls `visit` for each element that this rank stores, in the replica where it is at home. */
void matrix_visit(const sct_world *world, const sct_matrix *matrix, element_visitor *visit,
                  void *context);

/* Sets what this rank stores. */
void matrix_fill(const sct_world *world, const sct_matrix *matrix, source from);
void matrix_set(const sct_world *world, const sct_matrix *matrix, element value);

/* How many of this rank's elements are not those of the source. */
int64_t matrix_differs(const sct_world *world, const sct_matrix *matrix, source from);

#endif
