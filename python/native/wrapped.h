/* wrapped.h - products and copies of matrices that the caller has in memory of its own, and that
 * exist for the library only during the call. For teams of one. Collective. */
#ifndef PYTHON_WRAPPED_H
#define PYTHON_WRAPPED_H

#include "team.h"

/* A matrix as stored: what sct_matrix_wrap takes. */
typedef struct wrapped {
    sct_type type;
    const sct_layout *layout;
    void *data;
    int64_t ld;
} wrapped;

/* A product whose result is copied to another layout: in so many parts (8 at most), of the rows or
 * of the columns of C, each of which is copied while the next is computed. */
struct spread {
    const wrapped *to;
    int by_rows;
    int parts;
};

/* c = alpha a b + beta c. */
sct_status team_multiply_wrapped(struct team *team, const void *alpha, const wrapped *a,
                                 const wrapped *b, const void *beta, const wrapped *c,
                                 const sct_options *options);
/* The same, and copies c. */
sct_status team_multiply_spread(struct team *team, const void *alpha, const wrapped *a,
                                const wrapped *b, const void *beta, const wrapped *c,
                                const sct_options *options, const struct spread *spread);
sct_status team_copy_wrapped(struct team *team, const wrapped *from, const wrapped *to);

#endif
