/* parse_number.c - parses numbers on the command line. */
#include "values/parse_number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool number_digits(const char **text, int64_t *number) {
    const char *at = *text;
    int64_t value = 0;
    for (; isdigit((unsigned char)*at); at++) {
        int digit = *at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

bool number_whole(const char *text, int64_t low, int64_t high, int64_t *number) {
    int64_t value;
    if (!number_digits(&text, &value) || *text != '\0' || value < low || value > high)
        return false;
    *number = value;
    return true;
}

bool number_bytes(const char *text, int64_t *bytes) {
    static const char suffixes[] = "KMGT";
    int64_t value;
    if (!number_digits(&text, &value))
        return false;
    const char *suffix = *text != '\0' ? strchr(suffixes, *text) : NULL;
    int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
    if (text[suffix ? 1 : 0] != '\0' || value > INT64_MAX >> shift)
        return false;
    *bytes = value << shift;
    return true;
}

static bool real(const char **text, double *number) {
    char *end;
    /* strtod would skip them. */
    if (isspace((unsigned char)**text))
        return false;
    double value = strtod(*text, &end);
    if (end == *text || !isfinite(value))
        return false;
    *text = end;
    *number = value;
    return true;
}

bool number_scalar(const char *text, struct number *number) {
    struct number value = {0, 0};
    if (!real(&text, &value.re))
        return false;
    if (*text == ',') {
        text++;
        if (!real(&text, &value.im))
            return false;
    }
    if (*text != '\0')
        return false;
    *number = value;
    return true;
}
