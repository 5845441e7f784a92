/* priority_queue.h - numbered items, each with a key or none: the item with the least key is found
 * at once, and a key can be changed. */
#ifndef SCT_BASE_PRIORITY_QUEUE_H
#define SCT_BASE_PRIORITY_QUEUE_H

#include <sectile/sectile.h>

typedef struct sct_keyed {
    double key;
    int64_t item;
} sct_keyed;

/* All zeros: no room for any item. */
typedef struct sct_priority_queue {
    int64_t room;   /* items are numbered from 0 to room - 1 */
    int64_t count;  /* items with a key */
    int64_t *place; /* by item: place in the heap; -1: no key */
    sct_keyed *heap;
} sct_priority_queue;

/* Makes room for this many items; new ones have no key. */
sct_status sct_priority_queue_grow(sct_priority_queue *queue, int64_t room);
void sct_priority_queue_clear(sct_priority_queue *queue);

/* Gives an item a key, in place of the one that it has. */
void sct_priority_queue_set(sct_priority_queue *queue, int64_t item, double key);
/* Takes an item's key away, if it has one. */
void sct_priority_queue_drop(sct_priority_queue *queue, int64_t item);
/* The item with the least key; of equals, that with the least number. Item -1 with an infinite key
 * if there is none. */
sct_keyed sct_priority_queue_first(const sct_priority_queue *queue);

#endif
