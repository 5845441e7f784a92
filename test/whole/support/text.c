/* text.c - see text.h. */
#include "whole/support/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(const text *to, const char *format, ...) {
    size_t length = strlen(to->at);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->at + length, to->bytes - length, format, arguments);
    va_end(arguments);
}
