/* plan_cost.h - prints the costs of plans. */
#ifndef CLI_PRINT_PLAN_COST_H
#define CLI_PRINT_PLAN_COST_H

#include "print/json.h"

#include <sectile/sectile.h>

/* The bytes that a rank fetches, accumulates or reads in place from others. */
uint64_t cost_moved(const sct_cost *cost);
/* Adds a field for each number to the open object. */
void cost_json(const sct_cost *cost, struct json *json);

/* Prints a table with a column for each cost. */
void cost_print(int columns, const char *const *heads, const sct_cost *const *costs);

#endif
