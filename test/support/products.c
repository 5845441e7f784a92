/* products.c - see products.h. */
#include "support/products.h"

#include "support/problems.h"

void make_product(int64_t m, int64_t size, int ranks, const char *const text[3], product *p) {
    *p = (product){.options = {.size = sizeof p->options}};
    parse_three(m, size, size, ranks, text, p->layout);
    p->value = problem_with(SCT_F64, p->layout, ranks);
}

void free_product(product *p) {
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(p->layout[i]);
}
