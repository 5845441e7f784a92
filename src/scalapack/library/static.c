/* static.c - the static drop-in is linked to it. */
#include "scalapack/library/library.h"

sct_status sct_library_open_mpi(sct_function *blacs, const void *caller,
                                const sct_mpi_contexts **contexts) {
    (void)blacs;
    (void)caller;
    *contexts = &sct_scalapack_contexts;
    return SCT_OK;
}
