/* refuse.h - the reason why a file is refused. */
#ifndef CLI_OUTPUT_REFUSE_H
#define CLI_OUTPUT_REFUSE_H

#include <stdbool.h>

enum { WHY_BYTES = 400 };

/* Writes the reason, in one line; returns false. */
bool refuse(char why[WHY_BYTES], const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
