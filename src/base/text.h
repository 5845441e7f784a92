/* text.h - splits a text into tokens, and writes a text into a buffer of the caller. */
#ifndef SCT_BASE_TEXT_H
#define SCT_BASE_TEXT_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stddef.h>

/* True if the text goes on with the token. This and the next functions advance *at past what they
 * read. */
bool sct_text_accept(const char **at, const char *token);

/* Reads decimal digits, of which there may be none. Fails if their number is more than `most`. */
sct_status sct_text_number(const char **at, int64_t most, int64_t *number);

/* Reads a real number as strtod does, with a decimal point in every locale. Without one it returns
 * 0, and *at stays. */
SCT_API double sct_text_real(const char **at);

typedef struct sct_writer {
    char *text;
    size_t bytes, length; /* length: of the whole text, even if it did not fit */
} sct_writer;

/* Appends formatted text. What fits is terminated by '\0'. */
void sct_writer_put(sct_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
