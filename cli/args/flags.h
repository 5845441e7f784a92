/* flags.h - the one table of flags, for parsing and for help. */
#ifndef CLI_ARGS_FLAGS_H
#define CLI_ARGS_FLAGS_H

#include "args/args.h"

#include <stddef.h>

struct flag {
    const char *name;    /* with its dashes */
    const char *value;   /* stands for the value in help; NULL: a switch */
    const char *allowed; /* the allowed values in words; NULL: `value` or low to high says it */
    const char *help;
    unsigned verbs; /* the verbs that have it, as bits 1 << verb */
    size_t offset;  /* in struct args, of the member that it sets */
    bool (*parse)(const struct flag *flag, const char *text, void *to);
    int64_t low, high;
    const char *also; /* another name: one letter, or the name of earlier versions */
    bool advanced;    /* for experiments and tests: help lists it with --all only */
};

extern const struct flag flags[];
extern const int flags_count;

/* Whether `also` is a letter, such as -n. */
bool flags_has_letter(const struct flag *flag);

/* The flag of a verb by the first `length` bytes of a word, which is one of its names; NULL if
 * there is none. */
const struct flag *flags_find(enum verb verb, const char *word, size_t length);

#endif
