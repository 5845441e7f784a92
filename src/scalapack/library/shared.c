/* shared.c - the shared drop-in loads it when it has seen which MPI the program has.
 *
 * The drop-in is not linked to an MPI: it may be preloaded into a program with another, whose calls
 * would end in the wrong one. */
#include "scalapack/library/library.h"

#include "base/library.h"
#include "base/status.h"

#include <dlfcn.h>
#include <string.h>

/* The MPIs, each by a function that its mpi.h refers to. (A program may have a copy of a variable.)
 */
typedef struct mpi {
    const char *kind, *name, *symbol;
} mpi;

static const mpi mpis[] = {{"openmpi", "Open MPI", "OMPI_C_MPI_COMM_DUP_FN"},
                           {"mpich", "MPICH", "MPIR_Dup_fn"}};
enum { MPIS = sizeof mpis / sizeof *mpis };

static const char library[] = "libsectile_mpi_" SECTILE_MPI_KIND ".so." SECTILE_SOVERSION;

/* The symbol in the MPI that the BLACS is linked to; or else, in an MPI that the program has. */
static const void *find_mark(sct_function *blacs, const void *caller, const char *symbol) {
    const void *mark = blacs ? sct_loaded_beside(blacs, symbol) : NULL;
    sct_function *other = mark ? NULL : sct_loaded_find(caller, symbol, NULL);
    if (other)
        memcpy(&mark, &other, sizeof mark);
    return mark;
}

static sct_status find_mpi(sct_function *blacs, const void *caller, const mpi **found,
                           const void **mark) {
    for (int i = 0; i < MPIS; i++) {
        *found = &mpis[i];
        *mark = find_mark(blacs, caller, mpis[i].symbol);
        if (*mark)
            return SCT_OK;
    }
    return sct_fail(SCT_NO_ENGINE,
                    "the program has neither Open MPI nor MPICH as a shared library");
}

sct_status sct_library_open_mpi(sct_function *blacs, const void *caller,
                                const sct_mpi_contexts **contexts) {
    const mpi *found;
    const void *mark;
    sct_status status = find_mpi(blacs, caller, &found, &mark);
    if (status)
        return status;
    if (strcmp(found->kind, SECTILE_MPI_KIND) != 0)
        return sct_fail(SCT_NO_ENGINE,
                        "the program has %s: use libsectile_scalapack_%s.so instead of "
                        "libsectile_scalapack_" SECTILE_MPI_KIND ".so",
                        found->name, found->kind);
    void *opened = sct_library_open(library);
    if (!opened)
        return sct_fail(SCT_NO_ENGINE, "%s", dlerror());
    if (dlsym(opened, found->symbol) != mark)
        return sct_fail(SCT_NO_ENGINE,
                        "%s is linked to another %s than the program: build Sectile with the mpicc "
                        "of that one",
                        library, found->name);
    *contexts = dlsym(opened, "sct_scalapack_contexts");
    return *contexts ? SCT_OK : sct_fail(SCT_NO_ENGINE, "%s", dlerror());
}
