/* contexts.c - makes a world for a BLACS context, keeps it, and ends it with the context. */
#include "scalapack/mpi/contexts.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/status.h"

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <sectile/sectile_mpi.h>
#include <stdlib.h>
#include <string.h>

/* What this process keeps, and the keys of its MPI attributes. A context that the program never
 * frees ends in MPI_Finalize, which begins by deleting the attributes of MPI_COMM_SELF. */
static struct {
    bool ready;
    int key, key_of_self;
    sct_context *first;
    int count; /* of worlds */
    void (*end)(sct_context *);
} kept;

/* Each has communicators, of which an MPI has few (MPICH 2048 in all), and the program needs some,
 * too. */
enum { MOST_KEPT = 64 };

/* Ends a context of the list. */
static void end(sct_context **link) {
    sct_context *context = *link;
    *link = context->next;
    kept.count -= context->opened;
    kept.end(context);
    sct_world_destroy(context->world);
    if (context->comm != MPI_COMM_NULL)
        MPI_Comm_free(&context->comm);
    free((int *)context->grid.ranks);
    free(context);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_WORLD after those of MPI_COMM_SELF, with which
 * all contexts have ended. */
static int end_with_comm(MPI_Comm comm, int key, void *value, void *extra) {
    sct_context **link = &kept.first;
    (void)comm;
    (void)key;
    (void)extra;
    while (*link && *link != value)
        link = &(*link)->next;
    if (*link)
        end(link);
    return MPI_SUCCESS;
}

static int end_with_mpi(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    while (kept.first)
        end(&kept.first);
    return MPI_SUCCESS;
}

static sct_status make_ready(void (*end_context)(sct_context *)) {
    if (kept.ready)
        return SCT_OK;
    kept.end = end_context;
    bool made = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_comm, &kept.key, NULL) ==
                    MPI_SUCCESS &&
                MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &kept.key_of_self,
                                       NULL) == MPI_SUCCESS &&
                MPI_Comm_set_attr(MPI_COMM_SELF, kept.key_of_self, &kept) == MPI_SUCCESS;
    kept.ready = made;
    return made ? SCT_OK : sct_fail(SCT_FAILED, "MPI keeps no attributes");
}

/* ---- Agreements ---- */

/* Waits for a nonblocking operation, until it is complete or so many seconds have passed; 0: no
 * limit. `code` is what starting it returned. Waiting in MPI itself would keep the core busy, which
 * other processes may need. So this tests the operation and yields the core in between. */
static int await_for(int seconds, int code, MPI_Request *request, int *done) {
    enum { POLLS = 200 };
    const sct_deadline end = sct_deadline_for(seconds);
    *done = 0;
    for (int polls = 0; code == MPI_SUCCESS && !*done; polls++) {
        code = MPI_Test(request, done, MPI_STATUS_IGNORE);
        if (*done || polls <= POLLS)
            continue;
        sched_yield();
        if (sct_deadline_left_ms(&end) == 0)
            break;
    }
    return code;
}

static sct_status status_of(int code) {
    return code == MPI_SUCCESS ? SCT_OK
                               : sct_fail(SCT_FAILED, "a collective operation of MPI failed");
}

/* Waits for a nonblocking operation. If it takes longer than `seconds` (0: no limit), logs once
 * what the process of this rank waits for, since that is probably a mistake; then waits on. */
static sct_status await(int code, MPI_Request request, int seconds, int rank, const char *what) {
    static const char *mentioned;
    int done;
    code = await_for(seconds, code, &request, &done);
    if (code != MPI_SUCCESS || done)
        return status_of(code);
    if (mentioned != what)
        sct_log_write(SCT_LOG_WARNING, -1, "process %d of a context has waited %d s %s", rank,
                      seconds, what);
    mentioned = what;
    return status_of(await_for(0, MPI_SUCCESS, &request, &done));
}

static sct_status await_others(const sct_context *context, int code, MPI_Request request) {
    return await(code, request, context->wait_seconds, context->rank,
                 "(SECTILE_WAIT_SECONDS) for others to make the same call: they are late, stopped, "
                 "or stuck");
}

