/* element.h - elements: in memory, generated from a seed by any rank, and set in whole blocks on
 * several threads. */
#ifndef CLI_VALUES_ELEMENT_H
#define CLI_VALUES_ELEMENT_H

#include "values/parse_number.h"

#include <sectile/sectile.h>
#include <stdbool.h>

bool element_is_complex(sct_type type);
/* The bits of the significand, of a real number or of each part of a complex one. */
int element_bits(sct_type type);
void element_store(sct_type type, struct number number, void *at);
struct number element_load(sct_type type, const void *at);
/* Rounds a number to a type. */
struct number element_round(sct_type type, struct number number);
/* The address of element (row, col) of a block. */
void *element_at(sct_type type, const sct_block *block, int64_t row, int64_t col);

/* A generator of elements. An element depends on the generator and the element's position alone, so
 * that every rank can generate it. */
struct source {
    uint64_t seed;
    sct_type type;
    int64_t most; /* integers from -most to most; 0: reals in [-1, 1) that the type holds */
};

/* Element (row, col) of A, B or C. */
struct number source_element(const struct source *source, int matrix, int64_t row, int64_t col);
/* Number `index` of a sequence of random numbers from 0 to limit - 1; each `kind` is another
 * sequence, and differs from the matrices. */
int64_t source_draw(const struct source *source, int kind, int64_t index, int64_t limit);

/* Element (row, col) of the matrix. Several threads call it at once. */
typedef struct number block_fill_value(const void *context, int64_t row, int64_t col);

/* Sets all elements of the block, which has these bounds in its matrix. Uses at most `threads`
 * threads, which is at least 1; fewer for a small block, or if the system has no more. */
void block_fill(sct_type type, const sct_slice *bounds, const sct_block *block, int threads,
                block_fill_value *value, const void *context);

#endif
