/* throughput.h - what the events of a run show: how long products took, and how fast operands came
 * from other nodes. */
#ifndef SCT_API_THROUGHPUT_H
#define SCT_API_THROUGHPUT_H

#include <sectile/sectile.h>

typedef struct sct_throughput {
    int ranks_per_node;
    double computing; /* seconds of products */
    double bytes;     /* from other nodes */
    double seconds;   /* in which any of these were under way */
    double until;     /* the latest end of these */
} sct_throughput;

/* An observer of a run that adds to it. */
sct_observer sct_throughput_observer(sct_throughput *throughput);

#endif
