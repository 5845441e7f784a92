/* far_transfers.h - a thread that carries one rank's transfers, in an order and with delays drawn
 * from a seed. All calls are the rank's. */
#ifndef SCT_FABRIC_THREADS_FAR_TRANSFERS_H
#define SCT_FABRIC_THREADS_FAR_TRANSFERS_H

#include "base/status.h"
#include "fabric/transfer.h"

typedef struct sct_courier sct_courier;

/* Each transfer is held back for at most `delay_us` microseconds. */
sct_status sct_courier_open(uint64_t seed, int delay_us, sct_courier **courier);
/* Carries what is left first. */
void sct_courier_close(sct_courier *courier);
/* The ticket is never 0. */
sct_status sct_courier_send(sct_courier *courier, const sct_transfer *transfer, uint64_t *ticket);
bool sct_courier_done(sct_courier *courier, uint64_t ticket);
void sct_courier_wait(sct_courier *courier, uint64_t ticket);

#endif