static sct_status exchange(const sct_context *context, const void *mine, size_t bytes, void *all) {
    MPI_Request request;
    int code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, context->comm,
                              &request);
    return await_others(context, code, request);
}

static sct_status least(const sct_context *context, uint64_t *values, int count) {
    MPI_Request request;
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MIN, context->comm, &request);
    return await_others(context, code, request);
}

/* Collective: finds the rank of each process of the grid. */
static sct_status find_ranks(sct_context *context, const sct_grid *grid) {
    int size;
    MPI_Comm_size(context->comm, &size);
    int *positions = calloc((size_t)size, sizeof *positions);
    int *ranks = calloc((size_t)size, sizeof *ranks);
    context->grid = (sct_scalapack_grid){sizeof context->grid, grid->rows, grid->cols, ranks};
    uint64_t known = positions && ranks && size == grid->rows * grid->cols;
    int mine = grid->row * grid->cols + grid->col;
    sct_status status = least(context, &known, 1);
    if (!status && !known)
        status = sct_fail(SCT_FAILED, "the grid of a context is not known");
    if (!status)
        status = exchange(context, &mine, sizeof mine, positions);
    assert(status || (positions && ranks));
    for (int r = 0; r < size && !status; r++)
        ranks[positions[r]] = r;
    free(positions);
    return status;
}

/* Collective. */
static sct_status make_world(sct_context *context, MPI_Comm comm, const sct_grid *grid) {
    if (MPI_Comm_dup(comm, &context->comm) != MPI_SUCCESS)
        return sct_fail(SCT_FAILED, "MPI_Comm_dup failed");
    sct_status status = find_ranks(context, grid);
    return status ? status : sct_world_create_mpi(comm, NULL, &context->world);
}

/* Collective. A context whose world fails is kept without one, so that it fails only once. */
static sct_status open_first(sct_context *context, MPI_Comm comm, const sct_grid *grid) {
    int mine = kept.count < MOST_KEPT, all = 0;
    int code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (code != MPI_SUCCESS)
        return sct_fail(SCT_FAILED, "MPI_Allreduce failed");
    if (!all)
        return sct_fail(SCT_NO_MEMORY, "more than %d contexts", MOST_KEPT);
    kept.count++;
    context->opened = true;
    return make_world(context, comm, grid);
}

/* ---- The first call on a context ---- */

/* MPICH compares unsigned numbers as signed ones, so that none may be larger than this. */
static const uint64_t none = INT64_MAX;

/* What the processes agree on: the least of each number. */
typedef struct proposal {
    uint64_t works;     /* 0: memory is lacking */
    uint64_t serves;    /* 0: the drop-in is off */
    uint64_t off;       /* 0: it is on */
    uint64_t first_off; /* the rank of the process, if it is off */
    uint64_t threshold; /* its bits, which are in the order of such numbers, */
    uint64_t opposite;  /* and `none` less its bits, for the largest */
} proposal;

enum { PROPOSED = sizeof(proposal) / sizeof(uint64_t) };

static proposal propose(const sct_settings *own, bool works, int rank) {
    proposal made = {.works = works,
                     .serves = !own->off,
                     .off = own->off,
                     .first_off = own->off ? (uint64_t)rank : none};
    if (own->threshold > 0)
        memcpy(&made.threshold, &own->threshold, sizeof made.threshold);
    made.opposite = none - made.threshold;
    return made;
}

static double threshold_of(uint64_t bits) {
    double threshold;
    memcpy(&threshold, &bits, sizeof threshold);
    return threshold;
}

/* Other processes may be late, or have no drop-in and be waiting in ScaLAPACK. */
static sct_status await_first(int code, MPI_Request request, int rank) {
    return await(code, request, SCT_LONG_WAIT_S, rank,
                 "in the first call on it: others are late, or run without this library; is "
                 "LD_PRELOAD the same in all processes, on all hosts?");
}

