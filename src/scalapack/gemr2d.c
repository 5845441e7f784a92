/* gemr2d.c - p?gemr2d by its names: that of ScaLAPACK, the same with a prefix, and the names for
 * C, which take values.
 *
 * B = A between two contexts is a copy in the world of a third that has all processes of both. A
 * process outside a context has neither its grid nor its descriptor. So all exchange first what
 * they know. */
#include "base/status.h"
#include "scalapack/arguments.h"
#include "scalapack/context.h"
#include "scalapack/routine.h"
#include "scalapack/settings.h"

#include <assert.h>
#include <sectile/sectile_scalapack.h>
#include <stdlib.h>

/* The arguments as the program passed them. */
typedef struct sct_gemr2d_call {
    const int *m, *n;
    sct_matrix_argument a, b;
    const int *context; /* of all processes of both */
} sct_gemr2d_call;

enum { FROM, TO, SIDES };

/* What a process knows of one side. */
typedef struct side {
    bool inside; /* this process is on the grid */
    bool valid;
    sct_grid grid;
    sct_submatrix x;
} side;

static side know(const sct_program *program, const sct_matrix_argument *operand, int m, int n) {
    side known = {.x = {.data = (char *)operand->data,
                        .descriptor = sct_descriptor_read(operand->entries),
                        .row = *operand->row - 1,
                        .col = *operand->col - 1,
                        .rows = m,
                        .cols = n}};
    if (sct_program_grid(program, known.x.descriptor.context, &known.grid) || known.grid.row < 0)
        return known;
    sct_argument_errors errors = {.grid = known.grid, .context = known.x.descriptor.context};
    sct_submatrix ignored;
    sct_argument_errors_check(&errors, operand, m, 1, n, 2, 3, &ignored);
    known.inside = true;
    known.valid = errors.least == 0;
    return known;
}

/* The ranks of a grid in the world, and what its processes know of the matrix. The memory is this
 * process's own, or none. */
static sct_status join(const side (*all)[SIDES], int size, int which, const side *mine,
                       sct_scalapack_grid *grid, int *ranks, sct_submatrix *x) {
    int found = 0;
    for (int r = 0; r < size; r++) {
        const side *theirs = &all[r][which];
        if (!theirs->inside)
            continue;
        if (!theirs->valid)
            return sct_fail(SCT_BAD_ARGUMENT, "process %d has a bad argument", r);
        *grid = (sct_scalapack_grid){sizeof *grid, theirs->grid.rows, theirs->grid.cols, ranks};
        int position = theirs->grid.row * theirs->grid.cols + theirs->grid.col;
        if (position >= size)
            break;
        ranks[position] = r;
        found++;
        *x = theirs->x;
    }
    if (found == 0 || found != grid->rows * grid->cols)
        return sct_fail(SCT_BAD_ARGUMENT, "a grid has processes outside the context of the call");
    x->data = mine->inside ? mine->x.data : NULL;
    x->descriptor.ld = mine->inside ? mine->x.descriptor.ld : 0;
    return SCT_OK;
}

/* Collective. */
static sct_status copy(const sct_context *context, sct_type type, const side mine[SIDES],
                       const side (*all)[SIDES], int *ranks) {
    sct_view view[SIDES] = {{.matrix = NULL}, {.matrix = NULL}};
    sct_status status = SCT_OK;
    for (int i = 0; i < SIDES && !status; i++) {
        sct_scalapack_grid grid;
        sct_submatrix x;
        status = join(all, sct_world_size(context->world), i, &mine[i], &grid, ranks, &x);
        if (!status)
            status = sct_submatrix_wrap(context->world, type, &grid, &x, &view[i]);
    }
    if (!status)
        status = sct_copy(SCT_N, view[FROM], view[TO], NULL);
    for (int i = 0; i < SIDES; i++)
        sct_matrix_destroy(view[i].matrix);
    return status;
}

static sct_status serve(sct_program *program, sct_type type, const sct_gemr2d_call *call) {
    sct_context *context;
    sct_status status = sct_context_find(program, *call->context, &context);
    if (status)
        return status;
    size_t size = (size_t)sct_world_size(context->world);
    const side mine[SIDES] = {know(program, &call->a, *call->m, *call->n),
                              know(program, &call->b, *call->m, *call->n)};
    side(*all)[SIDES] = calloc(size, sizeof *all);
    int *ranks = calloc(size, sizeof *ranks);
    uint64_t all_have = all && ranks;
    status = sct_context_least(context, &all_have, 1);
    if (!status && !all_have)
        status = sct_no_memory("what processes know");
    if (!status)
        status = sct_context_exchange(context, mine, sizeof mine, all);
    assert(status || (all && ranks));
    if (!status)
        status = copy(context, type, mine, (const side(*)[SIDES])all, ranks);
    free(all);
    free(ranks);
    return status;
}

static sct_passing consider(sct_program *program, const sct_routine *routine,
                            const sct_gemr2d_call *call) {
    if (!sct_program_fits(program, *call->context))
        return SCT_CANNOT;
    if (*call->m == 0 || *call->n == 0)
        return SCT_NOT_PASSED;
    return sct_passing_after(serve(program, routine->type, call));
}

typedef void for_c(int, int, const void *, int, int, const int *, void *, int, int, const int *,
                   int);

