/* text_writer.h - a text that is put together in memory of the caller's, whether it fits or not. */
#ifndef SCT_BASE_TEXT_WRITER_H
#define SCT_BASE_TEXT_WRITER_H

#include <stddef.h>

typedef struct sct_writer {
    char *text;
    size_t bytes, length; /* length: of the whole text so far, even if it did not fit */
} sct_writer;

/* What fits ends in '\0', if there is room for that. */
void sct_writer_put(sct_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
