/* text.h - strings that are built by appending. */
#ifndef TEST_TEXT_H
#define TEST_TEXT_H

#include <stddef.h>

typedef struct text {
    char *at; /* the text so far, ending in '\0' */
    size_t bytes;
} text;

/* Appends; what does not fit is dropped. */
void text_add(const text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
