/* rank.h - a rank of the fabric for devices of processes, and its segments. */
#ifndef SCT_FABRIC_DEVICE_PROCESSES_RANK_H
#define SCT_FABRIC_DEVICE_PROCESSES_RANK_H

#include "fabric/bounce/bounce.h"
#include "fabric/devices/common.h"

/* What a rank publishes about its part of a segment. */
typedef struct sct_device_process_offer {
    sct_memory_handle handle; /* of the memory from `start` on */
    char *start;
    sct_memory first; /* block */
    int count;
    bool usable; /* its device can use the memory, if there is any */
    bool shared;
} sct_device_process_offer;

typedef struct sct_device_process {
    sct_upper_fabric upper; /* above that of the processes */
    sct_bounce bounce;
    sct_segment *left; /* segments that other ranks may still be using */
    bool *beside;      /* by rank: it is another one of this host, and both devices share memory */
    bool shares;       /* some rank is beside another one */
    sct_device_process_offer *offers; /* by rank: room for what ranks publish about a segment */
} sct_device_process;

static inline sct_device_process *sct_device_process_of(sct_fabric *fabric) {
    return (sct_device_process *)fabric;
}

/* The part of a rank as this rank's device reaches it: its own, or one that it has attached. */
typedef struct sct_device_process_access {
    const sct_memory *blocks; /* NULL: it does not */
    bool usable;              /* not by moves only */
    void *attached;           /* of the device's attach; NULL: none, and the blocks are the fabric's
                               * of the processes */
} sct_device_process_access;

struct sct_segment {
    sct_device_process *owner;
    sct_segment *next;   /* of those left */
    sct_segment *placed; /* of the processes: memory that they wrap */
    void *memory;        /* of the device; NULL if wrapped */
    int count;
    sct_device_process_access access[]; /* by rank */
};

/* The functions of sct_fabric_ops. */
sct_status sct_device_process_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                           sct_segment **segment);
sct_status sct_device_process_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                           sct_segment **segment);
void sct_device_process_segment_close(sct_segment *segment);
sct_status sct_device_process_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                                  void *to, size_t pitch, sct_event *reached);
sct_status sct_device_process_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                         const void *from, size_t pitch, const sct_target *to,
                                         sct_event *reached);

/* Collective: finds the ranks beside this one. So many ranks count as on one host; 0: as
 * many as are. */
sct_status sct_device_process_find_beside(sct_device_process *self, int ranks_per_node);
/* Collective: attaches the parts of the ranks beside this one, where that is possible. */
sct_status sct_device_process_attach(sct_device_process *self, const sct_memory *blocks,
                                     sct_segment *segment);
/* Local: before the owners free their parts. */
void sct_device_process_detach(sct_segment *segment);

/* Frees segments that no other rank uses any more. */
void sct_device_process_segments_free(sct_segment *first);

#endif
