/* text_file.h - a text file, such as a picture, that is written only when complete. Until then an
 * existing file of that name is untouched. */
#ifndef CLI_PRINT_TEXT_FILE_H
#define CLI_PRINT_TEXT_FILE_H

#include "print/report.h"

#include <stdio.h>

struct text_file {
    const char *path;
    FILE *out; /* NULL: none */
};

/* Fails if the file could not be written, before any work is done for it. A NULL path makes none.
 */
enum code text_file_open(const char *path, struct text_file *text_file);

/* With CODE_DONE, writes the file, or removes it if that fails; otherwise discards the text.
 * Returns the code, or the failure to write. */
enum code text_file_close(enum code code, struct text_file *text_file);

/* True if two paths lead to one file. Either may be NULL. */
bool text_file_same(const char *one, const char *other);

#endif
