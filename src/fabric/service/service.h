/* service.h - get and accumulate for remote memory, by messages to the owner.
 *
 * A request goes to the rank that owns the memory. The owner's service sends the data, or adds what
 * arrives. That is done by a thread while the rank computes, if the wire allows it; otherwise by
 * the rank itself whenever it waits or calls sct_service_progress. Data is split into pieces that a
 * wire can carry. Pieces of memory that the host cannot touch go through bounce buffers, while
 * others are on their way.
 *
 * A service takes at most SCT_SERVICE_MOST_BYTES of memory, plus some 100 bytes per transfer in
 * flight, 32 per rank that it has waited for if waiting is limited, and what the wire takes.
 *
 * If a wire fails, all current and later transfers of all ranks fail. All calls are made by the
 * rank's thread. */
#ifndef SCT_FABRIC_SERVICE_SERVICE_H
#define SCT_FABRIC_SERVICE_SERVICE_H

#include "fabric/bounce/bounce.h"
#include "fabric/fabric.h"
#include "fabric/service/wire.h"
#include "fabric/transfer.h"

typedef struct sct_service sct_service;

enum { SCT_SERVICE_MOST_BYTES = 6 << 20 };

/* Exported for the libraries of engines. */

/* Takes over the wire, even on failure, until the service is destroyed. */
SCT_API sct_status sct_service_create(sct_wire *wire, sct_service **service);
/* Call on all ranks, after all have waited for their last transfers. */
SCT_API void sct_service_destroy(sct_service *service);

/* Makes the service use bounce buffers for memory that the host cannot touch, and allocate its own
 * buffers on the device of the bounce buffers, until it is destroyed. Before the first transfer of
 * any rank. */
sct_status sct_service_bounce(sct_service *service, sct_bounce *bounce);

/* Makes the waits of this rank follow the rules. If the rules have a limit, other ranks can read
 * its sign. Before the first transfer of any rank. */
sct_status sct_service_rule(sct_service *service, const sct_wait_rules *rules, sct_sign *sign);
/* Waits until no rank is asked for its sign any more; all ranks must still serve. Fails if the
 * service has failed. */
sct_status sct_service_settle(sct_service *service);

/* What a waiting rank notes. */
typedef struct sct_lookout {
    bool meets; /* it waits for a collective call, not for a transfer, which needs no call */
    sct_suspect suspect;
    int64_t looked_ns;
    int periods;
} sct_lookout;

static inline sct_lookout sct_lookout_begin(bool meets) {
    return (sct_lookout){.meets = meets, .suspect = sct_suspect_nobody()};
}

/* Whether it waits for a rank. */
typedef bool sct_concern(sct_service *service, const void *context, int rank);
/* Call it again and again while waiting. The service fails if one of these ranks does not respond,
 * or this one is interrupted. */
void sct_service_look_out(sct_service *service, sct_lookout *lookout, sct_concern *concerns,
                          const void *context);

/* The failure of the service; SCT_OK: it works. */
SCT_API sct_status sct_service_status(sct_service *service);
/* Collective, if all ranks make the same calls: an allgather by messages, without barrier. Serves
 * others while it waits. */
SCT_API sct_status sct_service_gather(sct_service *service, const void *mine, size_t bytes,
                                      void *all);
/* Likewise: an allreduce in place, which needs no memory. */
SCT_API sct_status sct_service_reduce(sct_service *service, sct_reduction how, uint64_t *words,
                                      size_t count);
/* Before sct_service_destroy, on all ranks: the service of another rank has failed, and may have
 * left messages that nobody will receive. */
SCT_API void sct_service_cancel(sct_service *service);
/* True if messages in flight may read memory of this rank even after sct_service_destroy: offered
 * memory must stay mapped until the process ends. This happens only after a failure. */
bool sct_service_reads_on(const sct_service *service);

/* Offers this rank's memory in a segment to the others. `id` is the same on all ranks. `blocks`,
 * and `bands` with the locks of each block, must exist until they are withdrawn, after a barrier.
 */
SCT_API sct_status sct_service_offer(sct_service *service, uint64_t id, int count,
                                     const sct_memory *blocks, sct_bands *bands);
SCT_API void sct_service_withdraw(sct_service *service, uint64_t id);

/* A rectangle of a rank's block: like sct_target, with the segment's id. */
typedef struct sct_place_far {
    uint64_t id;
    int rank, block;
    sct_rectangle part;
} sct_place_far;

/* Transfers. Each has a number by which to wait for it; 0: it is complete. */
SCT_API sct_status sct_service_get(sct_service *service, const sct_place_far *from, void *to,
                                   size_t pitch, uint64_t *ticket);
SCT_API sct_status sct_service_accumulate(sct_service *service, sct_type type, const void *from,
                                          size_t pitch, const sct_place_far *to, uint64_t *ticket);
SCT_API sct_status sct_service_wait(sct_service *service, uint64_t ticket);
SCT_API bool sct_service_done(sct_service *service, uint64_t ticket);
/* Waits for all transfers of the rank. */
sct_status sct_service_drain(sct_service *service);

/* Serves requests and moves what is in flight. Call it often if there is no service thread; with
 * one, it saves the latency of its naps. */
SCT_API void sct_service_progress(sct_service *service);
/* True if a service thread serves requests. */
SCT_API bool sct_service_has_thread(const sct_service *service);

#endif
