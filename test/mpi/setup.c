/* setup.c - see setup.h. */
#include "mpi/setup.h"

#include <mpi.h>
#include <string.h>

static int common_divisor(int a, int b) {
    return b ? common_divisor(b, a % b) : a;
}

/* Computed once, because MPI busy-waits meanwhile. */
static int count_on_node(void) {
    static int on_node;
    MPI_Comm node;
    if (on_node > 0)
        return on_node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    MPI_Comm_free(&node);
    return on_node;
}

int ranks_sharing_memory(int pretended) {
    int size, on_node = count_on_node();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int reach = common_divisor(on_node < size ? on_node : 0, pretended < size ? pretended : 0);
    return reach ? reach : size;
}

sct_path path_named(const char *argument) {
    if (!strcmp(argument, "rma"))
        return SCT_PATH_RMA;
    if (!strcmp(argument, "sockets"))
        return SCT_PATH_SOCKETS;
    return strcmp(argument, "auto") ? SCT_PATH_SERVICE : SCT_PATH_AUTO;
}
