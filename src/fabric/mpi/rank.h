/* rank.h - a rank of an MPI job. */
#ifndef SCT_FABRIC_MPI_RANK_H
#define SCT_FABRIC_MPI_RANK_H

#include "fabric/processes/rank.h"

#include <mpi.h>

typedef struct sct_rma sct_rma;

typedef struct sct_mpi {
    sct_process process;
    MPI_Comm comm; /* private to this fabric */
    sct_rma *rma;  /* NULL: not in use */
    bool rdma;     /* all hosts have a network on which MPI can use more than TCP */
} sct_mpi;

static inline sct_mpi *sct_mpi_of(sct_process *process) {
    return (sct_mpi *)process;
}

#endif
