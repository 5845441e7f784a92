/* search.h - a search for layouts: its candidates, and the best triples of layouts so far. */
#ifndef SCT_CHOOSE_SEARCH_H
#define SCT_CHOOSE_SEARCH_H

#include "choose/candidates.h"
#include "choose/score.h"
#include "plan/constants.h"

/* Layouts of A, B and C, and of the work. */
typedef struct sct_layout_triple {
    const sct_layout *layout[SCT_MATS];
    int shape;              /* of the work */
    const sct_layout *work; /* NULL: the matrix of this shape is stationary */
    double score;
    sct_choice choice; /* without layouts */
} sct_layout_triple;

typedef struct sct_layout_search {
    sct_search_context context;
    /* Candidates for each matrix when stationary, and when moving; layouts aligned with the work
     * come in addition. */
    sct_candidates staying[SCT_MATS], moving[SCT_MATS];
    int shape;           /* of work that keeps no matrix */
    sct_candidates work; /* candidates for its layout */
    bool smallest;       /* score by the memory of the parts alone */
    int count;
    sct_layout_triple best[SCT_FINALISTS + 1]; /* best first, and room to insert one more */
} sct_layout_search;

/* Inserts an item by score, behind equal ones. If there are more than `most` then, drops the last.
 */
void sct_layout_triple_insert(sct_layout_triple *list, int *count, int most,
                              const sct_layout_triple *item);

sct_status sct_layout_search_create(const sct_search *search, sct_layout_search **layouts);
void sct_layout_search_destroy(sct_layout_search *search);
/* Finds the best triples by estimates. */
sct_status sct_layout_search_run(sct_layout_search *search);

#endif
