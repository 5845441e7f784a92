/* failures.c - calls of the drop-in that cannot be served are passed on to ScaLAPACK, with their
 * arguments, or end the job if the program has none, and say why: on all processes alike. Both
 * ScaLAPACK and the BLACS are stand-ins. Runs on 2 processes. */
#include "scalapack/stand_in.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"

#include "base/status.h"

#include <mpi.h>
#include <sectile/sectile_mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDER = 4, RANKS = 2 };
static int rank;

/* ---- Calls below the drop-in that fail ---- */

static struct {
    bool dup, wait;
    int worlds; /* that there are */
} broken;

int __real_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int __wrap_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
sct_status __real_sct_multiply_wait(sct_multiplying *multiplying);
sct_status __wrap_sct_multiply_wait(sct_multiplying *multiplying);
sct_status __real_sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                       sct_world **world);
sct_status __wrap_sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                       sct_world **world);
void __real_sct_world_destroy(sct_world *world);
void __wrap_sct_world_destroy(sct_world *world);

int __wrap_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    return broken.dup ? MPI_ERR_OTHER : __real_MPI_Comm_dup(comm, made);
}

sct_status __wrap_sct_multiply_wait(sct_multiplying *multiplying) {
    sct_status status = __real_sct_multiply_wait(multiplying);
    return status || !broken.wait ? status : sct_fail(SCT_FAILED, "the product is broken");
}

sct_status __wrap_sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                       sct_world **world) {
    sct_status status = __real_sct_world_create_mpi(comm, options, world);
    broken.worlds += !status;
    return status;
}

void __wrap_sct_world_destroy(sct_world *world) {
    broken.worlds -= world != NULL;
    __real_sct_world_destroy(world);
}

/* ---- Calls of the drop-in ---- */

typedef enum routine { GEMM, TRAN, GEMR2D, ROUTINES } routine;
typedef enum outcome { SERVED, PASSED_ON, ENDED } outcome;

static const char *const outcome_names[] = {"served", "passed on", "ended"};

typedef union factor {
    double twice;
    float single;
} factor;

/* The arguments: square matrices of double or single precision, columns dealt one by one. */
static struct {
    char op;
    int order[3], at[6], context, desc_a[9], desc_c[9]; /* m, n, k; ia, ja, ib, ... */
    double numbers[2]; /* alpha and beta, and as the call takes them: */
    factor alpha, beta;
    double a[ORDER * ORDER], b[ORDER * ORDER], c[ORDER * ORDER];
    void *result;
} x;

static char said[500];

static void describe(int desc[9], int context) {
    const int entries[9] = {1, context, ORDER, ORDER, ORDER, 1, 0, 0, ORDER};
    memcpy(desc, entries, sizeof entries);
}

static void prepare(int context) {
    memset(&x, 0, sizeof x);
    x.op = 'N';
    x.numbers[0] = x.numbers[1] = 1;
    for (int i = 0; i < 3; i++)
        x.order[i] = ORDER;
    for (int i = 0; i < 6; i++)
        x.at[i] = 1;
    x.context = context;
    x.result = x.c;
    describe(x.desc_a, context);
    describe(x.desc_c, context);
    for (int i = 0; i < ORDER * ORDER; i++)
        x.a[i] = x.b[i] = 1;
}

static factor factor_of(double number, bool twice) {
    return twice ? (factor){.twice = number} : (factor){.single = (float)number};
}

/* Whether these, and no others, were passed on. */
static bool are_passed(const void *const *all, size_t bytes) {
    return memcmp(stand_in.arguments, all, bytes) == 0;
}

static void call_gemm(bool twice) {
    const int *n = x.order, *at = x.at;
    const void *all[] = {&x.op,   &x.op,    &n[0],    &n[1],  &n[2],   &x.alpha, x.a,
                         &at[0],  &at[1],   x.desc_a, x.b,    &at[2],  &at[3],   x.desc_a,
                         &x.beta, x.result, &at[4],   &at[5], x.desc_c};
    (twice ? sectile_pdgemm_ : sectile_psgemm_)(
        &x.op, &x.op, &n[0], &n[1], &n[2], &x.alpha, x.a, &at[0], &at[1], x.desc_a, x.b, &at[2],
        &at[3], x.desc_a, &x.beta, x.result, &at[4], &at[5], x.desc_c);
    CHECK(stand_in.passed_on == 0 || are_passed(all, sizeof all));
}

