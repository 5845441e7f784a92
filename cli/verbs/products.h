/* products.h - the verbs choose and run for a group of products. */
#ifndef CLI_VERBS_PRODUCTS_H
#define CLI_VERBS_PRODUCTS_H

#include "args/args.h"

enum code choose_products(const struct args *args);
enum code run_products(const struct args *args);

#endif
