/* driver.h - a peer: a library whose product is timed beside Sectile's. Its file defines the
 * functions at the end; driver.c has main, the clock and the line of JSON, problem.c the numbers.
 *
 * In its first comment peers.sh looks for lines such as these, in which MPI stands for openmpi or
 * mpich: the packages of Debian that it needs, the flags that it is compiled with, variables that
 * an MPI needs (on one host, on several), and for a number of ranks the words to try out, of which
 * the fastest are used.
 *
 * packages: libfoo-dev libfoo-MPI-dev
 * flags: -lfoo-MPI
 * set openmpi several: OMPI_MCA_foo=1 FOO=2
 * words 2: 1 2, 2 1 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>

/* C = A B; C is m x n, the inner dimension k; all f64. */
struct problem {
    int m, n, k;
    int rank, ranks;
    char **words; /* the peer's own, of the command line, up to NULL */
};

/* The elements: whole numbers so small that all sums are exact. */
double element_of_a(int i, int l);
double element_of_b(int l, int j);
/* Of the product of A's columns and B's rows from `first` up to, not with, `last`. */
double element_of_c(int i, int j, int first, int last);

/* Prints the reason, and ends all ranks. */
void fail(const char *format, ...);
/* The next of the peer's own words as a number. */
int next_number(struct problem *problem);
int whole_number(const char *text);
/* From MxNxK, the peer's own words, and what MPI says of the ranks. */
struct problem read_problem(char *shape, char **words);
/* Collective. */
double most_of_all(double mine);
/* Of 0.5 the median; sorts the values. */
double quantile(double *values, int count, double which);

extern const char peer_name[];
/* Makes the matrices A, B and C, the last with any values. */
void peer_open(struct problem *problem);
void peer_multiply(void);
/* Whether each element of C that this rank has is right. */
bool peer_check(void);
void peer_close(void);

#endif
