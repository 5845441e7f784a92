/* rank.h - a rank of the fabric for devices, and its segments. */
#ifndef SCT_FABRIC_DEVICES_RANK_H
#define SCT_FABRIC_DEVICES_RANK_H

#include "fabric/devices/common.h"

#include <pthread.h>

enum { SCT_SCRATCHES = 2 };

/* What ranks exchange when they order their streams. */
typedef struct sct_devices_turn {
    sct_status status;
    sct_event event;
} sct_devices_turn;

typedef struct sct_devices {
    sct_upper_fabric upper;  /* above a threads fabric; its stream also keeps the order of ranks */
    sct_devices_turn *turns; /* by rank, for sct_devices_order */
    /* Buffers for additions from or to memory of the host, in the order of the stream; NULL until
     * one is needed. */
    char *scratch[SCT_SCRATCHES];
    sct_segment *segments; /* those that are open */
} sct_devices;

static inline sct_devices *sct_devices_of(sct_fabric *fabric) {
    return (sct_devices *)fabric;
}

/* The last addition that was submitted to the blocks of a rank: of all together, since they may lie
 * in one buffer, and devices may move a buffer as a whole. */
typedef struct sct_last_addition {
    pthread_mutex_t lock;
    sct_event last;
} sct_last_addition;

struct sct_segment {
    sct_devices *owner;
    sct_segment *next;
    sct_segment *placed; /* of the threads fabric, which has the blocks of all ranks */
    void *memory;        /* of the device; NULL if wrapped */
    bool usable;         /* the devices can use all of it */
    int count;
    sct_last_addition chain;
    sct_segment *peers[]; /* by rank */
};

/* The functions of sct_fabric_ops. */
sct_status sct_devices_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment);
sct_status sct_devices_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment);
void sct_devices_segment_close(sct_segment *segment);
const sct_memory *sct_devices_segment_peer(const sct_segment *segment, int rank);
int sct_devices_segment_per_node(const sct_segment *segment);
sct_status sct_devices_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                           size_t pitch, sct_event *reached);
sct_status sct_devices_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                  const void *from, size_t pitch, const sct_target *to,
                                  sct_event *reached);
sct_status sct_devices_order(sct_fabric *fabric, sct_status status, sct_stream *stream);

/* Frees this rank's part of a segment, which no other rank uses any more. */
void sct_devices_segment_free(sct_segment *segment);

#endif
