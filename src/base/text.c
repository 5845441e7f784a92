/* text.c - reads tokens of a text, and builds a text, whose memory may be too short. */
#include "base/text.h"

#include "base/c_locale.h"
#include "base/checked.h"
#include "base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

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

/* ---- Writing ---- */

void sct_writer_put(sct_writer *writer, const char *format, ...) {
    bool full = writer->length >= writer->bytes;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(full ? NULL : writer->text + writer->length,
                           full ? 0 : writer->bytes - writer->length, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
}
