/* segment.h - segments of ranks that are processes: memory that the node maps, or the caller's. */
#ifndef SCT_FABRIC_PROCESSES_SEGMENT_H
#define SCT_FABRIC_PROCESSES_SEGMENT_H

#include "fabric/processes/rank.h"
#include "fabric/transfer.h"

/* The locks of a rank for wrapped blocks; segments with more blocks have locks of their own. */
enum { SCT_WRAP_LOCKS = 64 };

/* The blocks of one rank in this address space; NULL: not mapped. */
typedef struct sct_segment_part {
    sct_shared shared;
    sct_memory *blocks;
    sct_bands *bands; /* of each block; of wrapped blocks of this node, those of the fabric */
    bool own_bands;   /* allocated for this part */
    int count;        /* number of blocks, for allocated segments */
    sct_memory *cma;  /* wrapped blocks that this process may read and write, with the owner's
                       * addresses; NULL: it may not */
    sct_routes routes;
} sct_segment_part;

struct sct_segment {
    sct_process *fabric;
    sct_segment *next;        /* next of the rank's segments */
    uint64_t id;              /* equal on all ranks */
    bool offered;             /* offered to the service */
    sct_window *window;       /* of direct access; NULL: none */
    int per_node;             /* as sct_fabric_ops says */
    int count;                /* number of this rank's blocks */
    sct_routes far;           /* to ranks of other nodes */
    sct_segment_part parts[]; /* of the ranks of the node */
};

static inline sct_segment_part *sct_segment_own(sct_segment *segment) {
    return &segment->parts[segment->fabric->seat];
}

/* NULL for a rank of another node. */
static inline sct_segment_part *sct_segment_part_of(sct_segment *segment, int rank) {
    int seat = sct_process_seat_of(segment->fabric, rank);
    return seat >= 0 ? &segment->parts[seat] : NULL;
}

/* The functions of sct_fabric_ops. */
sct_status sct_process_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment);
sct_status sct_process_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment);
void sct_process_segment_close(sct_segment *segment);
const sct_memory *sct_process_segment_peer(const sct_segment *segment, int rank);
int sct_process_segment_per_node(const sct_segment *segment);

/* The steps of making a segment. A segment without parts: */
sct_status sct_process_segment_make(sct_process *self, int count, sct_segment **segment);
/* Copies the descriptions of a part's blocks. */
sct_status sct_part_describe(int count, const sct_memory *blocks, sct_segment_part *part);
/* Lets the service give other ranks access to this rank's part, for those that cannot map it. */
sct_status sct_process_segment_offer(sct_process *self, sct_segment *segment);
/* Chooses how this rank reaches the memory of another, when all else is known of the segment. NULL:
 * the part is that of a rank of another node. */
sct_routes sct_process_routes(const sct_segment *segment, const sct_segment_part *part);
/* What was chosen for a rank. */
const sct_routes *sct_segment_routes(sct_segment *segment, int rank);
/* The last step; `status` is that of those before, equal on all ranks. Frees the segment on
 * failure. */
sct_status sct_process_segment_finish(sct_process *self, sct_status status, sct_segment *segment);

/* The offset of the block table in a part with `count` blocks. */
SCT_API size_t sct_process_segment_table(int count);

/* Leaves this rank's memory of all segments of a list mapped until the process ends. */
void sct_process_segments_abandon(sct_segment *first);
/* Frees all segments of a list. */
void sct_process_segments_free(sct_segment *first);

#endif
