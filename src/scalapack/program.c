/* program.c - looks up functions of the program, by the names of their C interfaces. */
#include "scalapack/program.h"

#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* POSIX has functions and objects in one kind of address; C has no conversion between them. */
static sct_function *as_function(void *symbol) {
    sct_function *function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

sct_function *sct_program_original(const char *symbol, sct_function *ours) {
    sct_function *next = as_function(dlsym(RTLD_NEXT, symbol));
    if (next)
        return next;
    /* this library may come after ScaLAPACK, where its names have the prefix only */
    sct_function *first = as_function(dlsym(RTLD_DEFAULT, symbol));
    return first == ours ? NULL : first;
}

static sct_status find(const char *symbol, sct_function **function) {
    *function = as_function(dlsym(RTLD_DEFAULT, symbol));
    if (*function)
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE,
                    "the program has no %s: link ScaLAPACK and its BLACS as shared libraries",
                    symbol);
}

sct_status sct_program_grid(int context, sct_grid *grid) {
    static sct_function *gridinfo; /* each call of a routine needs it */
    sct_status status = gridinfo ? SCT_OK : find("Cblacs_gridinfo", &gridinfo);
    *grid = (sct_grid){-1, -1, -1, -1};
    if (!status)
        ((void (*)(int, int *, int *, int *, int *))gridinfo)(context, &grid->rows, &grid->cols,
                                                              &grid->row, &grid->col);
    return status;
}

sct_status sct_program_communicator(int context, MPI_Comm *comm) {
    enum { HANDLE_OF_CONTEXT = 10 };
    sct_function *get, *translate;
    int handle = 0;
    sct_status status = find("Cblacs_get", &get);
    if (!status)
        status = find("Cblacs2sys_handle", &translate);
    if (status)
        return status;
    ((void (*)(int, int, int *))get)(context, HANDLE_OF_CONTEXT, &handle);
    *comm = ((MPI_Comm(*)(int))translate)(handle);
    return SCT_OK;
}

static _Noreturn void end_job(int context) {
    sct_function *blacs_abort;
    if (find("Cblacs_abort", &blacs_abort) == SCT_OK)
        ((void (*)(int, int))blacs_abort)(context, 1);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void sct_program_report(int context, const char *routine, int info) {
    sct_function *handler;
    if (find("PB_Cabort", &handler) == SCT_OK) {
        ((void (*)(int, char *, int))handler)(context, (char *)routine, info);
        return;
    }
    int number = -info;
    if (find("pxerbla_", &handler) == SCT_OK)
        ((void (*)(int *, char *, int *, size_t))handler)(&context, (char *)routine, &number,
                                                          strlen(routine));
    else
        fprintf(stderr, "sectile: %s: parameter %d has an illegal value\n", routine, number);
    end_job(context);
}

_Noreturn void sct_program_abort(int context, const char *routine, const char *reason) {
    fprintf(stderr, "sectile: %s: %s\n", routine, reason);
    end_job(context);
}
