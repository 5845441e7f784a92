/* element.h - single elements: in memory, and as any rank can make them up from a seed. */
#ifndef CLI_VALUES_ELEMENT_H
#define CLI_VALUES_ELEMENT_H

#include "values/parse_number.h"

#include <sectile/sectile.h>
#include <stdbool.h>

bool element_is_complex(sct_type type);
/* Bits that a real number, or a part of a complex one, has before and behind its point. */
int element_bits(sct_type type);
void element_store(sct_type type, struct number number, void *at);
struct number element_load(sct_type type, const void *at);
/* What a number becomes in a type. */
struct number element_round(sct_type type, struct number number);
/* Where element (row, col) of a block lies. */
void *element_at(sct_type type, const sct_block *block, int64_t row, int64_t col);

/* Elements that depend on nothing but this and where they stand. */
struct source {
    uint64_t seed;
    sct_type type;
    int64_t most; /* whole numbers from -most to most; 0: any of [-1, 1) that the type holds */
};

/* `matrix` tells A, B and C apart. */
struct number source_element(const struct source *source, int matrix, int64_t row, int64_t col);
/* A number that has nothing to do with the elements: draw `index` of a kind, below `limit`. */
int64_t source_draw(const struct source *source, int kind, int64_t index, int64_t limit);

#endif
