/* service.h - gets and accumulates beyond reach, made of messages that the owner answers.
 *
 * Requests go to the rank that owns the memory. Its service takes them, sends what is asked for, or
 * adds what comes; a thread of its own does so while the rank computes, if the wire allows that,
 * else the rank itself whenever it waits or calls sct_service_progress. All that travels is cut
 * into pieces that a wire can carry.
 *
 * A service takes SCT_SERVICE_MOST_BYTES of memory at most, whatever is under way, beside some 100
 * bytes for each transfer that is, 4 for each rank, and what the wire takes.
 *
 * If a wire fails, so does every transfer that is under way on any rank or comes later.
 *
 * Called by the rank's thread alone. */
#ifndef SCT_FABRIC_SERVICE_SERVICE_H
#define SCT_FABRIC_SERVICE_SERVICE_H

#include "fabric/fabric.h"
#include "fabric/service/wire.h"
#include "fabric/transfer.h"

typedef struct sct_service sct_service;

enum { SCT_SERVICE_MOST_BYTES = 6 << 20 };

/* These are exported for the libraries of engines. */

/* Takes the wire, which lasts until the service is destroyed, even if this fails. */
SCT_API sct_status sct_service_create(sct_wire *wire, sct_service **service);
/* All ranks come here after all of them have waited for their last transfers. */
SCT_API void sct_service_destroy(sct_service *service);

/* This rank's memory in a segment: `id` is the same on all ranks. `blocks`, and `bands`, which has
 * the locks of each block, must last until it is withdrawn, which ranks do after all have met. */
SCT_API sct_status sct_service_offer(sct_service *service, uint64_t id, int count,
                                     const sct_memory *blocks, sct_bands *bands);
SCT_API void sct_service_withdraw(sct_service *service, uint64_t id);

/* The rectangle at a rank's block: as sct_target, but with the segment's id. */
typedef struct sct_place_far {
    uint64_t id;
    int rank, block;
    int64_t line;
    size_t byte;
    int64_t lines;
    size_t width;
} sct_place_far;

SCT_API sct_status sct_service_get(sct_service *service, const sct_place_far *from, void *to,
                                   size_t pitch, sct_ticket *ticket);
SCT_API sct_status sct_service_accumulate(sct_service *service, sct_type type, const void *from,
                                          size_t pitch, const sct_place_far *to,
                                          sct_ticket *ticket);
SCT_API sct_status sct_service_wait(sct_service *service, sct_ticket ticket);
SCT_API bool sct_service_done(sct_service *service, sct_ticket ticket);

/* Answers what has come and moves what is under way. Where no thread does, ranks call it often;
 * where one does, it saves the latency of its naps. */
SCT_API void sct_service_progress(sct_service *service);
/* Whether a thread answers. */
SCT_API bool sct_service_has_thread(const sct_service *service);

#endif
