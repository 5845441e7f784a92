/* text_reader.c - reads tokens of a text. */
#include "base/text_reader.h"

#include "base/c_locale.h"
#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

bool sct_text_accept(const char **at, const char *token) {
    size_t length = strlen(token);
    if (strncmp(*at, token, length) != 0)
        return false;
    *at += length;
    return true;
}

sct_status sct_text_number(const char **at, int64_t most, int64_t *number) {
    const char *start = *at;
    int64_t value = 0;
    bool fits = true;
    for (; **at >= '0' && **at <= '9'; ++*at)
        fits = fits && sct_multiply_fits(value, 10, &value) &&
               sct_add_fits(value, **at - '0', &value) && value <= most;
    if (!fits)
        return sct_fail(SCT_BAD_ARGUMENT, "the number at \"%.20s\" is more than %lld", start,
                        (long long)most);
    *number = value;
    return SCT_OK;
}

double sct_text_real(const char **at) {
    char *end;
    sct_c_locale locale = sct_c_locale_begin();
    double number = strtod(*at, &end);
    sct_c_locale_end(locale);
    *at = end;
    return number;
}
