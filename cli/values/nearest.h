/* nearest.h - finds the name that a mistyped word most likely means. */
#ifndef CLI_VALUES_NEAREST_H
#define CLI_VALUES_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *word;
    size_t length;
    const char *name; /* the nearest name so far; NULL: none is near */
    size_t distance;  /* number of edits to it */
};

/* Looks for the names nearest to a word; then consider each name. */
struct nearest nearest_begin(const char *word, size_t length);
void nearest_consider(struct nearest *nearest, const char *name);

#endif
