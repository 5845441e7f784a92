/* text_reader.h - reads tokens of a text. Each function advances *at past what it read. */
#ifndef SCT_BASE_TEXT_READER_H
#define SCT_BASE_TEXT_READER_H

#include <sectile/sectile.h>
#include <stdbool.h>

/* True if the text goes on with the token. */
bool sct_text_accept(const char **at, const char *token);

/* Reads decimal digits, of which there may be none. Fails if their number is more than `most`. */
sct_status sct_text_number(const char **at, int64_t most, int64_t *number);

/* Reads a real number as strtod does, with a decimal point in every locale. Without one it returns
 * 0, and *at stays. */
SCT_API double sct_text_real(const char **at);

#endif
