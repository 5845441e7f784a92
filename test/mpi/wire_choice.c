/* wire_choice.c - which wire a world chooses between hosts: sockets, or messages of MPI where all
 * hosts have a network with remote memory access; and the other one if those fail at its start.
 * Odd ranks pretend to be on another host. */
#include "support/check.h"

#include <sectile/sectile_mpi.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIMIT = 100, MOST = 100 };

/* ---- What fails on this rank ---- */

static struct {
    bool sockets;  /* none can be had */
    bool packets;  /* what is sent by sockets never arrives */
    bool messages; /* of MPI */
    int reduction; /* the one that fails; 0: none */
} broken;

static bool has_network; /* this rank's host, one with remote memory access */

bool __wrap_sct_has_rdma_network(const char *root);
bool __wrap_sct_has_rdma_network(const char *root) {
    CHECK(strcmp(root, "/sys") == 0);
    return has_network;
}

ssize_t __real_readlink(const char *path, char *text, size_t bytes);
ssize_t __wrap_readlink(const char *path, char *text, size_t bytes);
int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
ssize_t __real_sendmsg(int file, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int file, const struct msghdr *message, int flags);
int __wrap_MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                          MPI_Win *window);
int __real_MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __wrap_MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request);
int __real_MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request);

ssize_t __wrap_readlink(const char *path, char *text, size_t bytes) {
    int rank;
    ssize_t length = __real_readlink(path, text, bytes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 2 && length > 0 && strstr(path, "/ns/"))
        text[0]++;
    return length;
}

int __wrap_socket(int family, int type, int protocol) {
    if (!broken.sockets)
        return __real_socket(family, type, protocol);
    errno = EMFILE;
    return -1;
}

ssize_t __wrap_sendmsg(int file, const struct msghdr *message, int flags) {
    size_t bytes = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++)
        bytes += message->msg_iov[i].iov_len;
    return broken.packets ? (ssize_t)bytes : __real_sendmsg(file, message, flags);
}

/* Without RMA a world needs a wire. */
int __wrap_MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                          MPI_Win *window) {
    (void)memory;
    (void)bytes;
    (void)unit;
    (void)info;
    (void)comm;
    (void)window;
    return MPI_ERR_OTHER;
}

int __wrap_MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request *request) {
    return broken.messages ? MPI_ERR_OTHER
                           : __real_MPI_Isend(from, count, type, to, tag, comm, request);
}

int __wrap_MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request *request) {
    return broken.reduction > 0 && --broken.reduction == 0
               ? MPI_ERR_OTHER
               : __real_MPI_Iallreduce(mine, all, count, type, op, comm, request);
}

/* ---- The choice ---- */

/* Whether a world can be made, on all ranks alike; and its path. */
static sct_status make_world(sct_path *path, char *reason) {
    sct_world *world = NULL;
    sct_status status = sct_world_create_mpi(MPI_COMM_WORLD, NULL, &world);
    int mine[2] = {status == SCT_OK, status != SCT_OK}, any[2];
    strcpy(reason, status ? sct_last_reason() : "");
    MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_CASE(any[0] != any[1], "%s here, and not on all ranks", status ? reason : "well");
    if (!status) {
        int left = broken.reduction; /* of the choice only */
        broken.reduction = 0;
        *path = sct_world_path(world);
        CHECK(sct_world_barrier(world) == SCT_OK);
        broken.reduction = left;
    }
    sct_world_destroy(world);
    return status;
}

static void check_choice(sct_path expected, sct_status status, const char *reason) {
    char is[256];
    sct_path path = SCT_PATH_AUTO;
    CHECK_CASE(make_world(&path, is) == status && strstr(is, reason), "%s", is);
    CHECK_CASE(expected == SCT_PATH_AUTO || path == expected, "path %d instead of %d", (int)path,
               (int)expected);
}

/* The n-th reduction fails on all ranks, for n = 1, 2, ... until there is no n-th. */
static void fail_reductions(void) {
    char reason[256];
    sct_path path;
    int n = 1;
    for (bool reached = true; reached && n < MOST; n++) {
        broken.reduction = n;
        sct_status status = make_world(&path, reason);
        reached = broken.reduction == 0;
        broken.reduction = 0;
        CHECK_CASE(status == SCT_OK || (reached && reason[0]), "reduction %d: %s", n, reason);
    }
    CHECK(n > 2 && n < MOST);
}

int main(int argc, char **argv) {
    int level, rank;
    alarm(LIMIT);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_choice(SCT_PATH_SOCKETS, SCT_OK, "");
    has_network = rank == 1;
    check_choice(SCT_PATH_SOCKETS, SCT_OK, "");
    has_network = true;
    check_choice(SCT_PATH_SERVICE, SCT_OK, "");
    broken.messages = rank == 0;
    check_choice(SCT_PATH_SOCKETS, SCT_OK, "");
    has_network = broken.messages = false;
    broken.sockets = rank == 1;
    check_choice(SCT_PATH_SERVICE, SCT_OK, "");
    broken.sockets = false;
    broken.messages = true;
    check_choice(SCT_PATH_SOCKETS, SCT_OK, "");
    broken.messages = false;
    broken.packets = rank == 1;
    check_choice(SCT_PATH_SERVICE, SCT_OK, "");
    broken.messages = true;
    check_choice(SCT_PATH_AUTO, SCT_FAILED, "ranks on different hosts cannot reach each other");
    memset(&broken, 0, sizeof broken);
    fail_reductions();
    MPI_Finalize();
    return check_report("wire_choice");
}
