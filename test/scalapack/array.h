/* array.h - arrays on process grids for tests of the drop-in: random descriptors, generated
 * elements, and comparison of every element of the memory. Indices are dealt one by one,
 * independently of the library. */
#ifndef TEST_SCALAPACK_ARRAY_H
#define TEST_SCALAPACK_ARRAY_H

#include <sectile/sectile.h>

#include <complex.h>
#include <stdbool.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

typedef struct grid {
    int context, rows, cols, row, col; /* row is -1 outside */
} grid;

/* A grid of random shape and order on the first of `ranks` processes. Collective. */
grid grid_random(uint64_t *random, int ranks);
void grid_end(const grid *on);

/* Element (i, j) of a generated matrix: small integers, so that products are exact. */
double complex value_at(sct_type type, uint64_t seed, int i, int j);

typedef struct array {
    sct_type type;
    grid on;
    int first[2], block[2], source[2]; /* of rows, of columns */
    bool nine;                         /* entries, as most programs use */
    int desc[11];
    int rows, cols, local_rows, local_cols, ld;
    char *memory;
    size_t bytes;
    int row, col; /* of the submatrix, from 1 on */
} array;

/* An array with a submatrix of rows x cols somewhere, filled with the elements of `seed`. The
 * random choices are the same on all processes. `simple`: nine entries, and sources that exist. */
array array_random(uint64_t *random, sct_type type, const grid *on, int rows, int cols, bool simple,
                   uint64_t seed);
array array_copy(const array *original);
void array_free(array *a);

/* A visitor gets the place in the array, from 0 on, and the element. */
typedef void visitor(void *context, const array *a, int i, int j, char *at);
void array_visit(array *a, visitor *visit, void *context);
/* True if the place is in the submatrix of that shape. */
bool array_inside(const array *a, int rows, int cols, int i, int j);

void store(sct_type type, double complex value, char *at);
double complex load(sct_type type, const char *at);

/* How many elements, of the whole memory, differ in value. */
long array_differences(const array *a, const array *b);

#endif
