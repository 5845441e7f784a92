/* covering_array.h - a seeded covering array: few rows of parameter values that contain every pair
 * of values of any two parameters, and every triple of values of chosen parameters. */
#ifndef TEST_COVERING_ARRAY_H
#define TEST_COVERING_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cover cover;

/* Parameter i has the values 0 to values[i] - 1. */
cover *cover_create(int parameters, const int *values, int triples, const int (*triple)[3]);
void cover_destroy(cover *cover);

/* The next row; false once everything is covered. Pairs are covered before triples. */
bool cover_next(cover *cover, uint64_t *random, int *row);

typedef struct cover_count {
    int64_t pairs, all_pairs, triples, all_triples;
} cover_count;
cover_count cover_counts(const cover *cover);

#endif
