/* segment.h - segments of the threads fabric: the blocks of every rank, known to all. */
#ifndef SCT_FABRIC_THREADS_SEGMENT_H
#define SCT_FABRIC_THREADS_SEGMENT_H

#include "fabric/fabric.h"
#include "fabric/transfer.h"

struct sct_segment {
    sct_fabric *fabric;
    sct_segment *next; /* next of the rank's segments */
    int count;
    sct_memory *blocks;
    sct_bands *bands;     /* by block */
    void *memory;         /* NULL if wrapped */
    sct_segment *peers[]; /* by rank */
};

/* The functions of sct_fabric_ops. After a rank has left, closing a wrapped segment waits until no
 * rank uses its memory; an allocated segment is kept. */
sct_status sct_threads_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment);
sct_status sct_threads_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment);
void sct_threads_segment_close(sct_segment *segment);
const sct_memory *sct_threads_segment_peer(const sct_segment *segment, int rank);
int sct_threads_segment_per_node(const sct_segment *segment);

/* Frees all segments of a list. */
void sct_threads_segments_free(sct_segment *first);

#endif
