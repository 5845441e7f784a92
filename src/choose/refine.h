/* refine.h - slicing and order of what is chosen, and which is the first. */
#ifndef SCT_CHOOSE_REFINE_H
#define SCT_CHOOSE_REFINE_H

#include "choose/search.h"

/* As many choices are tried, however few are wanted: which is the first only then shows. */
enum { SCT_TRIED = 6 };

/* Finds for each of the best choices the slicing and the order in which it is done first, if that
 * is clearly before it is in the way that it has; and sorts the first of them by how long they take
 * then. */
sct_status sct_ways_choose(const sct_seeker *seeker, sct_three *list, int count);

#endif
