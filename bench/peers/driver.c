/* driver.c - PEER MxNxK REPEAT [WORD...]: makes the matrices, multiplies once to warm up, then
 * REPEAT times by the clock, checks the last product, and prints one line of JSON: the median of
 * the seconds, and what the host has sent or received at most for one product. */
#include "driver.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TIMES = 99 };

/* Rank one, of whole numbers: what is taken from a wrong row, column or inner index shows. */
static double down_a(int i) {
    return i % 13 - 6;
}
static double along_a(int l) {
    return l % 1009 - 504;
}
static double down_b(int l) {
    return l % 997 - 498;
}
static double along_b(int j) {
    return j % 11 - 5;
}

double element_of_a(int i, int l) {
    return down_a(i) * along_a(l);
}

double element_of_b(int l, int j) {
    return down_b(l) * along_b(j);
}

static double inner(int first, int last) {
    static int known_first = -1, known_last = -1;
    static double sum;
    if (first == known_first && last == known_last)
        return sum;
    sum = 0;
    for (int l = first; l < last; l++)
        sum += along_a(l) * down_b(l);
    known_first = first;
    known_last = last;
    return sum;
}

double element_of_c(int i, int j, int first, int last) {
    return down_a(i) * inner(first, last) * along_b(j);
}

void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s: ", peer_name);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The number that `text` begins with, and where it ends. */
static int number(const char *text, char **end) {
    long value = strtol(text, end, 10);
    if (*end == text || value < 1 || value > 1 << 30)
        fail("'%s' must be a number", text);
    return (int)value;
}

static int whole_number(const char *text) {
    char *end;
    int value = number(text, &end);
    if (*end != '\0')
        fail("'%s' must be a number", text);
    return value;
}

int next_number(struct problem *problem) {
    if (!*problem->words)
        fail("needs another number");
    return whole_number(*problem->words++);
}

static void read_shape(char *text, struct problem *p) {
    char *end;
    p->m = number(text, &end);
    p->n = number(end + (*end == 'x'), &end);
    p->k = whole_number(end + (*end == 'x'));
}

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

static double most_of_all(double mine) {
    double most;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int compare(const void *left, const void *right) {
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
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
    qsort(seconds, (size_t)repeat, sizeof *seconds, compare);
    return (seconds[repeat / 2] + seconds[(repeat - 1) / 2]) / 2;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc < 3)
        fail("needs MxNxK and how often");
    struct problem problem = {.words = argv + 3};
    MPI_Comm_rank(MPI_COMM_WORLD, &problem.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &problem.ranks);
    read_shape(argv[1], &problem);
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
