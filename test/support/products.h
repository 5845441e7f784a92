/* products.h - a product to be simulated: its layouts, problem and options. */
#ifndef TEST_PRODUCTS_H
#define TEST_PRODUCTS_H

#include <sectile/sectile_plan.h>

typedef struct product {
    sct_layout *layout[3];
    sct_problem value;
    sct_options options;
} product;

/* C = AB in f64, where A is m x size and B is size x size, with default options. */
void make_product(int64_t m, int64_t size, int ranks, const char *const text[3], product *p);
void free_product(product *p);

#endif
