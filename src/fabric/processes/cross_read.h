/* cross_read.h - reads the memory of another process of the machine, where the system allows it.
 *
 * For wrapped memory, which cannot be mapped. The other process takes no part. */
#ifndef SCT_FABRIC_PROCESSES_CROSS_READ_H
#define SCT_FABRIC_PROCESSES_CROSS_READ_H

#include "fabric/transfer.h"

#include <sys/types.h>

/* Runs a copy whose `from` is an address in process `owner`. False if the system does not allow it
 * or does not know such memory; then some lines may have been copied. */
bool sct_cross_read(pid_t owner, const sct_transfer *copy);

#endif
