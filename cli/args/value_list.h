/* value_list.h - reads what may be given several times over. */
#ifndef CLI_ARGS_VALUE_LIST_H
#define CLI_ARGS_VALUE_LIST_H

#include "args/flags.h"

/* Items, each as `each` reads it; what comes again is left out. They stand between commas; if there
 * is a semicolon, between semicolons alone, and the last one may have one behind it: so that one
 * item with commas is a list, too. False if there are too many, or one is too long. */
bool list_parse(const struct flag *flag, const char *text, struct list *list,
                bool (*each)(const struct flag *flag, const char *text, void *to));

#endif
