/* across.h - reaches wrapped memory of other processes of the machine through the system, where it
 * allows that. The other process takes no part.
 *
 * Transfers are collected until one is waited for, because the system moves a few long lines faster
 * than many short ones. Pieces that are adjacent in the other's memory are moved as one. Short
 * pieces to read with small gaps between them are read into a buffer in one piece, gaps included,
 * and copied from there without the gaps. */
#ifndef SCT_FABRIC_PROCESSES_ACROSS_H
#define SCT_FABRIC_PROCESSES_ACROSS_H

#include "fabric/transfer.h"

#include <sys/types.h>

typedef struct sct_across sct_across;

/* Free with free(). */
sct_status sct_across_create(sct_across **across);

/* Collects a copy whose `from` is an address in process `owner`. */
sct_status sct_across_get(sct_across *across, pid_t owner, const sct_transfer *copy);
/* Collects an addition whose `to` is an address in process `owner`. */
sct_status sct_across_add(sct_across *across, pid_t owner, const sct_transfer *addition);
/* Completes all that was collected. */
sct_status sct_across_finish(sct_across *across);
/* The event of all that is collected: to ask for it, or to wait for it, completes that. */
sct_event sct_across_event(sct_across *across);

/* Reads memory of process `owner` at once, beside what is collected. False if the system does
 * not allow it, or the process has no memory there. */
bool sct_across_read(pid_t owner, const char *from, char *to, size_t bytes);

#endif
