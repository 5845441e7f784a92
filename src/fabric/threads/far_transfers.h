/* far_transfers.h - emulates remote ranks: a thread runs one rank's transfers, in an order
 * and with delays drawn from a seed. All calls are the rank's. */
#ifndef SCT_FABRIC_THREADS_FAR_TRANSFERS_H
#define SCT_FABRIC_THREADS_FAR_TRANSFERS_H

#include "base/status.h"
#include "fabric/transfer.h"

typedef struct sct_far_transfers sct_far_transfers;

/* Each transfer is delayed by at most `delay_us` microseconds. */
sct_status sct_far_transfers_open(uint64_t seed, int delay_us, sct_far_transfers **far);
/* Runs the remaining transfers first. */
void sct_far_transfers_close(sct_far_transfers *far);
sct_status sct_far_transfers_send(sct_far_transfers *far, const sct_transfer *transfer,
                                  sct_event *reached);
/* Waits for all. */
void sct_far_transfers_drain(sct_far_transfers *far);

#endif