/* Says once what differs from process to process. */
static void mention(const proposal *agreed, const sct_settings *all) {
    static bool mentioned;
    if (mentioned)
        return;
    mentioned = true;
    if (all->off)
        sct_log_write(SCT_LOG_WARNING, -1,
                      "SECTILE_SCALAPACK is off in process %d of a context, and on in others: all "
                      "calls on the context are passed on to ScaLAPACK",
                      (int)agreed->first_off);
    else
        sct_log_write(SCT_LOG_WARNING, -1,
                      "SECTILE_SCALAPACK_THRESHOLD is from %g to %g in the processes of a context: "
                      "the largest counts",
                      threshold_of(agreed->threshold), all->threshold);
}

/* Notes what counts for all processes. */
static void settle(sct_context *context, const proposal *agreed, int rank) {
    bool some_off = !agreed->serves && !agreed->off;
    context->settings =
        (sct_settings){.off = !agreed->serves, .threshold = threshold_of(none - agreed->opposite)};
    context->differs = some_off || agreed->threshold != none - agreed->opposite;
    if (context->differs && rank == 0)
        mention(agreed, &context->settings);
}

static void keep(sct_context *context, MPI_Comm comm) {
    context->comm = MPI_COMM_NULL;
    context->next = kept.first;
    kept.first = context;
    MPI_Comm_set_attr(comm, kept.key, context);
}

/* With a limit that cannot be read, no world is made. */
static int wait_seconds(void) {
    int64_t seconds;
    (void)sct_setting("SECTILE_WAIT_SECONDS", 0, INT_MAX, 0, &seconds);
    return (int)seconds;
}

/* Collective. */
static sct_status make(MPI_Comm comm, const sct_settings *own, sct_context **made) {
    sct_context *context = calloc(1, sizeof *context);
    MPI_Request request;
    int rank;
    MPI_Comm_rank(comm, &rank);
    proposal agreed = propose(own, context != NULL, rank);
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, &agreed, PROPOSED, MPI_UINT64_T, MPI_MIN, comm, &request);
    sct_status status = await_first(code, request, rank);
    if (!status && !agreed.works)
        status = sct_no_memory("a context");
    if (status) {
        free(context);
        return status;
    }
    assert(context);
    context->rank = rank;
    context->wait_seconds = wait_seconds();
    settle(context, &agreed, rank);
    keep(context, comm);
    *made = context;
    return SCT_OK;
}

/* ---- Communicators of the program ---- */

static MPI_Comm comm_of(const sct_blacs_context *blacs) {
    return ((MPI_Comm(*)(int))blacs->translate)(blacs->handle);
}

/* Until it is set back: errors on a communicator of the program may end the job. */
static MPI_Errhandler return_errors(MPI_Comm comm) {
    MPI_Errhandler usual;
    MPI_Comm_get_errhandler(comm, &usual);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return usual;
}

static void set_back(MPI_Comm comm, MPI_Errhandler usual) {
    MPI_Comm_set_errhandler(comm, usual);
    MPI_Errhandler_free(&usual);
}

static sct_status find(const sct_blacs_context *blacs, const sct_settings *own,
                       void (*end_context)(sct_context *), sct_context **found) {
    MPI_Comm comm = comm_of(blacs);
    int known = 0;
    if (comm == MPI_COMM_NULL)
        return sct_fail(SCT_FAILED, "the BLACS have no communicator of the context");
    sct_status status = make_ready(end_context);
    if (status)
        return status;
    MPI_Comm_get_attr(comm, kept.key, found, &known);
    if (known)
        return SCT_OK;
    MPI_Errhandler usual = return_errors(comm);
    status = make(comm, own, found);
    set_back(comm, usual);
    return status;
}

static sct_status open(sct_context *context, const sct_blacs_context *blacs) {
    if (context->world)
        return SCT_OK;
    if (context->opened)
        return sct_fail(SCT_NO_ENGINE, "the processes of the context make no world");
    MPI_Comm comm = comm_of(blacs);
    MPI_Errhandler usual = return_errors(comm);
    sct_status status = open_first(context, comm, &blacs->grid);
    set_back(comm, usual);
    return status;
}

const sct_mpi_contexts sct_scalapack_contexts = {find, open, exchange, least};
