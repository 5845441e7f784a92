/* search.h - a search under way: what may be chosen, and the best so far. */
#ifndef SCT_CHOOSE_SEARCH_H
#define SCT_CHOOSE_SEARCH_H

#include "choose/candidates.h"
#include "choose/score.h"

/* As many are planned in the end. */
enum { SCT_FINALISTS = 24 };

/* Layouts of A, B and C, held. */
typedef struct sct_three {
    const sct_layout *layout[SCT_MATS];
    int stay;
    double score;
    sct_choice choice; /* but for its layouts */
} sct_three;

typedef struct sct_hunt {
    sct_seeker seeker;
    /* What each matrix may be if it stays, and if it moves, beside what lies along the one that
     * stays. */
    sct_candidates staying[SCT_MATS], moving[SCT_MATS];
    bool smallest; /* by the memory of the parts alone */
    int wanted;    /* choices */
    int count;
    sct_three best[SCT_FINALISTS + 1]; /* best first */
} sct_hunt;

/* Whether its text has a map of ranks or cuts. */
bool sct_layout_is_long(const sct_layout *layout);

void sct_three_drop(sct_three *three);
/* Sorts an item in by score, behind those that are as good; drops the last beyond `most`. */
void sct_three_sort_in(sct_three *list, int *count, int most, const sct_three *item);
/* Best first, by what is aimed at; the score is seconds. */
void sct_three_sort(sct_three *list, int count, sct_aim aim);

sct_status sct_hunt_begin(const sct_search *search, int wanted, sct_hunt **hunt);
void sct_hunt_end(sct_hunt *hunt);
/* Finds the best without plans. */
sct_status sct_hunt_run(sct_hunt *hunt);
/* Finds and plans the best that fit into the memory, best first, at least as many as are wanted if
 * there are; says how many: none, if all take clearly more than is enough of what is aimed at. If
 * none fit, the reason tells how much memory would do. */
sct_status sct_hunt_find(sct_hunt *hunt, double enough, int *fit);

#endif
