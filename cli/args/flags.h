/* flags.h - the one table of flags, for parsing and for help; the values of flags, and rules for
 * their combinations. */
#ifndef CLI_ARGS_FLAGS_H
#define CLI_ARGS_FLAGS_H

#include "args/args.h"

#include <stddef.h>

/* A flag as a verb has it. */
struct flag {
    const char *name;    /* with its dashes */
    const char *value;   /* stands for the value in help; NULL: a switch */
    const char *allowed; /* the allowed values in words; NULL: `value` or low to high says it */
    size_t offset;       /* in struct args, of the member that it sets */
    bool (*parse)(const struct flag *flag, const char *text, void *to);
    int64_t low, high;
    const char *also;  /* another name: one letter, or the name of earlier versions */
    bool advanced;     /* for experiments and tests: help lists it with --all only */
    const char *group; /* a heading in help */
    const char *help;
    int index; /* in the table of flags */
};

/* The number of flags in the table. */
extern const int flags_count;

/* Flag number `index` of the table as the verb has it; false: the verb does not have it. */
bool flags_get(enum verb verb, int index, struct flag *flag);

/* The flag of a verb by the first `length` bytes of a word, which is one of its names; false: there
 * is none. */
bool flags_find(enum verb verb, const char *word, size_t length, struct flag *flag);

/* Whether `also` is a letter, such as -n. */
bool flags_has_letter(const struct flag *flag);

/* Each parses the text after a flag and stores its value in `to`, a member of struct args; false if
 * the text is not allowed. */

/* From `low` to `high`. */
bool value_whole(const struct flag *flag, const char *text, void *to);
bool value_bytes(const struct flag *flag, const char *text, void *to);
/* Bytes, or "none": NO_LIMIT. */
bool value_limit(const struct flag *flag, const char *text, void *to);
/* Its index in "one|two|three", the value of the flag in help, and then in its other choices. */
bool value_choice(const struct flag *flag, const char *text, void *to);
/* One of the choices, or the name of an engine that a separate library provides. `to` points into a
 * struct args. */
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

/* Lists. Commas separate the items, or semicolons if there is one: a single item that has commas in
 * it must end with a semicolon. Duplicates are dropped. */
bool value_shapes(const struct flag *flag, const char *text, void *to);
bool value_layouts(const struct flag *flag, const char *text, void *to);
bool value_wholes(const struct flag *flag, const char *text, void *to);
bool value_choices(const struct flag *flag, const char *text, void *to);

/* Reports a flag that contradicts another, or has no effect beside it. Call once engine and ranks
 * are known. */
enum code flag_rules_check(enum verb verb, const struct args *args);

#endif
