/* refuse.c - the reason why a file is refused. */
#include "output/refuse.h"

#include <stdarg.h>
#include <stdio.h>

bool refuse(char why[WHY_BYTES], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, WHY_BYTES, format, list);
    va_end(list);
    return false;
}
