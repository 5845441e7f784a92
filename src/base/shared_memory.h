/* shared_memory.h - memory that other processes of the machine can map.
 *
 * It has no name in any file system, so nothing is left behind, however a process ends. Others
 * reach it through the owner's table of open files, as long as the owner offers it. */
#ifndef SCT_BASE_SHARED_MEMORY_H
#define SCT_BASE_SHARED_MEMORY_H

#include "base/status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct sct_shared {
    char *memory; /* NULL: none */
    size_t bytes;
    int file; /* -1: not offered */
} sct_shared;

/* Zeroed memory, populated at once if `populate`. */
sct_status sct_shared_create(size_t bytes, bool populate, sct_shared *shared);
/* Zeroed memory of this process alone, which gets huge pages more often. */
sct_status sct_shared_private(size_t bytes, sct_shared *shared);
/* Maps memory that another process offers. */
sct_status sct_shared_open(pid_t owner, int file, size_t bytes, bool populate, sct_shared *shared);
/* No other process can map it from now on; existing mappings remain. */
void sct_shared_withdraw(sct_shared *shared);
void sct_shared_close(sct_shared *shared);

#endif
