/* rma_trial.c - tries whether MPI's one-sided operations are correct, and independent of the
 * target.
 *
 * Half of the nodes nap without calling MPI, while ranks of the others get and accumulate. An
 * operation that takes longer than a part of the nap has waited for the target. */
#include "base/clock.h"
#include "fabric/mpi/call.h"
#include "fabric/mpi/rma.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LINES = 20, WIDTH = 7, PITCH = 11, READ = LINES * PITCH, BOTH = 2 * READ };
enum { NAP_MS = 20, HEAD_START_MS = 3, PROMPT_MS = 8 };

typedef struct trial {
    sct_mpi *self;
    MPI_Win window;
    double memory[BOTH]; /* the first half is read by others, the second is added to */
    double local[BOTH];
} trial;

static double value(int rank, int at) {
    return rank * 1000.0 + at;
}

/* True if a rank's node is one of those that nap. */
static bool naps(const sct_mpi *self, int rank) {
    int before = 0;
    for (int r = 0; r < self->process.leader[rank]; r++)
        before += self->process.leader[r] == r;
    return before % 2 == 0;
}

/* The next rank of another node; optionally, of one that naps. */
static int target_of(const sct_mpi *self, int rank, bool napping) {
    int target = rank;
    do
        target = (target + 1) % self->process.base.size;
    while (self->process.leader[target] == self->process.leader[rank] ||
           (napping && !naps(self, target)));
    return target;
}

/* Collective: the worst finding of all ranks. */
static sct_status agree(sct_mpi *self, sct_rma_finding mine, sct_rma_finding *worst) {
    int least = SCT_RMA_FAILS;
    sct_status status = sct_process_least(&self->process, (int)mine, &least);
    *worst = (sct_rma_finding)least;
    return status;
}

/* True unless this is Open MPI before version 5, which names the file behind a window after a
 * communicator number that is unique per process, not per machine. */
static bool names_files_apart(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, version;
    MPI_Get_library_version(text, &length);
    return sscanf(text, "Open MPI v%d.", &version) != 1 || version >= 5;
}

/* True if this machine has ranks of the job outside this communicator, whose files may have the
 * same names. mpiexec says how many ranks the machine has. */
static bool has_rivals(const sct_mpi *self) {
    const char *started = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return self->process.on_machine > 1 && !names_files_apart() &&
           (!started || strtol(started, NULL, 10) > self->process.on_machine);
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
        if (t->local[i] != (i % PITCH < WIDTH ? value(target, i) : -1))
            return false;
    return true;
}

/* Adds this rank's number plus one. */
static bool add(trial *t, int target) {
    for (int i = 0; i < READ; i++)
        t->local[i] = t->self->process.base.rank + 1;
    return !MPI_Accumulate(t->local, READ, MPI_DOUBLE, target, READ, READ, MPI_DOUBLE, MPI_SUM,
                           t->window) &&
           !MPI_Win_flush(target, t->window);
}

/* True if all accumulates of others have arrived. */
static bool sums_hold(trial *t) {
    double sum = 0;
    for (int r = 0; r < t->self->process.base.size; r++)
        if (target_of(t->self, r, false) == t->self->process.base.rank)
            sum += r + 1;
    MPI_Win_sync(t->window);
    for (int i = 0; i < READ; i++)
        if (t->memory[READ + i] != sum)
            return false;
    return true;
}

static void nap(int ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static bool is_prompt(trial *t) {
    const sct_mpi *self = t->self;
    if (naps(self, self->process.base.rank)) {
        nap(NAP_MS);
        return true;
    }
    nap(HEAD_START_MS);
    double start = 1e-6 * (double)sct_now_ns();
    return get(t, target_of(self, self->process.base.rank, true)) &&
           1e-6 * (double)sct_now_ns() - start < PROMPT_MS;
}

/* Collective. Each step is taken only if the previous one succeeded on all ranks. */
static sct_status try(trial *t, sct_rma_finding *finding) {
    int target = target_of(t->self, t->self->process.base.rank, false);
    bool works = open_window(t) && get(t, target) && add(t, target);
    sct_status status = agree(t->self, works ? SCT_RMA_NEEDS_TARGET : SCT_RMA_FAILS, finding);
    if (status != SCT_OK || *finding == SCT_RMA_FAILS)
        return status;
    sct_rma_finding mine = !sums_hold(t)  ? SCT_RMA_FAILS
                           : is_prompt(t) ? SCT_RMA_INDEPENDENT
                                          : SCT_RMA_NEEDS_TARGET;
    return agree(t->self, mine, finding);
}

sct_status sct_rma_trial(sct_mpi *self, sct_rma_finding *finding) {
    trial *t = calloc(1, sizeof *t);
    sct_status status = sct_process_all_have(&self->process, t != NULL);
    if (status != SCT_OK) {
        free(t);
        return status;
    }
    assert(t);
    t->self = self;
    t->window = MPI_WIN_NULL;
    for (int i = 0; i < READ; i++)
        t->memory[i] = value(self->process.base.rank, i);
    status = agree(self, has_rivals(self) ? SCT_RMA_FAILS : SCT_RMA_NEEDS_TARGET, finding);
    if (status == SCT_OK && *finding != SCT_RMA_FAILS)
        status = agree(self, create_window(t) ? SCT_RMA_NEEDS_TARGET : SCT_RMA_FAILS, finding);
    if (status == SCT_OK && *finding != SCT_RMA_FAILS) {
        status = try(t, finding);
        MPI_Win_unlock_all(t->window);
        MPI_Win_free(&t->window);
    }
    /* A window that some ranks lack cannot be freed, since MPI_Win_free is collective; its memory
     * must stay allocated. */
    if (t->window == MPI_WIN_NULL)
        free(t);
    return status;
}
