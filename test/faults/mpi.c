/* mpi.c - MPI functions that fail on request. */
#include "faults/fault.h"

#include <mpi.h>

static bool is_broken(const char *call, const void *caller) {
    return fault_due("mpi", call, caller);
}

/* The call reports success, but its transfer never takes place. */
static bool is_lost(const char *call, const void *caller) {
    return fault_due("lost", call, caller);
}

int MPI_Init_thread(int *count, char ***words, int wanted, int *level) {
    return is_broken("MPI_Init_thread", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Init_thread(count, words, wanted, level);
}

int MPI_Abort(MPI_Comm comm, int code) {
    return fault_lasts() ? MPI_ERR_OTHER : PMPI_Abort(comm, code);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag) {
    return is_broken("MPI_Comm_test_inter", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Comm_test_inter(comm, flag);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    return is_broken("MPI_Comm_idup", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Comm_idup(comm, made, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to, int counts,
                   MPI_Datatype types, MPI_Comm comm, MPI_Request *request) {
    return is_broken("MPI_Iallgather", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Iallgather(from, count, type, to, counts, types, comm, request);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request) {
    return is_broken("MPI_Iallreduce", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Ibcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request) {
    return is_broken("MPI_Ibcast", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Ibcast(bytes, count, type, root, comm, request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    return is_broken("MPI_Test", __builtin_return_address(0)) ? MPI_ERR_OTHER
                                                              : PMPI_Test(request, done, status);
}

/* The first of the completed requests has failed. */
int MPI_Testsome(int all, MPI_Request requests[], int *count, int indices[],
                 MPI_Status statuses[]) {
    int code = PMPI_Testsome(all, requests, count, indices, statuses);
    if (code != MPI_SUCCESS || *count < 1 ||
        !is_broken("MPI_Testsome", __builtin_return_address(0)))
        return code;
    for (int i = 0; i < *count; i++)
        statuses[i].MPI_ERROR = i == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
    return MPI_ERR_IN_STATUS;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return is_broken("MPI_Isend", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Isend(from, count, type, rank, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request) {
    return is_broken("MPI_Irecv", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Irecv(to, count, type, rank, tag, comm, request);
}

int MPI_Improbe(int rank, int tag, MPI_Comm comm, int *there, MPI_Message *message,
                MPI_Status *status) {
    return is_broken("MPI_Improbe", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Improbe(rank, tag, comm, there, message, status);
}

int MPI_Mrecv(void *to, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
    return is_broken("MPI_Mrecv", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Mrecv(to, count, type, message, status);
}

int MPI_Win_get_attr(MPI_Win window, int key, void *value, int *known) {
    return is_broken("MPI_Win_get_attr", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Win_get_attr(window, key, value, known);
}

int MPI_Win_lock_all(int promise, MPI_Win window) {
    return is_broken("MPI_Win_lock_all", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Win_lock_all(promise, window);
}

/* The flush happens nevertheless, so that nothing arrives later in memory that was freed. */
int MPI_Win_flush(int rank, MPI_Win window) {
    int code = PMPI_Win_flush(rank, window);
    return is_broken("MPI_Win_flush", __builtin_return_address(0)) ? MPI_ERR_OTHER : code;
}

int MPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint at, int counts,
            MPI_Datatype types, MPI_Win window) {
    if (is_lost("MPI_Get_lost", __builtin_return_address(0)))
        return MPI_SUCCESS;
    return is_broken("MPI_Get", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Get(to, count, type, rank, at, counts, types, window);
}

int MPI_Accumulate(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint at,
                   int counts, MPI_Datatype types, MPI_Op op, MPI_Win window) {
    if (is_lost("MPI_Accumulate_lost", __builtin_return_address(0)))
        return MPI_SUCCESS;
    return is_broken("MPI_Accumulate", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Accumulate(from, count, type, rank, at, counts, types, op, window);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                            MPI_Datatype *made) {
    return is_broken("MPI_Type_create_hvector", __builtin_return_address(0))
               ? MPI_ERR_OTHER
               : PMPI_Type_create_hvector(count, length, stride, type, made);
}

int MPI_Type_commit(MPI_Datatype *type) {
    return is_broken("MPI_Type_commit", __builtin_return_address(0)) ? MPI_ERR_OTHER
                                                                     : PMPI_Type_commit(type);
}

/* "MPI_Win_create" fails after it has created the window: the other ranks wait for it inside MPI,
 * and would never learn that it failed. "MPI_Win_create_nowhere" must fail on all ranks, and
 * creates no window. */
int MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *window) {
    if (fault_due("nowhere", "MPI_Win_create_nowhere", __builtin_return_address(0)))
        return MPI_ERR_OTHER;
    int code = PMPI_Win_create(memory, bytes, unit, info, comm, window);
    return is_broken("MPI_Win_create", __builtin_return_address(0)) ? MPI_ERR_OTHER : code;
}