static void call_tran(bool twice) {
    const int *n = x.order, *at = x.at;
    const void *all[] = {&n[0],    &n[1],   &x.alpha, x.a,    &at[0], &at[1],
                         x.desc_a, &x.beta, x.result, &at[2], &at[3], x.desc_c};
    (twice ? sectile_pdtran_ : sectile_pstran_)(&n[0], &n[1], &x.alpha, x.a, &at[0], &at[1],
                                                x.desc_a, &x.beta, x.result, &at[2], &at[3],
                                                x.desc_c);
    CHECK(stand_in.passed_on == 0 || are_passed(all, sizeof all));
}

static void call_gemr2d(bool twice) {
    const int *n = x.order, *at = x.at;
    const void *all[] = {&n[0],    &n[1],  x.a,    &at[0],   &at[1],    x.desc_a,
                         x.result, &at[2], &at[3], x.desc_c, &x.context};
    (twice ? sectile_pdgemr2d_ : sectile_psgemr2d_)(&n[0], &n[1], x.a, &at[0], &at[1], x.desc_a,
                                                    x.result, &at[2], &at[3], x.desc_c, &x.context);
    CHECK(stand_in.passed_on == 0 || are_passed(all, sizeof all));
}

static void (*const call[ROUTINES])(bool) = {call_gemm, call_tran, call_gemr2d};

/* The call, with what it says on the standard error in `said`. */
static outcome outcome_of(routine which, bool twice) {
    static FILE *kept;
    static int usual;
    kept = tmpfile();
    usual = dup(STDERR_FILENO);
    dup2(fileno(kept), STDERR_FILENO);
    stand_in.passed_on = 0;
    stand_in.ended = NULL;
    x.alpha = factor_of(x.numbers[0], twice);
    x.beta = factor_of(x.numbers[1], twice);
    if (setjmp(stand_in.end) == 0)
        call[which](twice);
    dup2(usual, STDERR_FILENO);
    close(usual);
    rewind(kept);
    said[fread(said, 1, sizeof said - 1, kept)] = '\0';
    fclose(kept);
    return stand_in.ended ? ENDED : stand_in.passed_on ? PASSED_ON : SERVED;
}

/* Whether the process has said nothing, or in its first call that failed, why. */
static bool has_warned_once(const char *reason) {
    static const char warning[] = "sectile: warning: a call of size ";
    static bool warned;
    bool warns = strncmp(said, warning, sizeof warning - 1) == 0 && strstr(said, reason);
    bool right = warns ? !warned : *said == '\0';
    warned |= warns;
    return right;
}

/* In double precision the program has ScaLAPACK's routines, in single precision it has not. */
static void expect(routine which, bool twice, outcome wanted, const char *reason) {
    static const char *const names[ROUTINES][2] = {
        {"PSGEMM", "PDGEMM"}, {"PSTRAN", "PDTRAN"}, {"PSGEMR2D", "PDGEMR2D"}};
    const char *name = names[which][twice];
    char line[100] = "";
    outcome got = outcome_of(which, twice);
    CHECK_CASE(got == wanted, "%s: %s, not %s: %s", name, outcome_names[got], outcome_names[wanted],
               sct_last_reason());
    if (got != ENDED) {
        CHECK_CASE(has_warned_once(reason), "%s has said: %s", name, said);
        CHECK_CASE(strstr(sct_last_reason(), reason), "%s: %s, not %s", name, sct_last_reason(),
                   reason);
        return;
    }
    snprintf(line, sizeof line, "sectile: %s: %s", name, reason);
    CHECK_CASE(strncmp(said, line, strlen(line)) == 0, "%s has said: %s, not %s", name, said, line);
    const char *end = stand_in.aborts ? "Cblacs_abort" : "abort";
    CHECK_CASE(strcmp(stand_in.ended, end) == 0, "%s ended by %s", name, stand_in.ended);
}

/* A context of processes in a row. */
static int row_of_processes(void) {
    return stand_in_context((stand_in_grid){1, RANKS, 0, rank});
}

/* ---- Programs that lack something ---- */

/* Both without ScaLAPACK and with. */
static void cannot(routine which, const char *reason) {
    expect(which, false, ENDED, reason);
    CHECK(!stand_in.aborts || stand_in.context == x.context);
    expect(which, true, PASSED_ON, reason);
}

