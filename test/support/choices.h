/* choices.h - searches for layouts, and what plans say of what is found. */
#ifndef TEST_CHOICES_H
#define TEST_CHOICES_H

#include <sectile/sectile.h>

typedef struct choices_shape {
    int64_t m, n, k;
} choices_shape;

/* On nodes of one rank each. */
sct_search choices_search(choices_shape s, int ranks);
sct_problem choices_problem(const sct_search *search, const sct_choice *choice);
sct_options choices_options(const sct_choice *choice);

/* Bytes of f64 that a rank moves on the best of all pm x pn x pk ranks, if each has its share of
 * what it uses of one copy. */
double choices_best_grid(choices_shape s, int ranks);

/* The plans that a choice stands for take no more than the memory. */
void choices_check_fit(const sct_search *search, const sct_choice *choice);
/* By time the first is expected to take the least, or hardly more. */
void choices_check_before(const sct_choice *first, const sct_choice *other);

#endif
