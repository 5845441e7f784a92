/* spool.h - unnamed temporary files, for what comes from or goes to a pipe, has to be unpacked, or
 * is not complete yet. */
#ifndef CLI_OUTPUT_SPOOL_H
#define CLI_OUTPUT_SPOOL_H

#include "output/refuse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Creates a file without a name in $TMPDIR, otherwise /tmp, and returns its descriptor; -1 on
 * failure. errno says why one of these functions failed. */
int spool_create(void);
/* Writes the reason why nothing can be kept in such a file; returns false. */
bool spool_refuse(char why[WHY_BYTES], int error);
/* False if its file system has no room for so many bytes. */
bool spool_has_room(int fd, size_t bytes);

/* Reads `bytes` bytes at `at`, or those up to the end of the file, and returns their number; -1 on
 * failure. */
ssize_t spool_read(int fd, void *to, size_t bytes, size_t at);
/* Appends all bytes. */
bool spool_write(int fd, const void *from, size_t bytes);
/* Copies the rest of `from`, which may be a pipe, or so many bytes of it, to the file `to`, and
 * returns their number; -1 on failure. `copied`, unless it is NULL, is called as bytes have been
 * copied. */
int64_t spool_copy(int from, int to, size_t most, void (*copied)(void *context, int64_t bytes),
                   void *context);

#endif