/* The first call of process 0 that is passed on says why no call is served, and no other does. */
static void without_blacs(void) {
    const int desc[9] = {1, 0, ORDER, ORDER, ORDER, 1, 0, 0, ORDER};
    const char *why = "the program has no Cblacs_gridinfo: link ScaLAPACK and its BLACS as shared";
    char line[200];
    sct_layout *layout = NULL;
    prepare(0);
    snprintf(line, sizeof line, " are passed on to ScaLAPACK: %s", why);
    CHECK(outcome_of(GEMM, true) == PASSED_ON);
    bool names = strncmp(said, "sectile: warning: all calls of ", 31) == 0 && strstr(said, line);
    CHECK_CASE(rank == 0 ? names : *said == '\0', "PDGEMM has said: %s", said);
    for (routine which = 0; which < ROUTINES; which++)
        cannot(which, why);
    CHECK(sct_layout_from_scalapack(desc, NULL, &layout) == SCT_NO_ENGINE);
    stand_in.communicators = stand_in.aborts = true;
    for (routine which = 0; which < ROUTINES; which++)
        cannot(which, why);
    stand_in.aborts = stand_in.communicators = false;
    stand_in.grids = true;
    prepare(row_of_processes());
    for (routine which = 0; which < ROUTINES; which++)
        cannot(which, "the program has no Cblacs_get: link ScaLAPACK");
    stand_in.communicators = stand_in.aborts = true;
}

static void without_world(void) {
    prepare(stand_in_context((stand_in_grid){1, 1, 0, 0}));
    expect(GEMM, true, PASSED_ON, "the grid of a context is not known");
    for (routine which = 0; which < ROUTINES; which++)
        cannot(which, "the processes of the context make no world");
    broken.dup = true;
    prepare(row_of_processes());
    expect(GEMR2D, false, ENDED, "MPI_Comm_dup failed");
    broken.dup = false;
    cannot(GEMM, "the processes of the context make no world");
}

/* One process lacks memory: both do without it, or pass on the call. The other says whose layout
 * or plan is missing. */
static void without_memory(routine which) {
    enum { MOST = 200 };
    bool reached = true;
    int passed_on = 0, named = 0;
    for (long n = 0; n < MOST && reached; n++) {
        prepare(row_of_processes());
        alloc_countdown = rank == 1 ? n : -1;
        outcome got = outcome_of(which, true);
        reached = rank == 1 && alloc_countdown < 0;
        alloc_countdown = -1;
        int both = 1 << got;
        MPI_Bcast(&reached, 1, MPI_C_BOOL, 1, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_BAND, MPI_COMM_WORLD);
        CHECK_CASE(both && (got == SERVED || (got == PASSED_ON && reached)),
                   "routine %d, allocation %ld: %s: %s", which, n, outcome_names[got],
                   sct_last_reason());
        bool missing = strstr(sct_last_reason(), "is NULL") != NULL;
        bool of_other = strstr(sct_last_reason(), "of rank 1 is NULL") != NULL;
        CHECK_CASE(!missing || (rank == 0 && of_other), "routine %d, allocation %ld: %s", which, n,
                   sct_last_reason());
        named += missing;
        passed_on += got == PASSED_ON;
        stand_in_free(x.context);
    }
    CHECK_CASE(passed_on > 3 && !reached, "routine %d: %d passed on", which, passed_on);
    CHECK_CASE(rank == 1 || named > 0, "routine %d: nothing is NULL", which);
}

/* The communicators of an MPI are few: with many contexts, the program gets the rest. */
static void with_many_contexts(void) {
    enum { MANY = 70, FEW = 30 };
    int contexts[MANY], served = 0;
    for (int i = 0; i < MANY; i++) {
        prepare(contexts[i] = row_of_processes());
        served += outcome_of(GEMM, true) == SERVED;
    }
    CHECK_CASE(served >= FEW && served <= 64, "%d contexts are served", served);
    cannot(GEMM, "more than 64 contexts");
    for (int i = 0; i < MANY; i++)
        stand_in_free(contexts[i]);
    prepare(row_of_processes());
    expect(GEMM, true, SERVED, "");
    stand_in_free(x.context);
}

/* ---- Calls that cannot be served ---- */

