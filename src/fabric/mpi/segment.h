/* segment.h - segments of the MPI fabric: memory that the node maps, or the caller's. */
#ifndef SCT_FABRIC_MPI_SEGMENT_H
#define SCT_FABRIC_MPI_SEGMENT_H

#include "fabric/mpi/rank.h"
#include "fabric/transfer.h"

/* The blocks of one rank in this address space; NULL: not mapped. */
typedef struct sct_mpi_part {
    sct_shared shared;
    sct_memory *blocks;
    sct_bands *bands;  /* of each block */
    int count;         /* number of blocks, for allocated segments */
    sct_memory *table; /* with a window: blocks with offsets as bases */
    sct_memory *read;  /* wrapped blocks that this process may read, with the owner's addresses;
                        * NULL: it may not */
} sct_mpi_part;

struct sct_segment {
    sct_mpi *fabric;
    sct_segment *next;    /* next of the rank's segments */
    uint64_t id;          /* equal on all ranks */
    bool offered;         /* offered to the service */
    MPI_Win window;       /* window on the rank's part; MPI_WIN_NULL: none */
    int count;            /* number of this rank's blocks */
    sct_mpi_part parts[]; /* by rank */
};

/* The functions of sct_fabric_ops. */
sct_status sct_mpi_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                sct_segment **segment);
sct_status sct_mpi_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                sct_segment **segment);
void sct_mpi_segment_close(sct_segment *segment);
const sct_memory *sct_mpi_segment_peer(const sct_segment *segment, int rank);

/* The offset of the block table in a part with `count` blocks. */
size_t sct_mpi_segment_table(int count);

/* Frees all segments of a list. */
void sct_mpi_segments_free(sct_segment *first);

#endif
