/* choose_products.h - the verb choose for a group of products. */
#ifndef CLI_VERBS_CHOOSE_PRODUCTS_H
#define CLI_VERBS_CHOOSE_PRODUCTS_H

#include "args/args.h"

enum code choose_products(const struct args *args);

#endif
