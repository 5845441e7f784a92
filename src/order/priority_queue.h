/* priority_queue.h - a queue of numbers, of which the one with the least key comes first. */
#ifndef SCT_ORDER_PRIORITY_QUEUE_H
#define SCT_ORDER_PRIORITY_QUEUE_H

#include <sectile/sectile.h>

typedef struct sct_ranked {
    double key;
    int64_t item; /* of equal keys the least comes first */
} sct_ranked;

/* All zero: empty. */
typedef struct sct_heap {
    int64_t count, room;
    sct_ranked *at;
} sct_heap;

sct_status sct_heap_push(sct_heap *heap, double key, int64_t item);
/* It must not be empty. */
sct_ranked sct_heap_pop(sct_heap *heap);
void sct_heap_clear(sct_heap *heap);

#endif
