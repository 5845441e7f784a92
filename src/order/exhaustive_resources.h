/* exhaustive_resources.h - for the exhaustive search: the use of those resources that can decide
 * which transfers go together. */
#ifndef SCT_ORDER_EXHAUSTIVE_RESOURCES_H
#define SCT_ORDER_EXHAUSTIVE_RESOURCES_H

#include "order/graph.h"

/* Dropped are resources that only one transfer uses, and those that every transfer uses for no
 * longer than another resource. The rank itself comes first. */
typedef struct sct_exhaustive_resources {
    int transfers, resources;
    double *use; /* [transfer * resources + resource] */
} sct_exhaustive_resources;

/* For a list of slices of a graph. */
sct_status sct_exhaustive_resources_create(const sct_graph *graph, const int64_t *slice,
                                           int transfers, sct_exhaustive_resources *uses);
void sct_exhaustive_resources_clear(sct_exhaustive_resources *uses);

#endif
