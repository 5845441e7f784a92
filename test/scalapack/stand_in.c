/* stand_in.c - the stand-in for BLACS and ScaLAPACK. */
#include "scalapack/stand_in.h"

#include "scalapack/loaded.h"

#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

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

_Noreturn void __wrap_abort(void);

_Noreturn void __wrap_abort(void) {
    end_by("abort");
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

static const bool always = true;
static const struct {
    const char *name;
    const bool *there;
    sct_function *function;
} names[] = {{"Cblacs_get", &stand_in.communicators, (sct_function *)get},
             {"Cblacs2sys_handle", &stand_in.communicators, (sct_function *)translate},
             {"Cblacs_gridinfo", &stand_in.grids, (sct_function *)gridinfo},
             {"Cblacs_abort", &stand_in.aborts, (sct_function *)abort_blacs},
             {"pdgemm_", &always, (sct_function *)gemm},
             {"pdtran_", &always, (sct_function *)tran},
             {"pdgemr2d_", &always, (sct_function *)gemr2d}};

sct_function *__wrap_sct_loaded_find(const void *caller, const char *symbol, sct_function *ours);
sct_address_range __wrap_sct_loaded_extent(const void *address);

sct_function *__wrap_sct_loaded_find(const void *caller, const char *symbol, sct_function *ours) {
    (void)caller;
    (void)ours;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(symbol, names[i].name) == 0 && *names[i].there)
            return names[i].function;
    return NULL;
}

/* No code is in what this returns: so each call looks for everything. */
sct_address_range __wrap_sct_loaded_extent(const void *address) {
    (void)address;
    return (sct_address_range){NULL, NULL};
}
