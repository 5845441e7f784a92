/* context.c - makes a world for a BLACS context, keeps it, and ends it with the context. */
#include "scalapack/context.h"

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
} kept;

static void end(sct_context *context) {
    sct_context **link = &kept.first;
    while (*link && *link != context)
        link = &(*link)->next;
    if (*link)
        *link = context->next;
    sct_products_clear(&context->products);
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

static sct_status make_ready(void) {
    if (kept.ready)
        return SCT_OK;
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

sct_status sct_context_exchange(const sct_context *context, const void *mine, size_t bytes,
                                void *all) {
    MPI_Request request;
    int code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, context->comm,
                              &request);
    return await(code, request);
}

sct_status sct_context_least(const sct_context *context, uint64_t *values, int count) {
    MPI_Request request;
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_MIN, context->comm, &request);
    return await(code, request);
}

/* Collective: finds the rank of each process of the grid. */
static sct_status find_ranks(sct_context *context, const sct_grid *grid) {
    int size, mine = grid->row * grid->cols + grid->col;
    MPI_Comm_size(context->comm, &size);
    int *positions = calloc((size_t)size, sizeof *positions);
    int *ranks = calloc((size_t)size, sizeof *ranks);
    context->grid = (sct_scalapack_grid){sizeof context->grid, grid->rows, grid->cols, ranks};
    if (!positions || !ranks || size != grid->rows * grid->cols)
        mine = -1;
    int least = mine;
    MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, context->comm);
    sct_status status = least < 0 ? sct_fail(SCT_FAILED, "the grid of a context is not known")
                                  : sct_context_exchange(context, &mine, sizeof mine, positions);
    assert(status || (positions && ranks));
    for (int r = 0; r < size && !status; r++)
        ranks[positions[r]] = r;
    free(positions);
    return status;
}

/* Collective. A context whose world fails is kept without one, so that it fails only once. */
static sct_status make(int number, MPI_Comm comm, sct_context **made) {
    sct_grid grid;
    sct_context *context = calloc(1, sizeof *context);
    sct_status status = sct_program_grid(number, &grid);
    int mine = context && !status, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    if (!all) {
        free(context);
        return status ? status : sct_no_memory("a context");
    }
    assert(context);
    context->comm = MPI_COMM_NULL;
    if (MPI_Comm_dup(comm, &context->comm) != MPI_SUCCESS)
        status = sct_fail(SCT_FAILED, "MPI_Comm_dup failed");
    if (!status)
        status = find_ranks(context, &grid);
    if (!status)
        status = sct_world_create_mpi(comm, NULL, &context->world);
    context->next = kept.first;
    kept.first = context;
    MPI_Comm_set_attr(comm, kept.key, context);
    *made = context;
    return status;
}

sct_status sct_context_find(int number, sct_context **found) {
    MPI_Comm comm;
    int known = 0;
    sct_status status = sct_program_communicator(number, &comm);
    if (!status)
        status = make_ready();
    if (status)
        return status;
    MPI_Comm_get_attr(comm, kept.key, found, &known);
    if (!known)
        return make(number, comm, found);
    return (*found)->world ? SCT_OK
                           : sct_fail(SCT_NO_ENGINE, "the processes of the context make no world");
}
