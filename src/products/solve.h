/* solve.h - finds the least sum of tables, each of a few variables, by eliminating one variable
 * after another (dynamic programming over the graph of variables and tables). */
#ifndef SCT_PRODUCTS_SOLVE_H
#define SCT_PRODUCTS_SOLVE_H

#include <sectile/sectile.h>

/* A table of up to three variables, of which some may be the same. */
enum { SCT_TABLE_VARS = 3 };
typedef struct sct_table {
    int var[SCT_TABLE_VARS];
    const double *value; /* the last variable varies fastest */
} sct_table;

typedef struct sct_sum {
    int vars, tables;
    const int *count;     /* by variable: its values are 0 to count - 1 */
    double *const *unary; /* by variable: what each value adds */
    const sct_table *table;
} sct_sum;

/* Finds the values that make the sum least, and that sum. Fails with SCT_TOO_LARGE if too many
 * variables depend on each other. */
sct_status sct_sum_minimise(const sct_sum *sum, int *value, double *least);

#endif
