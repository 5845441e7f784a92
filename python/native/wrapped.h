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
    sct_op op;
} wrapped;

/* c = alpha op(a) op(b) + beta c. If *plan is NULL, it is set to the plan that was made; pass it
 * again for the same layouts, types, ops and options. The caller frees it by sct_plan_destroy. */
sct_status team_multiply_wrapped(team *team, const void *alpha, const wrapped *a, const wrapped *b,
                                 const void *beta, const wrapped *c, const sct_options *options,
                                 sct_plan **plan);
/* to->op must be SCT_N. */
sct_status team_copy_wrapped(team *team, const wrapped *from, const wrapped *to);

#endif
