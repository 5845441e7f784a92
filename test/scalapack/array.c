/* array.c - arrays on process grids. */
#include "scalapack/array.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { SYSTEM_CONTEXT = 0 };

grid grid_random(uint64_t *random, int ranks) {
    grid made;
    int rows = (int)check_between(random, 1, ranks);
    int cols = (int)check_between(random, 1, ranks / rows);
    const char *order = check_between(random, 0, 1) ? "Row" : "Col";
    Cblacs_get(-1, SYSTEM_CONTEXT, &made.context);
    Cblacs_gridinit(&made.context, order, rows, cols);
    made.row = -1;
    if (made.context >= 0)
        Cblacs_gridinfo(made.context, &made.rows, &made.cols, &made.row, &made.col);
    made.rows = rows;
    made.cols = cols;
    return made;
}

void grid_end(const grid *on) {
    if (on->row >= 0)
        Cblacs_gridexit(on->context);
}

double complex value_at(sct_type type, uint64_t seed, int i, int j) {
    uint64_t state = seed * 1000003 + (uint64_t)i * 8191 + (uint64_t)j;
    double real = (double)check_between(&state, -3, 3);
    bool is_complex = type == SCT_CF32 || type == SCT_CF64;
    return is_complex ? CMPLX(real, (double)check_between(&state, -3, 3)) : real;
}

void store(sct_type type, double complex value, char *at) {
    bool single = type == SCT_F32 || type == SCT_CF32;
    bool is_complex = type == SCT_CF32 || type == SCT_CF64;
    for (int part = 0; part <= is_complex; part++) {
        double x = part ? cimag(value) : creal(value);
        if (single)
            ((float *)at)[part] = (float)x;
        else
            ((double *)at)[part] = x;
    }
}

double complex load(sct_type type, const char *at) {
    bool single = type == SCT_F32 || type == SCT_CF32;
    bool is_complex = type == SCT_CF32 || type == SCT_CF64;
    double part[2] = {0, 0};
    for (int i = 0; i <= is_complex; i++)
        part[i] = single ? ((const float *)at)[i] : ((const double *)at)[i];
    return CMPLX(part[0], part[1]);
}

/* The coordinate that owns index i; -1: all of them. */
static int owner_of(int i, int first, int block, int source, int coords) {
    if (source < 0)
        return -1;
    int number = i < first ? 0 : 1 + (i - first) / block;
    return (source + number) % coords;
}

static bool owns_row(const array *a, int i) {
    int owner = owner_of(i, a->first[0], a->block[0], a->source[0], a->on.rows);
    return owner < 0 || owner == a->on.row;
}

static bool owns_col(const array *a, int j) {
    int owner = owner_of(j, a->first[1], a->block[1], a->source[1], a->on.cols);
    return owner < 0 || owner == a->on.col;
}

void array_visit(array *a, visitor *visit, void *context) {
    size_t bytes = sct_type_bytes(a->type);
    int right = 0;
    for (int j = 0; j < a->cols && a->on.row >= 0; j++) {
        int down = 0;
        if (!owns_col(a, j))
            continue;
        for (int i = 0; i < a->rows; i++)
            if (owns_row(a, i)) {
                visit(context, a, i, j,
                      a->memory + bytes * ((size_t)right * (size_t)a->ld + (size_t)down));
                down++;
            }
        right++;
    }
}

static void fill(void *context, const array *a, int i, int j, char *at) {
    store(a->type, value_at(a->type, *(const uint64_t *)context, i, j), at);
}

static int source(uint64_t *random, int coords, bool simple) {
    return (int)check_between(random, simple || check_between(random, 0, 3) ? 0 : -1, coords - 1);
}

static void describe(array *a) {
    int at = 0;
    a->desc[at++] = a->nine ? 1 : 2;
    a->desc[at++] = a->on.row < 0 ? -1 : a->on.context;
    a->desc[at++] = a->rows;
    a->desc[at++] = a->cols;
    for (int d = 0; d < 2 && !a->nine; d++)
        a->desc[at++] = a->first[d];
    for (int d = 0; d < 2; d++)
        a->desc[at++] = a->block[d];
    for (int d = 0; d < 2; d++)
        a->desc[at++] = a->source[d];
    a->desc[at] = a->ld;
}

array array_random(uint64_t *random, sct_type type, const grid *on, int rows, int cols, bool simple,
                   uint64_t seed) {
    array a = {.type = type, .on = *on, .nine = simple};
    a.row = (int)check_between(random, 1, 9);
    a.col = (int)check_between(random, 1, 9);
    a.rows = rows + a.row - 1 + (int)check_between(random, 0, 5);
    a.cols = cols + a.col - 1 + (int)check_between(random, 0, 5);
    a.rows += a.rows == 0;
    a.cols += a.cols == 0;
    for (int d = 0; d < 2; d++) {
        a.block[d] = (int)check_between(random, 1, 12);
        a.first[d] = simple ? a.block[d] : (int)check_between(random, 1, 16);
        a.source[d] = source(random, d ? on->cols : on->rows, simple);
    }
    for (int i = 0; i < a.rows && on->row >= 0; i++)
        a.local_rows += owns_row(&a, i);
    for (int j = 0; j < a.cols && on->row >= 0; j++)
        a.local_cols += owns_col(&a, j);
    a.ld = a.local_rows + (int)check_between(random, 0, 3);
    a.ld += a.ld == 0;
    describe(&a);
    a.bytes = (size_t)a.ld * (size_t)a.local_cols * sct_type_bytes(type);
    a.memory = calloc(a.bytes + 1, 1);
    array_visit(&a, fill, &seed);
    return a;
}

array array_copy(const array *original) {
    array copy = *original;
    copy.memory = malloc(original->bytes + 1);
    memcpy(copy.memory, original->memory, original->bytes);
    return copy;
}

void array_free(array *a) {
    free(a->memory);
    a->memory = NULL;
}

bool array_inside(const array *a, int rows, int cols, int i, int j) {
    return i >= a->row - 1 && i < a->row - 1 + rows && j >= a->col - 1 && j < a->col - 1 + cols;
}

long array_differences(const array *a, const array *b) {
    size_t bytes = sct_type_bytes(a->type);
    long differences = 0;
    for (size_t at = 0; at < a->bytes; at += bytes)
        differences += load(a->type, a->memory + at) != load(b->type, b->memory + at);
    return differences;
}
