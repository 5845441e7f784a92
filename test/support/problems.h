/* problems.h - layouts of A, B and C, and the problem made of them. */
#ifndef TEST_PROBLEMS_H
#define TEST_PROBLEMS_H

#include <sectile/sectile.h>

/* Layouts of the m x k, k x n and m x n matrices A, B and C: from texts, or random ones. The latter
 * returns how many ranks they need. */
void parse_three(int64_t m, int64_t k, int64_t n, int ranks, const char *const text[3],
                 sct_layout *layout[3]);
int make_random_three(uint64_t *state, int64_t m, int64_t k, int64_t n, sct_layout *layout[3]);

/* The problem of the whole matrices, without views. */
sct_problem problem_with(sct_type type, sct_layout *const layout[3], int ranks);

/* The cost of one rank's plan. */
sct_status cost_of(const sct_problem *problem, int rank, const sct_options *options,
                   sct_cost *cost);

#endif
