/* cma.h - reaches wrapped memory of other processes of the machine through the system, where it
 * allows that. The other process takes no part.
 *
 * Transfers are collected until one is waited for, because the system moves a few long lines faster
 * than many short ones. Pieces that are adjacent in the other's memory are moved as one. Short
 * pieces to read with small gaps between them are read into a buffer in one piece, gaps included,
 * and copied from there without the gaps. */
#ifndef SCT_FABRIC_PROCESSES_CMA_H
#define SCT_FABRIC_PROCESSES_CMA_H

#include "fabric/transfer.h"

#include <sys/types.h>

typedef struct sct_cma sct_cma;

/* Free with free(). */
sct_status sct_cma_create(sct_cma **cma);

/* Collects a copy whose `from` is an address in process `owner`. */
sct_status sct_cma_get(sct_cma *cma, pid_t owner, const sct_transfer *copy);
/* Collects an addition whose `to` is an address in process `owner`. */
sct_status sct_cma_add(sct_cma *cma, pid_t owner, const sct_transfer *addition);
/* Completes all that was collected. */
sct_status sct_cma_finish(sct_cma *cma);
/* The event of all that is collected: to ask for it, or to wait for it, completes that. */
sct_event sct_cma_event(sct_cma *cma);

/* Reads memory of process `owner` at once, beside what is collected. False if the system does
 * not allow it, or the process has no memory there. */
bool sct_cma_read(pid_t owner, const char *from, char *to, size_t bytes);

#endif
