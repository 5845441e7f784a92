/* text_writer.h - builds a text in the caller's memory, which may be too short. */
#ifndef SCT_BASE_TEXT_WRITER_H
#define SCT_BASE_TEXT_WRITER_H

#include <stddef.h>

typedef struct sct_writer {
    char *text;
    size_t bytes, length; /* length: of the whole text, even if it did not fit */
} sct_writer;

/* Appends formatted text. What fits is terminated by '\0'. */
void sct_writer_put(sct_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