static void with_other_arguments(void) {
    prepare(row_of_processes());
    x.order[0] -= rank;
    cannot(GEMM, "a process calls with other arguments");
    prepare(x.context);
    expect(GEMM, true, SERVED, "");
    x.result = x.a;
    cannot(GEMM, "");
    prepare(x.context);
    x.numbers[0] += rank;
    cannot(GEMM, "rank 1 asks for alpha=2, but rank 0 for alpha=1");
    prepare(x.context);
    broken.wait = true;
    expect(GEMM, true, ENDED, "the product is broken");
    CHECK(stand_in.context == x.context);
    x.numbers[1] = 0;
    cannot(GEMM, "the product is broken");
    broken.wait = false;
}

/* What a process keeps of a product does not make it wait for one that calls with other arguments,
 * and both then still keep the same products. */
static void with_other_arguments_than_kept(void) {
    int context = row_of_processes();
    prepare(context);
    expect(GEMM, true, SERVED, "");
    x.order[0] -= rank;
    cannot(GEMM, "a process calls with other arguments");
    for (int m = 1; m <= ORDER; m++)
        for (int n = 1; n <= ORDER; n++) {
            prepare(context);
            x.order[0] = m;
            x.order[1] = n;
            expect(GEMM, true, SERVED, "");
        }
}

static void with_other_grids(void) {
    int whole = row_of_processes();
    prepare(whole);
    x.order[0] += rank;
    cannot(GEMR2D, "process 1 has a bad argument");
    prepare(whole);
    /* on each process a grid with far more places than the context of the call has processes */
    describe(x.desc_c, stand_in_context((stand_in_grid){1 << 14, 1 << 14, (1 << 14) - 1, rank}));
    cannot(GEMR2D, "a grid has processes outside the context of the call");
    prepare(whole);
    describe(x.desc_c, whole + 1000);
    cannot(GEMR2D, "a grid has processes outside the context of the call");
}

/* ---- Bad arguments, which ScaLAPACK reports ---- */

static void with_bad_arguments(void) {
    uint64_t before = sct_scalapack_count().bad;
    prepare(row_of_processes());
    x.order[0] = -1;
    cannot(GEMM, "parameter 3 has an illegal value");
    cannot(TRAN, "parameter 1 has an illegal value");
    prepare(x.context);
    x.desc_a[4] = 0;
    cannot(GEMM, "entry 5 of parameter 10 has an illegal value");
    CHECK(sct_scalapack_count().bad == before + 3);
}

/* ---- Descriptors ---- */

static void on_grid_of_context(void) {
    sct_layout *layout = NULL;
    int back[11] = {0};
    prepare(row_of_processes());
    CHECK(sct_layout_from_scalapack(x.desc_a, NULL, &layout) == SCT_OK);
    CHECK(sct_layout_owner(layout, 0, 0, 0) == 0 && sct_layout_owner(layout, 0, 0, 1) == 1);
    CHECK(sct_layout_to_scalapack(layout, NULL, x.context, rank, 0, back) == SCT_OK);
    CHECK(back[1] == x.context && back[6] == ORDER && back[7] == 1);
    sct_layout_destroy(layout);
    x.desc_a[1] = 1000;
    CHECK(sct_layout_from_scalapack(x.desc_a, NULL, &layout) == SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "this process is not in the context 1000"));
}

/* A first block that is larger than the others, and replicas on other ranks. */
static sct_status lay_out(const char *text) {
    (void)text;
    const int desc[11] = {2, 0, 9, 9, 3, 1, 2, 1, -1, 0, 9}, ranks[] = {3, 2, 1, 0};
    const sct_scalapack_grid grid = {sizeof grid, 2, 2, ranks};
    sct_layout *layout = NULL;
    sct_status status = sct_layout_from_scalapack(desc, &grid, &layout);
    CHECK(status == SCT_OK || !layout);
    sct_layout_destroy(layout);
    return status;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sct_scalapack_set_threshold(0);
    without_blacs();
    stand_in.grids = true;
    without_world();
    for (routine which = 0; which < ROUTINES; which++)
        without_memory(which);
    with_many_contexts();
    with_other_arguments();
    with_other_arguments_than_kept();
    with_other_grids();
    with_bad_arguments();
    on_grid_of_context();
    alloc_fail_each("descriptor", lay_out);
    CHECK(broken.worlds > 0);
    MPI_Finalize(); /* ends what the program has not freed */
    CHECK(broken.worlds == 0);
    return check_report("failures");
}
