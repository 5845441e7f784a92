/* choices.h - searches for the best layouts, and the plans of what they find. */
#ifndef TEST_CHOICES_H
#define TEST_CHOICES_H

#include <sectile/sectile.h>

typedef struct choices_shape {
    int64_t m, n, k;
} choices_shape;

/* A search on ranks that are each on a node of their own. */
sct_search choices_search(choices_shape s, int ranks);
sct_problem choices_problem(const sct_search *search, const sct_choice *choice);
sct_options choices_options(const sct_choice *choice);

/* Bytes that one rank moves, for f64, on the best of all grids of pm x pn x pk ranks: each rank
 * starts with its share of what it uses, and of C ends with its share. */
double choices_best_grid(choices_shape s, int ranks);

/* Checks that on every rank the layouts and the plan's workspace fit in the search's memory. */
void choices_check_fit(const sct_search *search, const sct_choice *choice);
/* Checks that the first choice is expected to take at most 2 % longer than the other. */
void choices_check_before(const sct_choice *first, const sct_choice *other);

#endif
