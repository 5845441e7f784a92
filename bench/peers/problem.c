/* problem.c - the numbers of A, B and C, words of the command line, and what is measured. */
#include "driver.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

int whole_number(const char *text) {
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

struct problem read_problem(char *shape, char **words) {
    struct problem p = {.words = words};
    char *end;
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    p.m = number(shape, &end);
    p.n = number(end + (*end == 'x'), &end);
    p.k = whole_number(end + (*end == 'x'));
    return p;
}

double most_of_all(double mine) {
    double most;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int compare(const void *left, const void *right) {
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

double quantile(double *values, int count, double which) {
    qsort(values, (size_t)count, sizeof *values, compare);
    double at = which * (count - 1);
    int below = (int)at, above = below + (below < count - 1);
    return values[below] + (at - below) * (values[above] - values[below]);
}