static void pass_on(const sct_routine *routine, sct_function *original, const sct_gemr2d_call *x) {
    if (routine->number >= SCT_CPSGEMR2D)
        ((for_c *)original)(*x->m, *x->n, x->a.data, *x->a.row, *x->a.col, x->a.entries,
                            (void *)x->b.data, *x->b.row, *x->b.col, x->b.entries, *x->context);
    else
        ((sct_scalapack_gemr2d *)original)(x->m, x->n, x->a.data, x->a.row, x->a.col, x->a.entries,
                                           (void *)x->b.data, x->b.row, x->b.col, x->b.entries,
                                           x->context);
}

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments. */
static void gemr2d_run(const sct_routine *routine, const void *caller,
                       const sct_gemr2d_call *call) {
    /* While a call is passed on: whose. ScaLAPACK's routine for Fortran calls that for C by its
     * name, which is this library's, and perhaps jumps there, so that the caller is this library,
     * too. */
    static _Thread_local sct_program *passing;
    sct_program *program = passing ? passing : sct_program_of(caller);
    sct_function *original = sct_program_original(program, routine);
    if (passing && original) {
        pass_on(routine, original, call);
        return;
    }
    const sct_call_shape shape = {*call->m, *call->n, SCT_COPIED};
    sct_passing why =
        original ? sct_context_passing(program, *call->context, &shape) : SCT_NOT_PASSED;
    double start = sct_call_start(why);
    if (!why)
        why = consider(program, routine, call);
    if (why && !original)
        sct_program_abort(program, *call->context, routine->name, sct_last_reason());
    passing = program;
    if (why)
        pass_on(routine, original, call);
    passing = NULL;
    sct_tally(why, start, &shape);
}

/* ---- Names ---- */

SCT_API sct_scalapack_gemr2d psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

/* The same, whatever else has their names. */
static sct_scalapack_gemr2d own_psgemr2d __attribute__((alias("psgemr2d_")));
static sct_scalapack_gemr2d own_pdgemr2d __attribute__((alias("pdgemr2d_")));
static sct_scalapack_gemr2d own_pcgemr2d __attribute__((alias("pcgemr2d_")));
static sct_scalapack_gemr2d own_pzgemr2d __attribute__((alias("pzgemr2d_")));

void psgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PSGEMR2D,
                                        .type = SCT_F32,
                                        .name = "PSGEMR2D",
                                        .symbol = "psgemr2d_",
                                        .ours = (sct_function *)own_psgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pdgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PDGEMR2D,
                                        .type = SCT_F64,
                                        .name = "PDGEMR2D",
                                        .symbol = "pdgemr2d_",
                                        .ours = (sct_function *)own_pdgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PCGEMR2D,
                                        .type = SCT_CF32,
                                        .name = "PCGEMR2D",
                                        .symbol = "pcgemr2d_",
                                        .ours = (sct_function *)own_pcgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desc_a, void *b, const int *ib, const int *jb, const int *desc_b,
               const int *context) {
    static const sct_routine routine = {.number = SCT_PZGEMR2D,
                                        .type = SCT_CF64,
                                        .name = "PZGEMR2D",
                                        .symbol = "pzgemr2d_",
                                        .ours = (sct_function *)own_pzgemr2d};
    const sct_gemr2d_call call = {m, n, {a, ia, ja, desc_a}, {b, ib, jb, desc_b}, context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

extern sct_scalapack_gemr2d sectile_psgemr2d_ __attribute__((alias("psgemr2d_")));
extern sct_scalapack_gemr2d sectile_pdgemr2d_ __attribute__((alias("pdgemr2d_")));
extern sct_scalapack_gemr2d sectile_pcgemr2d_ __attribute__((alias("pcgemr2d_")));
extern sct_scalapack_gemr2d sectile_pzgemr2d_ __attribute__((alias("pzgemr2d_")));

/* ---- Names for C ---- */

typedef void gemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
                    int jb, const int *desc_b, int context);

SCT_API gemr2d Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

/* The same, whatever else has their names. */
static gemr2d own_Cpsgemr2d __attribute__((alias("Cpsgemr2d")));
static gemr2d own_Cpdgemr2d __attribute__((alias("Cpdgemr2d")));
static gemr2d own_Cpcgemr2d __attribute__((alias("Cpcgemr2d")));
static gemr2d own_Cpzgemr2d __attribute__((alias("Cpzgemr2d")));

void Cpsgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPSGEMR2D,
                                        .type = SCT_F32,
                                        .name = "CPSGEMR2D",
                                        .symbol = "Cpsgemr2d",
                                        .ours = (sct_function *)own_Cpsgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpdgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPDGEMR2D,
                                        .type = SCT_F64,
                                        .name = "CPDGEMR2D",
                                        .symbol = "Cpdgemr2d",
                                        .ours = (sct_function *)own_Cpdgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpcgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPCGEMR2D,
                                        .type = SCT_CF32,
                                        .name = "CPCGEMR2D",
                                        .symbol = "Cpcgemr2d",
                                        .ours = (sct_function *)own_Cpcgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}

void Cpzgemr2d(int m, int n, const void *a, int ia, int ja, const int *desc_a, void *b, int ib,
               int jb, const int *desc_b, int context) {
    static const sct_routine routine = {.number = SCT_CPZGEMR2D,
                                        .type = SCT_CF64,
                                        .name = "CPZGEMR2D",
                                        .symbol = "Cpzgemr2d",
                                        .ours = (sct_function *)own_Cpzgemr2d};
    const sct_gemr2d_call call = {&m, &n, {a, &ia, &ja, desc_a}, {b, &ib, &jb, desc_b}, &context};
    gemr2d_run(&routine, __builtin_return_address(0), &call);
}
