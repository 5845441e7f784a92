/* far_transfers.h - emulates remote ranks: a thread runs one rank's transfers, in an order
 * and with delays drawn from a seed. All calls are the rank's. */
#ifndef TEST_ENGINE_FAR_TRANSFERS_H
#define TEST_ENGINE_FAR_TRANSFERS_H

#include "base/status.h"
#include "fabric/transfer.h"

typedef struct far_transfers far_transfers;

/* Each transfer is delayed by at most `delay_us` microseconds. */
sct_status far_transfers_open(uint64_t seed, int delay_us, far_transfers **far);
/* Runs the remaining transfers first. */
void far_transfers_close(far_transfers *far);
sct_status far_transfers_send(far_transfers *far, const sct_transfer *transfer, sct_event *reached);
/* Waits for all. */
void far_transfers_drain(far_transfers *far);

#endif
