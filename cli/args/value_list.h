/* value_list.h - parses lists of values. */
#ifndef CLI_ARGS_VALUE_LIST_H
#define CLI_ARGS_VALUE_LIST_H

#include "args/flags.h"

/* Parses a list, each item by `each`, and drops duplicates. Commas separate the items, or
 * semicolons if there is one: a single item that has commas in it must end with a semicolon. False
 * if an item is not allowed or too long, or if there are too many. */
bool list_parse(const struct flag *flag, const char *text, struct list *list,
                bool (*each)(const struct flag *flag, const char *text, void *to));

#endif
