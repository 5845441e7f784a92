/* text_file.h - a file of text, such as a picture, that is written only when all of it is there:
 * until then what has its name stays as it is, whatever happens. */
#ifndef CLI_PRINT_TEXT_FILE_H
#define CLI_PRINT_TEXT_FILE_H

#include "print/report.h"

#include <stdio.h>

struct sheet {
    const char *path;
    FILE *out; /* NULL: there is none */
};

/* Says so if a file of that name could not be written, before any work is done for it. A path that
 * is NULL makes no sheet. */
enum code sheet_open(const char *path, struct sheet *sheet);

/* With CODE_DONE the file is written, or, if it cannot be to its end, removed; else the sheet is
 * forgotten. Returns that code, or what went wrong in writing. */
enum code sheet_close(enum code code, struct sheet *sheet);

/* Whether two paths, either of which may be NULL, lead to one file. */
bool sheet_same(const char *one, const char *other);

#endif
