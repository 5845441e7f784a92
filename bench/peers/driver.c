/* driver.c - PEER MxNxK REPEAT [WORD...]: makes the matrices, multiplies once to warm up, then
 * REPEAT times by the clock, checks the last product, and prints one line of JSON: the median of
 * the seconds, and what the host has sent or received at most for one product. */
#include "driver.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TIMES = 99 };

/* Bytes that this host has sent or received, whichever is more; 0 if it has no network. */
static double bytes_on_wire(void) {
    FILE *file = fopen("/proc/net/dev", "r");
    char line[512];
    double received, sent, most = 0;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, " eth0: %lf %*s %*s %*s %*s %*s %*s %*s %lf", &received, &sent) == 2)
            most = received > sent ? received : sent;
    if (file)
        fclose(file);
    return most;
}

/* The median of the seconds. */
static double time_products(int repeat, double *bytes) {
    double seconds[MOST_TIMES];
    peer_multiply();
    MPI_Barrier(MPI_COMM_WORLD);
    double before = bytes_on_wire();
    for (int i = 0; i < repeat; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        peer_multiply();
        seconds[i] = most_of_all(MPI_Wtime() - start);
    }
    *bytes = most_of_all((bytes_on_wire() - before) / repeat);
    return quantile(seconds, repeat, 0.5);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc < 3)
        fail("needs MxNxK and how often");
    struct problem problem = read_problem(argv[1], argv + 3);
    int repeat = whole_number(argv[2]);
    if (repeat > MOST_TIMES)
        fail("%d times are too many", repeat);

    double bytes;
    peer_open(&problem);
    double seconds = time_products(repeat, &bytes);
    bool right = most_of_all(!peer_check()) == 0;
    if (problem.rank == 0)
        printf("{\"ok\":%s,\"shape\":\"%s\",\"ranks\":%d,\"seconds\":%.6f,\"bytes\":%.0f}\n",
               right ? "true" : "false", argv[1], problem.ranks, seconds, bytes);
    peer_close();
    MPI_Finalize();
    return right ? 0 : 1;
}
