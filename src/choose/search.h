/* search.h - a search for layouts: its candidates, and the best triples of layouts so far. */
#ifndef SCT_CHOOSE_SEARCH_H
#define SCT_CHOOSE_SEARCH_H

#include "choose/candidates.h"
#include "choose/score.h"

/* In this folder, the comment on a constant says what other values would do. "With
 * 12: 1.000, 1.004, 1.001" means: if the constant were 12, the product in the layouts chosen first
 * would take 1.000 times as long on the described machine cluster, 1.004 on pvc12 and 1.001 on
 * h100x8. The times are simulated, of all ranks together, and are geometric means over random
 * products with m, n and k from 512 to 32768: 100 to 150 on 2 to 32 ranks of cluster, 50 to 600 on
 * pvc12, and 80 to 150 on h100x8. */

/* The most triples that are planned. With 12: 1.000, 1.004, 1.001. With 48: 0.996, 0.992, 1.006, in
 * 1.25 times the time to search. And how many choices are refined at least, however few are wanted,
 * because only the simulator shows which is first. With 1: 1.028, 1.032, 1.026. With 3: 1.009,
 * 1.005, 1.011. With 12: 0.998, 0.984, 1.000, in 1.22 to 1.46 times the time to search. */
enum { SCT_FINALISTS = 24, SCT_TRIED = 6 };

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

void sct_layout_triple_clear(sct_layout_triple *triple);
/* Inserts an item by score, behind equal ones. If there are more than `most` then, drops the last.
 */
void sct_layout_triple_insert(sct_layout_triple *list, int *count, int most,
                              const sct_layout_triple *item);
/* Sorts planned triples, whose scores are seconds, by the aim: best first. */
void sct_layout_triples_sort(sct_layout_triple *list, int count, sct_aim aim);

sct_status sct_layout_search_create(const sct_search *search, sct_layout_search **layouts);
void sct_layout_search_destroy(sct_layout_search *search);
/* Finds the best triples by estimates. */
sct_status sct_layout_search_run(sct_layout_search *search);
/* Finds the best triples and plans them. Tells how many fit into memory, best first; none if all
 * exceed `enough` clearly. If none fits, the reason says how much memory would do. */
sct_status sct_layout_search_plan(sct_layout_search *search, double enough, int *fit);

/* For each of these planned triples, finds the slicing and the order of steps that are fastest in
 * the simulator, and takes them if they clearly beat the default. Sorts the triples by the seconds
 * that result. */
sct_status sct_refine_choices(const sct_search_context *context, sct_layout_triple *list,
                              int count);
/* Simulates all ranks of a refined triple together, unless that is done already or would be too
 * much work. */
sct_status sct_refine_together(const sct_search_context *context, sct_layout_triple *triple);

#endif
