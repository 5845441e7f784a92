/* network.c - network RANKS_ON_NODE BYTES: each rank sends so many bytes to a rank of the next
 * node; rank 0 prints the number of nodes and ranks, and the seconds it took, as JSON. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int ranks_on_node(void) {
    MPI_Comm node;
    int count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &count);
    MPI_Comm_free(&node);
    return count;
}

static void fail(const char *reason) {
    fprintf(stderr, "network: %s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void pass_on(int distance, const unsigned char *from, unsigned char *to, int bytes) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(from, bytes, MPI_BYTE, (rank + distance) % size, 0, to, bytes, MPI_BYTE,
                 (rank - distance + size) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double seconds_of(int distance, const unsigned char *from, unsigned char *to, int bytes) {
    pass_on(distance, from, to, 1); /* opens the connection */
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    pass_on(distance, from, to, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    int expected = count == 3 ? atoi(words[1]) : 0, bytes = count == 3 ? atoi(words[2]) : 0;
    if (expected < 1 || bytes < 1)
        fail("needs the ranks on a node, and bytes");
    if (ranks_on_node() != expected)
        fail("the ranks on a node are others");
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned char *from = malloc((size_t)bytes), *to = malloc((size_t)bytes);
    if (!from || !to)
        fail("no memory");
    for (int i = 0; i < bytes; i++)
        from[i] = (unsigned char)(i % 251 + rank);
    double seconds = seconds_of(expected, from, to, bytes);
    int left = (rank - expected + size) % size;
    for (int i = 0; i < bytes; i++)
        if (to[i] != (unsigned char)(i % 251 + left))
            fail("what came is not what was sent");
    if (rank == 0)
        printf("{\"ok\":true,\"nodes\":%d,\"ranks\":%d,\"bytes\":%d,\"seconds\":%.6f}\n",
               size / expected, size, bytes, seconds);
    free(from);
    free(to);
    return MPI_Finalize();
}
