/* problems.h - layouts of A, B and C, and the problem that they make. */
#ifndef TEST_PROBLEMS_H
#define TEST_PROBLEMS_H

#include <sectile/sectile.h>

/* A, B and C of C = AB, whose C is m x n, from texts; or at random: returns how many ranks they
 * need. */
void parse_three(int64_t m, int64_t k, int64_t n, int ranks, const char *const text[3],
                 sct_layout *layout[3]);
int make_random_three(uint64_t *state, int64_t m, int64_t k, int64_t n, sct_layout *layout[3]);

/* Of the whole matrices. */
sct_problem problem_with(sct_type type, sct_layout *const layout[3], int ranks);

/* Of the plan of one rank. */
sct_status cost_of(const sct_problem *problem, int rank, const sct_options *options,
                   sct_cost *cost);

#endif
