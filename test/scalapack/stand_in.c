/* stand_in.c - the stand-in for BLACS and ScaLAPACK. */
#include "scalapack/stand_in.h"

#include <dlfcn.h>
#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24 };

stand_in_program stand_in;

static struct {
    bool used;
    stand_in_grid grid;
    MPI_Comm comm;
} contexts[MOST];

int stand_in_context(stand_in_grid grid) {
    int context = 0;
    while (contexts[context].used)
        if (++context == MOST)
            exit(1);
    contexts[context].used = true;
    contexts[context].grid = grid;
    PMPI_Comm_dup(MPI_COMM_WORLD, &contexts[context].comm);
    return context;
}

void stand_in_free(int context) {
    contexts[context].used = false;
    MPI_Comm_free(&contexts[context].comm);
}

/* ---- The BLACS ---- */

static void get(int context, int what, int *value) {
    (void)what;
    *value = context;
}

static MPI_Comm translate(int handle) {
    return contexts[handle].comm;
}

static void gridinfo(int context, int *rows, int *cols, int *row, int *col) {
    stand_in_grid grid = {-1, -1, -1, -1};
    if (context >= 0 && context < MOST && contexts[context].used)
        grid = contexts[context].grid;
    *rows = grid.rows;
    *cols = grid.cols;
    *row = grid.row;
    *col = grid.col;
}

static _Noreturn void end_by(const char *what) {
    stand_in.ended = what;
    longjmp(stand_in.end, 1);
}

static void abort_blacs(int context, int code) {
    stand_in.context = context;
    if (code == 1)
        end_by("Cblacs_abort");
}

int __wrap_MPI_Abort(MPI_Comm comm, int code);

int __wrap_MPI_Abort(MPI_Comm comm, int code) {
    if (comm == MPI_COMM_WORLD && code == 1 && !stand_in.goes_on)
        end_by("MPI_Abort");
    return MPI_ERR_OTHER;
}

_Noreturn void __wrap_abort(void);

_Noreturn void __wrap_abort(void) {
    end_by("abort");
}

static void note_bad(int context, const char *routine, size_t length, int bad) {
    stand_in.context = context;
    stand_in.bad = bad;
    memset(stand_in.routine, 0, sizeof stand_in.routine);
    memcpy(stand_in.routine, routine, length);
}

static void print(const int *context, const char *routine, const int *bad, size_t length) {
    note_bad(*context, routine, length, *bad);
}

static void report(int context, const char *routine, int info) {
    note_bad(context, routine, strlen(routine), info);
}

/* ---- ScaLAPACK ---- */

static void gemm(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
                 const void *alpha, const void *a, const int *ia, const int *ja, const int *desc_a,
                 const void *b, const int *ib, const int *jb, const int *desc_b, const void *beta,
                 void *c, const int *ic, const int *jc, const int *desc_c) {
    const void *all[] = {op_a, op_b, m,  n,      k,    alpha, a,  ia, ja,    desc_a,
                         b,    ib,   jb, desc_b, beta, c,     ic, jc, desc_c};
    memcpy(stand_in.arguments, all, sizeof all);
    stand_in.passed_on++;
}

static void tran(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                 const int *ja, const int *desc_a, const void *beta, void *c, const int *ic,
                 const int *jc, const int *desc_c) {
    const void *all[] = {m, n, alpha, a, ia, ja, desc_a, beta, c, ic, jc, desc_c};
    memcpy(stand_in.arguments, all, sizeof all);
    stand_in.passed_on++;
}

static void gemr2d(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                   const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
                   const int *context) {
    const void *all[] = {m, n, a, ia, ja, desc_a, b, ib, jb, desc_b, context};
    memcpy(stand_in.arguments, all, sizeof all);
    stand_in.passed_on++;
}

/* ---- Where the drop-in finds them ---- */

typedef void function(void);

static const bool always = true;
static const struct {
    const char *name;
    const bool *there;
    bool next; /* it comes after the drop-in */
    function *function;
} names[] = {{"Cblacs_get", &stand_in.communicators, false, (function *)get},
             {"Cblacs2sys_handle", &stand_in.communicators, false, (function *)translate},
             {"Cblacs_gridinfo", &stand_in.grids, false, (function *)gridinfo},
             {"Cblacs_abort", &stand_in.aborts, false, (function *)abort_blacs},
             {"pxerbla_", &stand_in.prints, false, (function *)print},
             {"PB_Cabort", &stand_in.reports, false, (function *)report},
             {"pdgemm_", &always, true, (function *)gemm},
             {"pdtran_", &always, true, (function *)tran},
             {"pdgemr2d_", &always, true, (function *)gemr2d}};

void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name) {
    void *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) {
            if (*names[i].there && handle == (names[i].next ? RTLD_NEXT : RTLD_DEFAULT))
                memcpy(&found, &names[i].function, sizeof found);
            return found;
        }
    return __real_dlsym(handle, name);
}
