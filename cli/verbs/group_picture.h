/* group_picture.h - draws the layouts chosen for a group of products as SVG. */
#ifndef CLI_VERBS_GROUP_PICTURE_H
#define CLI_VERBS_GROUP_PICTURE_H

#include "run/chosen_products.h"

#include <stdio.h>

/* For the chart, this repeats the choice with smaller limits on memory. Reports errors. */
enum code group_picture_draw(const struct chosen_products *group, FILE *out);

#endif
