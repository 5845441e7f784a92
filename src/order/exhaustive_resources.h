/* exhaustive_resources.h - what a search's few transfers take of those channels that can make a
 * difference to what goes together. */
#ifndef SCT_ORDER_EXHAUSTIVE_RESOURCES_H
#define SCT_ORDER_EXHAUSTIVE_RESOURCES_H

#include "order/graph.h"

/* A channel that only one transfer goes through is left out, and one through which none takes
 * longer than through another; the rank comes first. */
typedef struct sct_search_tolls {
    int transfers, channels;
    double *toll; /* [transfer * channels + channel] */
} sct_search_tolls;

/* Of so many data of a graph. */
sct_status sct_search_tolls_create(const sct_graph *graph, const int64_t *datum, int transfers,
                                   sct_search_tolls *tolls);
void sct_search_tolls_clear(sct_search_tolls *tolls);

#endif
