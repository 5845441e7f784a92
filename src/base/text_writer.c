/* text_writer.c - builds a text in the caller's memory, which may be too short. */
#include "base/text_writer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

void sct_writer_put(sct_writer *writer, const char *format, ...) {
    bool full = writer->length >= writer->bytes;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(full ? NULL : writer->text + writer->length,
                           full ? 0 : writer->bytes - writer->length, format, arguments);
    va_end(arguments);
    writer->length += (size_t)length;
}
