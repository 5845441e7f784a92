/* segment.h - segments of the MPI fabric: memory that the team maps, or memory of the caller's. */
#ifndef SCT_FABRIC_MPI_SEGMENT_H
#define SCT_FABRIC_MPI_SEGMENT_H

#include "fabric/mpi/rank.h"
#include "fabric/transfer.h"

/* The blocks of one rank, as this process sees them; blocks == NULL: it does not. */
typedef struct sct_mpi_part {
    sct_shared shared;
    sct_memory *blocks;
    sct_bands *bands;  /* of each block */
    int count;         /* of blocks, where ranks share what they open */
    sct_memory *table; /* of a segment with a window: blocks with offsets for bases */
} sct_mpi_part;

struct sct_segment {
    sct_mpi *fabric;
    sct_segment *next;    /* of the rank's segments */
    uint64_t id;          /* the same on all ranks */
    bool offered;         /* to the service */
    MPI_Win window;       /* on what the rank shares; MPI_WIN_NULL: none */
    int count;            /* of this rank's blocks */
    sct_mpi_part parts[]; /* by rank */
};

/* The functions of sct_fabric_ops. */
sct_status sct_mpi_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                sct_segment **segment);
sct_status sct_mpi_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                sct_segment **segment);
void sct_mpi_segment_close(sct_segment *segment);
const sct_memory *sct_mpi_segment_peer(const sct_segment *segment, int rank);

/* Where, in what a rank shares of so many blocks, its table is. */
size_t sct_mpi_segment_table(int count);

/* Frees all segments of a list. */
void sct_mpi_segments_free(sct_segment *first);

#endif
