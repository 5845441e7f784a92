/* mpi.h - as much of MPI as some files of src/scalapack name, for tests of these alone. */
#ifndef TEST_FUZZ_MPI_H
#define TEST_FUZZ_MPI_H

typedef int MPI_Comm;
enum { MPI_COMM_WORLD };

int MPI_Comm_rank(MPI_Comm comm, int *rank);

#endif
