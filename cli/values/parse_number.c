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

/* The factor of a suffix: 1024 for K, k and KiB, 1000 for KB, as in coreutils; 0 for any other
 * text.
 */
static int64_t factor_of(const char *suffix) {
    static const char letters[] = "KMGT";
    const char *letter = *suffix != '\0' ? strchr(letters, toupper((unsigned char)*suffix)) : NULL;
    int64_t factor = 1;
    if (*suffix == '\0')
        return factor;
    bool decimal = strcmp(suffix + 1, "B") == 0;
    if (!letter || (suffix[1] != '\0' && !decimal && strcmp(suffix + 1, "iB") != 0))
        return 0;
    for (const char *at = letters; at <= letter; at++)
        factor *= decimal ? 1000 : 1024;
    return factor;
}

bool number_bytes(const char *text, int64_t *bytes) {
    int64_t value;
    if (!number_digits(&text, &value))
        return false;
    int64_t factor = factor_of(text);
    if (factor == 0 || value > INT64_MAX / factor)
        return false;
    *bytes = value * factor;
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
