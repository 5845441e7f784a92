/* service.h - gets and accumulates beyond reach, made of messages that the owner answers.
 *
 * Requests go to the rank that owns the memory. Its service takes them, sends what is asked for, or
 * adds what comes; a thread of its own does so while the rank computes, if the wire allows that,
 * else the rank itself whenever it waits or calls sct_service_progress. All that travels is cut into
 * pieces that a wire can carry.
 *
 * Called by the rank's thread alone. */
#ifndef SCT_FABRIC_SERVICE_H
#define SCT_FABRIC_SERVICE_H

#include "fabric/fabric.h"
#include "fabric/transfer.h"
#include "fabric/wire.h"

typedef struct sct_service sct_service;

/* Takes the wire, which lasts until the service is destroyed, even if this fails. */
sct_status sct_service_create(sct_wire *wire, sct_service **service);
/* All ranks come here after their last transfer has been waited for. */
void sct_service_destroy(sct_service *service);

/* This rank's memory in a segment: `id` is the same on all ranks. Both must last until it is
 * withdrawn, which ranks do after all have met. */
sct_status sct_service_offer(sct_service *service, uint64_t id, int count, const sct_memory *blocks,
                             sct_bands *bands);
void sct_service_withdraw(sct_service *service, uint64_t id);

/* The rectangle at a rank's block: as sct_target, but with the segment's id. */
typedef struct sct_place_far {
    uint64_t id;
    int rank, block;
    int64_t line;
    size_t byte;
    int64_t lines;
    size_t width;
} sct_place_far;

sct_status sct_service_get(sct_service *service, const sct_place_far *from, void *to, size_t pitch,
                           sct_ticket *ticket);
sct_status sct_service_accumulate(sct_service *service, sct_type type, const void *from,
                                  size_t pitch, const sct_place_far *to, sct_ticket *ticket);
sct_status sct_service_wait(sct_service *service, sct_ticket ticket);
bool sct_service_done(sct_service *service, sct_ticket ticket);

/* Answers what has come, if no thread does. */
void sct_service_progress(sct_service *service);
/* Whether a thread answers. */
bool sct_service_has_thread(const sct_service *service);

#endif
