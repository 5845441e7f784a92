/* group_picture.h - draws the layouts chosen for a group of products as SVG. */
#ifndef CLI_VERBS_GROUP_PICTURE_H
#define CLI_VERBS_GROUP_PICTURE_H

#include "run/chosen_products.h"

#include <stdio.h>

/* Also chooses layouts within less and less memory, for the chart. Reports errors. */
enum code group_picture_draw(const struct chosen_products *group, FILE *out);

#endif
