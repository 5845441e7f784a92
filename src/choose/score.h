/* score.h - the settings of a search, and the score of a triple of layouts and of who does the
 * work, from estimates or from plans. */
#ifndef SCT_CHOOSE_SCORE_H
#define SCT_CHOOSE_SCORE_H

#include "cost/workload.h"

#include <sectile/sectile_choose.h>

typedef struct sct_search_context {
    sct_search search; /* with defaults filled in */
    sct_options options;
    struct sct_machine assumed;
    const sct_machine *machine;
    const sct_layout *fixed[SCT_MATS]; /* layouts of matrices that are there already; else NULL */
    sct_product product;               /* the product with the layouts under consideration */
    sct_work_layout work;              /* and the work layout */
    double best_grid;   /* the fewest bytes that a rank moves on a grid of all ranks */
    int fewer;          /* ranks of which grids are tried besides those of all; 0: none */
    bool min_workspace; /* plan with the least workspace, and count all of it */
} sct_search_context;

/* Takes layouts of A, B and C into consideration, and a work layout of the shape of one of them.
 * NULL, or equal to the layout of that matrix: the matrix is stationary. */
void sct_score_consider(sct_search_context *context, const sct_layout *const *layout, int shape,
                        const sct_layout *work);

/* The problem that multiplies matrices in these layouts. */
sct_problem sct_score_problem(const sct_search_context *context, const sct_layout *const *layout);

/* Bytes that a rank stores, including a fixed matrix that is copied to another layout. */
uint64_t sct_score_stored_bytes(const sct_search_context *context, int rank);
/* The number of products that share the preparation of a matrix. */
double sct_score_uses(const sct_search_context *context, int matrix);

/* The value that the search minimizes: seconds; bytes; or, where both count, seconds times the
 * factor by which the bytes exceed those of the best grid. */
double sct_score_value(const sct_search_context *context, double seconds, double bytes);
/* The estimated value of the layouts under consideration. `only`: of one matrix; -1: of everything.
 * A score of `most` or more need not be exact. */
double sct_score_layouts(const sct_search_context *context, int only, double most);

/* A lower bound on the memory that the layouts need: that of the rank with the largest parts. */
uint64_t sct_score_min_memory(const sct_search_context *context);

/* Makes a choice, except its layouts, by planning a sample of the ranks. SCT_WORKSPACE: they do not
 * fit into memory. */
sct_status sct_score_plans(const sct_search_context *context, sct_choice *choice);

#endif
