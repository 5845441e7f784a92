/* calls.h - collective calls of the library, made by all members of a team.
 *
 * Where the library takes a matrix or a group, these take an array with the handle of each member.
 */
#ifndef PYTHON_CALLS_H
#define PYTHON_CALLS_H

#include "team.h"

/* A part of a matrix, transposed or not. */
struct operand {
    sct_matrix **matrix;
    sct_slice slice;
    sct_op op;
};

sct_status team_barrier(struct team *team);
sct_status team_add_wisdom(struct team *team, const char *text);
/* For a team of one, which is one rank of several: sct_world_gather. */
sct_status team_gather(struct team *team, const void *mine, size_t bytes, void *all);
/* For the same: sct_world_check. */
sct_status team_check(struct team *team, sct_status status, const char *said);
/* On failure of either, no matrix exists. */
sct_status team_matrix_create(struct team *team, sct_type type, const sct_layout *layout,
                              sct_matrix **matrix);
/* Each member wraps counts[member] blocks, which begin at blocks[member]; without counts the memory
 * and leading dimension of one, for layouts with a grid. */
sct_status team_matrix_wrap(struct team *team, sct_type type, const sct_layout *layout,
                            const int *counts, sct_block **blocks, sct_matrix **matrix);

/* c->op must be SCT_N. */
sct_status team_multiply(struct team *team, const void *alpha, const struct operand *a,
                         const struct operand *b, const void *beta, const struct operand *c,
                         const sct_options *options);
/* Makes a matrix, and multiplies into it, which is faster than two calls. c->matrix is where its
 * handles go. */
sct_status team_product(struct team *team, sct_type type, const sct_layout *layout,
                        const void *alpha, const struct operand *a, const struct operand *b,
                        const struct operand *c, const sct_options *options);
/* to->op must be SCT_N. */
sct_status team_copy(struct team *team, const struct operand *from, const struct operand *to,
                     const sct_options *options);

/* On failure, no group exists. */
sct_status team_group_create(struct team *team, const sct_products *products,
                             const sct_products_choice *choice, sct_type type,
                             const sct_options *options, sct_group **group);
sct_status team_group_run(struct team *team, sct_group **group);
/* Destroys a group and its matrices, at once. */
void team_group_drop(struct team *team, sct_group **group);

#endif
