/* group_drawing.h - a group of products as SVG: its matrices, coloured by owner, and the time and
 * the memory that layouts take. */
#ifndef PICTURES_GROUP_DRAWING_H
#define PICTURES_GROUP_DRAWING_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdio.h>

/* Layouts of a whole group. */
struct group_point {
    const char *name; /* NULL: the choice within a limit of memory */
    double seconds;
    uint64_t memory; /* bytes of the rank that needs most */
};

struct group_drawing {
    const char *heading;
    const sct_products *products;
    const sct_products_choice *choice; /* whose matrices are drawn */
    int points;
    const struct group_point *point;
};

void group_drawing_draw(const struct group_drawing *drawing, FILE *out);

/* True if each other point takes more time or more memory: if this one is on the Pareto front. */
bool group_drawing_is_best(const struct group_drawing *drawing, int point);

#endif
