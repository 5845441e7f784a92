/* stretches.h - the stretches of a dimension as a list, sorted by their pair of owners. */
#ifndef SCT_LAYOUT_STRETCHES_H
#define SCT_LAYOUT_STRETCHES_H

#include "layout/dimension.h"

typedef struct sct_stretches {
    int64_t count, room;
    sct_stretch *list;
} sct_stretches;

/* Orders by groups, then by indices. */
int sct_stretch_compare(const sct_stretch *l, const sct_stretch *r);

/* Collects all stretches in order of their indices. */
sct_status sct_stretches_collect(const sct_dimension *d, sct_stretches *all);
/* Sorts by groups; stretches of the same groups keep their order. */
sct_status sct_stretches_sort(const sct_dimension *d, sct_stretches *all);

#endif
