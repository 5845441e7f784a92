/* parse_number.h - texts of the command line that stand for numbers. Each function returns whether
 * the whole text is one, and writes the number only then. */
#ifndef CLI_VALUES_PARSE_NUMBER_H
#define CLI_VALUES_PARSE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A real or complex number. */
struct number {
    double re, im;
};

/* Digits alone; moves *text behind them. */
bool number_digits(const char **text, int64_t *number);
/* A whole number from low to high. */
bool number_whole(const char *text, int64_t low, int64_t high, int64_t *number);
/* Bytes, with a suffix K, M, G or T for powers of 1024. */
bool number_bytes(const char *text, int64_t *bytes);
/* "re" or "re,im", both finite. */
bool number_scalar(const char *text, struct number *number);

#endif
