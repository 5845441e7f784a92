/* program.c - looks up the BLACS and the ScaLAPACK of the code that calls, and keeps them. */
#include "scalapack/program.h"
#include "scalapack/library/library.h"

#include "base/log.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The names of the C interface of the BLACS. */
enum { GRIDINFO, GET, TO_SYSTEM, PINFO, ABORT, BLACS };
static const char *const blacs_names[BLACS] = {"Cblacs_gridinfo", "Cblacs_get", "Cblacs2sys_handle",
                                               "Cblacs_pinfo", "Cblacs_abort"};

/* It does not change once it is kept, but for routines, which are looked up when they are called.
 */
struct sct_program {
    sct_program *next;
    sct_address_range code;
    const void *caller;
    sct_function *blacs[BLACS];
    const sct_mpi_contexts *mpi; /* NULL: `why` */
    char why[SCT_REASON_BYTES];
    struct {
        _Atomic(sct_function *) found;
        atomic_bool looked_up;
    } original[SCT_ROUTINES];
};

/* Of this process. */
static _Atomic(sct_program *) kept;
static atomic_flag has_complained = ATOMIC_FLAG_INIT;

/* ---- Looking up ---- */

static void look_up(sct_program *program, const void *caller) {
    *program = (sct_program){.code = sct_loaded_extent(caller), .caller = caller};
    for (int i = 0; i < BLACS; i++)
        program->blacs[i] = sct_loaded_find(caller, blacs_names[i], NULL);
    if (sct_library_open_mpi(program->blacs[GRIDINFO], caller, &program->mpi))
        snprintf(program->why, sizeof program->why, "%s", sct_last_reason());
}

static sct_program *find_kept(const char *caller) {
    sct_program *program = atomic_load(&kept);
    while (program && (caller < program->code.begin || caller >= program->code.end))
        program = program->next;
    return program;
}

/* Two threads may each look up the same: the later finds its own first. */
sct_program *sct_program_of(const void *caller) {
    static _Thread_local sct_program not_kept; /* where memory is lacking */
    sct_program *program = find_kept(caller);
    if (program)
        return program;
    program = malloc(sizeof *program);
    if (!program) {
        look_up(&not_kept, caller);
        return &not_kept;
    }
    look_up(program, caller);
    program->next = atomic_load(&kept);
    while (!atomic_compare_exchange_weak(&kept, &program->next, program))
        ;
    return program;
}

sct_function *sct_program_original(sct_program *program, const sct_routine *routine) {
    int number = routine->number;
    if (!atomic_load(&program->original[number].looked_up)) {
        sct_function *found = sct_loaded_find(program->caller, routine->symbol, routine->ours);
        atomic_store(&program->original[number].found, found);
        atomic_store(&program->original[number].looked_up, true);
    }
    return atomic_load(&program->original[number].found);
}

/* ---- The BLACS ---- */

/* An integer that a BLACS writes, which may be one of 64 bits. */
typedef union written {
    int64_t wide;
    int narrow[2];
} written;

/* No integer of 64 bits that a BLACS writes has this half. */
static const int untouched = 0x5ec711e5;
static const written nothing_written = {.narrow = {untouched, untouched}};

static bool is_wide(const written *x) {
    return x->narrow[0] != untouched && x->narrow[1] != untouched;
}

static sct_status missing(int function) {
    return sct_fail(SCT_NO_ENGINE,
                    "the program has no %s: link ScaLAPACK and its BLACS as shared libraries",
                    blacs_names[function]);
}

sct_status sct_program_grid(const sct_program *program, int context, sct_grid *grid) {
    sct_function *gridinfo = program->blacs[GRIDINFO];
    written rows = nothing_written, cols = rows, row = rows, col = rows;
    *grid = (sct_grid){-1, -1, -1, -1};
    if (!gridinfo)
        return missing(GRIDINFO);
    ((void (*)(int64_t, int *, int *, int *, int *))gridinfo)(context, rows.narrow, cols.narrow,
                                                              row.narrow, col.narrow);
    if (is_wide(&rows))
        return sct_fail(SCT_NO_ENGINE, "its BLACS has 64-bit integers, and Sectile takes the "
                                       "arguments of ScaLAPACK as 32-bit ones");
    *grid = (sct_grid){rows.narrow[0], cols.narrow[0], row.narrow[0], col.narrow[0]};
    return SCT_OK;
}

sct_status sct_program_context(const sct_program *program, int number, sct_blacs_context *context) {
    enum { HANDLE_OF_CONTEXT = 10 };
    sct_function *get = program->blacs[GET], *translate = program->blacs[TO_SYSTEM];
    if (!get || !translate)
        return missing(get ? TO_SYSTEM : GET);
    *context = (sct_blacs_context){.translate = translate};
    ((void (*)(int, int, int *))get)(number, HANDLE_OF_CONTEXT, &context->handle);
    return sct_program_grid(program, number, &context->grid);
}

int sct_program_rank(const sct_program *program) {
    written rank = nothing_written, ranks = rank;
    sct_function *pinfo = program->blacs[PINFO];
    sct_launcher launcher = {.size = sizeof launcher, .rank = -1};
    if (!pinfo)
        return sct_launcher_find(&launcher) == SCT_OK ? launcher.rank : -1;
    ((void (*)(int *, int *))pinfo)(rank.narrow, ranks.narrow);
    return is_wide(&rank) ? (int)rank.wide : rank.narrow[0];
}

/* ---- Whether calls can be served ---- */

bool sct_program_fits(sct_program *program, int context) {
    sct_grid grid;
    sct_status status = sct_program_grid(program, context, &grid);
    if (!status && !program->mpi)
        status = sct_fail(SCT_NO_ENGINE, "%s", program->why);
    /* other code of the process may have another ScaLAPACK, whose calls are served */
    if (status && !atomic_flag_test_and_set(&has_complained) && sct_program_rank(program) <= 0)
        sct_log_write(SCT_LOG_WARNING, -1, "all calls of %s are passed on to ScaLAPACK: %s",
                      sct_loaded_name(program->caller), sct_last_reason());
    return !status;
}

const sct_mpi_contexts *sct_program_mpi(const sct_program *program) {
    return program->mpi;
}

_Noreturn void sct_program_abort(const sct_program *program, int context, const char *routine,
                                 const char *reason) {
    sct_function *blacs_abort = program->blacs[ABORT];
    fprintf(stderr, "sectile: %s: %s\n", routine, reason);
    if (blacs_abort)
        ((void (*)(int64_t, int64_t))blacs_abort)(context, 1);
    abort();
}
