/* library.h - the part of Sectile for the MPI of the program. */
#ifndef SCT_SCALAPACK_LIBRARY_H
#define SCT_SCALAPACK_LIBRARY_H

#include "scalapack/loaded.h"
#include "scalapack/mpi/contexts.h"

/* Finds it, for a program whose BLACS has this function, or NULL. Errors: SCT_NO_ENGINE. */
sct_status sct_library_open_mpi(sct_function *blacs, const void *caller,
                                const sct_mpi_contexts **contexts);

#endif
