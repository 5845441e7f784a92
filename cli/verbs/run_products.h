/* run_products.h - the verb run for a group of products. */
#ifndef CLI_VERBS_RUN_PRODUCTS_H
#define CLI_VERBS_RUN_PRODUCTS_H

#include "args/args.h"

enum code run_products(const struct args *args);

#endif
