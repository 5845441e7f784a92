/* products.h - a group of products as a value: sizes, matrices, and products in order. */
#ifndef SCT_PRODUCTS_PRODUCTS_H
#define SCT_PRODUCTS_PRODUCTS_H

#include "base/dims.h"
#include "base/text.h"

#include <sectile/sectile_products.h>
#include <stdbool.h>

enum { SCT_SYMBOL = 32 }; /* bytes of a name, with the final '\0' */

/* A size with a name, or a plain number, whose name is empty. */
typedef struct sct_extent {
    char name[SCT_SYMBOL];
    int64_t size;
} sct_extent;

typedef struct sct_symbol {
    char name[SCT_SYMBOL];
    sct_extent rows, cols;
    int equal; /* a matrix with a lower number that has the same layout, or itself */
    /* The products that compute it first and use it first; -1: none does. A matrix that is only
     * added to is not computed. */
    int computed, used;
    bool gradient; /* has the layout of its matrix unless it is fixed itself */
} sct_symbol;

typedef struct sct_term {
    int matrix[SCT_MATS];
    sct_op op[2];
    bool add;
} sct_term;

struct sct_products {
    int sizes, matrices, count;
    int64_t size_room, matrix_room, term_room;
    sct_extent *size;
    sct_symbol *matrix;
    sct_term *term;
};

/* The extents of op(X): rows and columns. */
typedef struct sct_shape {
    const sct_extent *rows, *cols;
} sct_shape;
sct_shape sct_products_operand(const sct_products *products, int matrix, sct_op op);

/* True for a name; true if the extent is the same number by the same name. */
bool sct_is_symbol(const char *name);
bool sct_extent_equal(const sct_extent *x, const sct_extent *y);
/* Appends its name, or the number. */
void sct_extent_put(sct_writer *writer, const sct_extent *extent);
/* The number of a size; -1: there is none. */
int sct_products_find_size(const sct_products *products, const char *name);
/* The first matrix of those that must have the same layout. */
int sct_products_root(const sct_products *products, int matrix);

/* choose.c: checks the arguments of functions that choose. */
sct_status sct_search_check(const sct_products *products, const sct_products_search *search,
                            const sct_products_choice *choice);

#endif
