/* flag_values.h - parses the values of flags. */
#ifndef CLI_ARGS_FLAG_VALUES_H
#define CLI_ARGS_FLAG_VALUES_H

#include "args/flags.h"

/* Each parses the text after a flag and stores its value in `to`, a member of struct args; false if
 * the text is not allowed. */

/* From `low` to `high`. */
bool value_whole(const struct flag *flag, const char *text, void *to);
bool value_bytes(const struct flag *flag, const char *text, void *to);
/* Bytes, or "none": NO_LIMIT. */
bool value_limit(const struct flag *flag, const char *text, void *to);
/* Its index in "one|two|three", the value of the flag in help, and then in its other choices. */
bool value_choice(const struct flag *flag, const char *text, void *to);
/* A choice, or another name: of an engine in a library of its own. `to` is in struct args. */
bool value_engine(const struct flag *flag, const char *text, void *to);
/* The same for types, which may have the names of NumPy as well. */
bool value_type(const struct flag *flag, const char *text, void *to);
/* As many ops as `low` says. */
bool value_ops(const struct flag *flag, const char *text, void *to);
bool value_shape(const struct flag *flag, const char *text, void *to);
bool value_view(const struct flag *flag, const char *text, void *to);
bool value_scalar(const struct flag *flag, const char *text, void *to);
bool value_text(const struct flag *flag, const char *text, void *to);
/* A file name. Not "-": results are long, and never on standard output. */
bool value_file(const struct flag *flag, const char *text, void *to);
/* "a=LAYOUT", or several; a layout may have commas of its own. */
bool value_fixed(const struct flag *flag, const char *text, void *to);
/* A text of each time that the flag is given, up to EXPORTS. */
bool value_texts(const struct flag *flag, const char *text, void *to);
bool value_switch(const struct flag *flag, const char *text, void *to);

/* Lists, as in value_list.h. */
bool value_shapes(const struct flag *flag, const char *text, void *to);
bool value_layouts(const struct flag *flag, const char *text, void *to);
bool value_wholes(const struct flag *flag, const char *text, void *to);
bool value_choices(const struct flag *flag, const char *text, void *to);

#endif
