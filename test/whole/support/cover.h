/* cover.h - a seeded covering array: few rows of parameter values in which every pair of values of
 * any two parameters, and every triple of chosen ones, is found. */
#ifndef TEST_COVER_H
#define TEST_COVER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cover cover;

/* Parameter i has the values 0 to values[i] - 1. */
cover *cover_create(int parameters, const int *values, int triples, const int (*triple)[3]);
void cover_destroy(cover *cover);

/* The next row; false once all is covered. Pairs come before triples. */
bool cover_next(cover *cover, uint64_t *random, int *row);

typedef struct cover_count {
    int64_t pairs, all_pairs, triples, all_triples;
} cover_count;
cover_count cover_counts(const cover *cover);

#endif
