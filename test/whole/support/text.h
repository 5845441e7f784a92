/* text.h - texts written bit by bit. */
#ifndef TEST_TEXT_H
#define TEST_TEXT_H

#include <stddef.h>

typedef struct text {
    char *at; /* what there is so far, ending in '\0' */
    size_t bytes;
} text;

/* Appends; what does not fit is left out. */
void text_add(const text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
