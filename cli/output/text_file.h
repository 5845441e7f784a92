/* text_file.h - a text file, such as a picture, that is written only when complete. Until then an
 * existing file of that name is untouched. */
#ifndef CLI_OUTPUT_TEXT_FILE_H
#define CLI_OUTPUT_TEXT_FILE_H

#include "print/report.h"

#include <stdio.h>

struct text_file {
    const char *path;
    FILE *out; /* NULL: none */
};

/* Begins a text. Fails at once if the file could not be written, so that no work is done in vain. A
 * NULL path makes no file. */
enum code text_file_open(const char *path, struct text_file *text_file);

/* Takes the exit code of the work so far. On CODE_DONE it writes the file, which takes the place of
 * an older one; otherwise it discards the text. Returns the code, or that of a failure to write. */
enum code text_file_close(enum code code, struct text_file *text_file);

/* True if two paths lead to one file. Either may be NULL. */
bool text_file_same(const char *one, const char *other);

#endif
