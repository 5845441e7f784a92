/* rank.h - a rank of the fabric for devices of processes, and its segments. */
#ifndef SCT_FABRIC_STAGED_RANK_H
#define SCT_FABRIC_STAGED_RANK_H

#include "fabric/fabric.h"
#include "fabric/staged/stage.h"

typedef struct sct_staged_rank {
    sct_fabric base;
    sct_fabric *ranks; /* of the processes */
    sct_device_stage stage;
    sct_bands bands;   /* of all additions on the device: nobody takes them, since these follow each
                          other */
    sct_segment *left; /* segments that other ranks may still be using */
} sct_staged_rank;

static inline sct_staged_rank *sct_staged_of(sct_fabric *fabric) {
    return (sct_staged_rank *)fabric;
}

struct sct_segment {
    sct_staged_rank *owner;
    sct_segment *next;   /* of those left */
    sct_segment *placed; /* of the processes: memory that they wrap */
    void *memory;        /* of the device; NULL if wrapped */
    int count;
};

/* The functions of sct_fabric_ops. */
sct_status sct_staged_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                   sct_segment **segment);
sct_status sct_staged_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                   sct_segment **segment);
void sct_staged_segment_close(sct_segment *segment);
sct_status sct_staged_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket);
sct_status sct_staged_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket);
sct_status sct_staged_wait(sct_fabric *fabric, sct_ticket ticket);
bool sct_staged_done(sct_fabric *fabric, sct_ticket ticket);

/* Frees segments that no other rank uses any more. */
void sct_staged_segments_free(sct_segment *first);

#endif
