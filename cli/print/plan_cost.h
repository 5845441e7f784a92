/* plan_cost.h - shows what plans cost. */
#ifndef CLI_PRINT_PLAN_COST_H
#define CLI_PRINT_PLAN_COST_H

#include "print/json.h"

#include <sectile/sectile.h>

/* All bytes that pass between ranks. */
uint64_t cost_moved(const sct_cost *cost);
/* Into the object that is open. */
void cost_json(const sct_cost *cost, struct json *json);

/* A table of costs, one to a column. */
void cost_print(int columns, const char *const *heads, const sct_cost *const *costs);

#endif
