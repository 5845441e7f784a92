/* mpi.h - as much of MPI as src/scalapack/program.h names, for the fuzzer of descriptors. */
#ifndef TEST_FUZZ_MPI_H
#define TEST_FUZZ_MPI_H

typedef int MPI_Comm;

#endif
