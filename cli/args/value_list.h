/* value_list.h - parses lists of values. */
#ifndef CLI_ARGS_VALUE_LIST_H
#define CLI_ARGS_VALUE_LIST_H

#include "args/flags.h"

/* Parses items with `each`, and drops duplicates. Separators are commas, or semicolons if there is
 * one; a final semicolon makes a single item with commas a list. False if there are too many items,
 * or one is too long. */
bool list_parse(const struct flag *flag, const char *text, struct list *list,
                bool (*each)(const struct flag *flag, const char *text, void *to));

#endif
