/* contexts.c - makes a world for a BLACS context, keeps it, and ends it with the context. */
#include "scalapack/mpi/contexts.h"

#include "base/status.h"

#include <assert.h>
#include <sched.h>
#include <sectile/sectile_mpi.h>
#include <stdlib.h>

/* What this process keeps, and the keys of its MPI attributes. A context that the program never
 * frees ends in MPI_Finalize, which begins by deleting the attributes of MPI_COMM_SELF. */
static struct {
    bool ready;
    int key, key_of_self;
    sct_context *first;
    int count;
    void (*end)(sct_product_cache *);
} kept;

/* Each has communicators, of which an MPI has few (MPICH 2048 in all), and the program needs some,
 * too. */
enum { MOST_KEPT = 64 };

static void end(sct_context *context) {
    sct_context **link = &kept.first;
    while (*link && *link != context)
        link = &(*link)->next;
    if (*link) {
        *link = context->next;
        kept.count--;
    }
    kept.end(&context->products);
    sct_world_destroy(context->world);
    if (context->comm != MPI_COMM_NULL)
        MPI_Comm_free(&context->comm);
    free((int *)context->grid.ranks);
    free(context);
}

static int end_with_comm(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm;
    (void)key;
    (void)extra;
    end(value);
    return MPI_SUCCESS;
}

static int end_with_mpi(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    while (kept.first)
        end(kept.first);
    return MPI_SUCCESS;
}

static sct_status make_ready(void (*end_products)(sct_product_cache *)) {
    if (kept.ready)
        return SCT_OK;
    kept.end = end_products;
    bool made = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_comm, &kept.key, NULL) ==
                    MPI_SUCCESS &&
                MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &kept.key_of_self,
                                       NULL) == MPI_SUCCESS &&
                MPI_Comm_set_attr(MPI_COMM_SELF, kept.key_of_self, &kept) == MPI_SUCCESS;
    kept.ready = made;
    return made ? SCT_OK : sct_fail(SCT_FAILED, "MPI keeps no attributes");
}

/* Waits until a nonblocking operation is complete; `code` is what starting it returned. Waiting in
 * MPI itself would keep the core busy, which other processes may need. So this tests the operation
 * and yields the core in between. */
static sct_status await(int code, MPI_Request request) {
    enum { POLLS = 200 };
    int done = 0;
    for (int polls = 0; code == MPI_SUCCESS && !done; polls++) {
        code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && polls > POLLS)
            sched_yield();
    }
    return code == MPI_SUCCESS ? SCT_OK
                               : sct_fail(SCT_FAILED, "a collective operation of MPI failed");
}

static sct_status exchange(const sct_context *context, const void *mine, size_t bytes, void *all) {
    MPI_Request request;
    int code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, context->comm,
                              &request);
    return await(code, request);
}

static sct_status least(const sct_context *context, uint64_t *values, int count) {
    MPI_Request request;
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MIN, context->comm, &request);
    return await(code, request);
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
static sct_status make(MPI_Comm comm, const sct_grid *grid, sct_context **made) {
    sct_context *context = calloc(1, sizeof *context);
    int mine = context && kept.count < MOST_KEPT, all = 0;
    int code = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (code != MPI_SUCCESS || !all) {
        free(context);
        return code == MPI_SUCCESS
                   ? sct_fail(SCT_NO_MEMORY, "no memory, or more than %d contexts", MOST_KEPT)
                   : sct_fail(SCT_FAILED, "MPI_Allreduce failed");
    }
    assert(context);
    context->comm = MPI_COMM_NULL;
    sct_status status = make_world(context, comm, grid);
    context->next = kept.first;
    kept.first = context;
    kept.count++;
    MPI_Comm_set_attr(comm, kept.key, context);
    *made = context;
    return status;
}

/* The same on a communicator of the program, whose errors may end the job. */
static sct_status make_carefully(MPI_Comm comm, const sct_grid *grid, sct_context **made) {
    MPI_Errhandler usual;
    MPI_Comm_get_errhandler(comm, &usual);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    sct_status status = make(comm, grid, made);
    MPI_Comm_set_errhandler(comm, usual);
    MPI_Errhandler_free(&usual);
    return status;
}

static sct_status find(const sct_blacs_context *blacs, void (*end_products)(sct_product_cache *),
                       sct_context **found) {
    MPI_Comm comm = ((MPI_Comm(*)(int))blacs->translate)(blacs->handle);
    int known = 0;
    if (comm == MPI_COMM_NULL)
        return sct_fail(SCT_FAILED, "the BLACS have no communicator of the context");
    sct_status status = make_ready(end_products);
    if (status)
        return status;
    MPI_Comm_get_attr(comm, kept.key, found, &known);
    if (!known)
        return make_carefully(comm, &blacs->grid, found);
    return (*found)->world ? SCT_OK
                           : sct_fail(SCT_NO_ENGINE, "the processes of the context make no world");
}

const sct_mpi_contexts sct_scalapack_contexts = {find, exchange, least};
