/* rma_trial.c - whether MPI's passive targets do what is asked of them, and without the target's
 * help.
 *
 * Half of the teams nap, without a call of MPI; the ranks of the others get and add meanwhile. What
 * takes longer than a part of the nap has waited for the target. */
#include "fabric/mpi/call.h"
#include "fabric/mpi/rma.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINES = 20, WIDTH = 7, PITCH = 11, READ = LINES * PITCH, BOTH = 2 * READ };
enum { NAP_MS = 20, HEAD_START_MS = 3, PROMPT_MS = 8 };

typedef struct trial {
    sct_mpi *self;
    MPI_Win window;
    double memory[BOTH]; /* what others read; and where they add */
    double local[BOTH];
} trial;

static double value(int rank, int at) {
    return rank * 1000.0 + at;
}

/* Whether a rank's team is one of those that nap. */
static bool naps(const sct_mpi *self, int rank) {
    int before = 0;
    for (int r = 0; r < self->leader[rank]; r++)
        before += self->leader[r] == r;
    return before % 2 == 0;
}

/* The next rank of another team; of one that naps, if asked for. */
static int target_of(const sct_mpi *self, int rank, bool napping) {
    int target = rank;
    do
        target = (target + 1) % self->base.size;
    while (self->leader[target] == self->leader[rank] || (napping && !naps(self, target)));
    return target;
}

/* Collective: the worst finding. */
static sct_status agree(sct_mpi *self, sct_rma_finding *finding) {
    int least;
    sct_status status = sct_mpi_least(self, (int)*finding, &least);
    if (status == SCT_OK)
        *finding = (sct_rma_finding)least;
    return status;
}

/* Open MPI before version 5 names the file behind a window after a number of the communicator that
 * is unique within a process, not within a machine. */
static bool names_files_apart(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version;
    MPI_Get_library_version(text, &length);
    return sscanf(text, "Open MPI v%d.", &version) != 1 || version >= 5;
}

/* Whether other ranks of the job, which this communicator lacks, may have files of the same names.
 * How many ranks this machine has is told by mpiexec. */
static bool has_rivals(const sct_mpi *self) {
    const char *started = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return self->on_machine > 1 && !names_files_apart() &&
           (!started || strtol(started, NULL, 10) > self->on_machine);
}

static bool create_window(trial *t) {
    return !MPI_Win_create(t->memory, sizeof t->memory, sizeof(double), MPI_INFO_NULL,
                           t->self->comm, &t->window);
}

static bool open_window(trial *t) {
    int *model, known = 0;
    MPI_Win_set_errhandler(t->window, MPI_ERRORS_RETURN);
    return !MPI_Win_lock_all(MPI_MODE_NOCHECK, t->window) &&
           !MPI_Win_get_attr(t->window, MPI_WIN_MODEL, &model, &known) && known &&
           *model == MPI_WIN_UNIFIED;
}

static bool get(trial *t, int target) {
    MPI_Datatype lines;
    MPI_Type_vector(LINES, WIDTH, PITCH, MPI_DOUBLE, &lines);
    MPI_Type_commit(&lines);
    for (int i = 0; i < READ; i++)
        t->local[i] = -1;
    int code = MPI_Get(t->local, 1, lines, target, 0, 1, lines, t->window);
    MPI_Type_free(&lines);
    if (code || MPI_Win_flush(target, t->window))
        return false;
    for (int i = 0; i < READ; i++)
        if (t->local[i] != (i % PITCH < WIDTH && i < LINES * PITCH ? value(target, i) : -1))
            return false;
    return true;
}

/* Adds this rank's number and one. */
static bool add(trial *t, int target) {
    for (int i = 0; i < READ; i++)
        t->local[i] = t->self->base.rank + 1;
    return !MPI_Accumulate(t->local, READ, MPI_DOUBLE, target, READ, READ, MPI_DOUBLE, MPI_SUM,
                           t->window) &&
           !MPI_Win_flush(target, t->window);
}

/* Whether all that others added is there. */
static bool sums_hold(trial *t) {
    double sum = 0;
    for (int r = 0; r < t->self->base.size; r++)
        if (target_of(t->self, r, false) == t->self->base.rank)
            sum += r + 1;
    MPI_Win_sync(t->window);
    for (int i = 0; i < READ; i++)
        if (t->memory[READ + i] != sum)
            return false;
    return true;
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void nap(int ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static bool is_prompt(trial *t) {
    const sct_mpi *self = t->self;
    if (naps(self, self->base.rank)) {
        nap(NAP_MS);
        return true;
    }
    nap(HEAD_START_MS);
    double start = now_ms();
    return get(t, target_of(self, self->base.rank, true)) && now_ms() - start < PROMPT_MS;
}

/* Collective; each step only if the one before went well on all ranks. */
static sct_status try(trial *t, sct_rma_finding *finding) {
    int target = target_of(t->self, t->self->base.rank, false);
    bool works = open_window(t) && get(t, target) && add(t, target);
    *finding = works ? SCT_RMA_NEEDS_TARGET : SCT_RMA_FAILS;
    sct_status status = agree(t->self, finding);
    if (status != SCT_OK || *finding == SCT_RMA_FAILS)
        return status;
    works = sums_hold(t);
    *finding = works ? SCT_RMA_NEEDS_TARGET : SCT_RMA_FAILS;
    if (works && is_prompt(t))
        *finding = SCT_RMA_INDEPENDENT;
    return agree(t->self, finding);
}

sct_status sct_rma_try(sct_mpi *self, sct_rma_finding *finding) {
    trial *t = calloc(1, sizeof *t);
    sct_status status = sct_mpi_all_have(self, t != NULL);
    if (status != SCT_OK) {
        free(t);
        return status;
    }
    t->self = self;
    t->window = MPI_WIN_NULL;
    for (int i = 0; i < READ; i++)
        t->memory[i] = value(self->base.rank, i);
    *finding = has_rivals(self) ? SCT_RMA_FAILS : SCT_RMA_NEEDS_TARGET;
    status = agree(self, finding);
    if (status == SCT_OK && *finding != SCT_RMA_FAILS) {
        *finding = create_window(t) ? SCT_RMA_NEEDS_TARGET : SCT_RMA_FAILS;
        status = agree(self, finding);
    }
    if (status == SCT_OK && *finding != SCT_RMA_FAILS) {
        status = try(t, finding);
        MPI_Win_unlock_all(t->window);
        MPI_Win_free(&t->window);
    }
    /* A window that other ranks do not have cannot be freed, so its memory must stay. */
    if (t->window == MPI_WIN_NULL)
        free(t);
    return status;
}
