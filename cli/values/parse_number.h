/* parse_number.h - parses numbers on the command line. Each function returns whether the whole text
 * is valid, and sets the number only then. */
#ifndef CLI_VALUES_PARSE_NUMBER_H
#define CLI_VALUES_PARSE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A real or complex number. */
struct number {
    double re, im;
};

/* Digits only; advances *text. */
bool number_digits(const char **text, int64_t *number);
/* An integer from low to high. */
bool number_whole(const char *text, int64_t low, int64_t high, int64_t *number);
/* Bytes, with an optional suffix: K, M, G, T or KiB to TiB for powers of 1024, KB to TB for those
 * of 1000. */
bool number_bytes(const char *text, int64_t *bytes);
/* "re" or "re,im", both finite. */
bool number_scalar(const char *text, struct number *number);

#endif
