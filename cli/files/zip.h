/* zip.h - finds and unpacks the members of .zip archives, which NumPy's .npz files are. */
#ifndef CLI_FILES_ZIP_H
#define CLI_FILES_ZIP_H

#include "output/refuse.h"

#include <stddef.h>
#include <stdint.h>

struct zip_member {
    bool packed;          /* deflated; otherwise stored as it is */
    uint32_t check;       /* CRC-32 of the unpacked bytes */
    size_t at;            /* where its bytes begin in the archive */
    size_t stored, bytes; /* packed and unpacked size */
};

/* Finds the member `name`, or else `name`.npy, in an archive of `size` bytes, which may be
 * anything. False if there is none: `why` says why, and perhaps which members there are. */
bool zip_find(int fd, size_t size, const char *name, struct zip_member *member,
              char why[WHY_BYTES]);

/* Called as bytes of the archive have been read; NULL: not. */
typedef void zip_taken(void *context, int64_t bytes);

/* Compares the check sum of a member that is stored as it is; false with the reason. */
bool zip_check(int fd, const struct zip_member *member, zip_taken *taken, void *context,
               char why[WHY_BYTES]);

/* Reads the first `most` unpacked bytes of a member, or all, and returns their number; false with
 * the reason. */
bool zip_peek(int fd, const struct zip_member *member, void *start, size_t most, size_t *length,
              char why[WHY_BYTES]);

/* Appends the unpacked bytes of a packed member to the file `to`; false with the reason. */
bool zip_unpack(int fd, const struct zip_member *member, int to, zip_taken *taken, void *context,
                char why[WHY_BYTES]);

#endif
