/* priority_queue.h - a priority queue of numbered items: the least key comes first. */
#ifndef SCT_ORDER_PRIORITY_QUEUE_H
#define SCT_ORDER_PRIORITY_QUEUE_H

#include <sectile/sectile.h>

typedef struct sct_ranked {
    double key;
    int64_t item; /* ties: the least item first */
} sct_ranked;

/* All zeros: empty. */
typedef struct sct_priority_queue {
    int64_t count, room;
    sct_ranked *at;
} sct_priority_queue;

sct_status sct_priority_queue_push(sct_priority_queue *heap, double key, int64_t item);
/* The queue must not be empty. */
sct_ranked sct_priority_queue_pop(sct_priority_queue *heap);
void sct_priority_queue_clear(sct_priority_queue *heap);

#endif
