/* join.c - how ranks that are processes join and leave. */
#include "base/clock.h"
#include "base/log.h"
#include "fabric/machine.h"
#include "fabric/processes/collective.h"
#include "fabric/processes/node.h"
#include "fabric/processes/segment.h"
#include "fabric/sockets/sockets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Waiting ---- */

sct_process_waiting sct_process_begin_waiting(sct_process *self) {
    return (sct_process_waiting){self, {.crowded = self->crowded}, sct_lookout_begin(false)};
}

void sct_process_idle(void *context) {
    sct_process_waiting *waiting = context;
    if (waiting->self->service)
        sct_service_progress(waiting->self->service);
    sct_backoff_pass(&waiting->backoff);
    if (sct_process_is_time_to_watch(waiting->self))
        sct_process_watch(waiting);
}

/* ---- Gathering ---- */

sct_status sct_process_gather(sct_process *self, const void *mine, size_t bytes, void *all) {
    return sct_process_synchronises_by_messages(self)
               ? sct_service_gather(self->service, mine, bytes, all)
               : sct_process_exchange(&self->base, mine, bytes, all);
}

/* Ranks that leave no longer have the table, but they have the service. */
sct_status sct_process_allreduce(sct_process *self, sct_reduction how, uint64_t *words,
                                 size_t count) {
    return self->service ? sct_service_reduce(self->service, how, words, count)
                         : sct_process_reduce(&self->base, how, words, count);
}

sct_status sct_process_least(sct_process *self, int mine, int *least) {
    uint64_t word = (uint64_t)mine;
    sct_status status = self->ops->reduce(self, SCT_LEAST, &word, 1);
    *least = (int)word;
    return status;
}

/* ---- Joining ---- */

sct_status sct_process_all_have(sct_process *self, bool mine) {
    int all = 0;
    sct_status status = sct_process_least(self, mine, &all);
    if (status == SCT_OK && !all)
        status = sct_fail(SCT_NO_MEMORY, "a rank has no memory for the fabric");
    return status;
}

void sct_process_discard(sct_process *self) {
    sct_process_collective_free(self->collective);
    free(self->cma);
    sct_process_forget_node(self);
}

static void end_service(sct_process *self) {
    sct_service_destroy(self->service);
    self->service = NULL;
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    sct_process *self = context;
    return self->ops->gather(self, mine, bytes, all) != SCT_OK;
}

sct_status sct_process_connect(sct_process *self, sct_wire **wire) {
    sct_bootstrap ranks = {.size = sizeof ranks,
                           .rank = self->base.rank,
                           .ranks = self->base.size,
                           .allgather = gather,
                           .context = self};
    return sct_sockets_create(&ranks, wire);
}

sct_status sct_process_serve(sct_process *self) {
    sct_wire *wire;
    sct_path path;
    if (self->service)
        return SCT_OK;
    /* fails if a rank has left, for which the calls of the engine would wait forever */
    sct_status status = sct_process_barrier(self, SCT_TO_MEET);
    if (status != SCT_OK)
        return status;
    status = self->ops->connect(self, &wire, &path);
    if (status == SCT_OK)
        status = sct_service_create(wire, &self->service);
    if (status == SCT_OK)
        status = sct_service_rule(self->service, &self->base.rules, sct_process_sign(self));
    status = sct_fabric_agree(&self->base, status);
    if (status != SCT_OK && self->service)
        end_service(self);
    if (self->service && self->base.path == SCT_PATH_AUTO) {
        self->base.path = path;
        sct_log_write(SCT_LOG_INFO, self->base.rank,
                      "memory that ranks cannot point to is reached by messages over %s",
                      path == SCT_PATH_SOCKETS ? "TCP" : "MPI");
    }
    sct_process_note_progress(self);
    return status;
}

/* The service reaches memory of devices, direct access does not. */
sct_status sct_process_bounce(sct_process *self, sct_bounce *bounce) {
    if (self->path == SCT_PATH_RMA)
        return sct_fail(SCT_NO_ENGINE, "path: the RMA of MPI does not reach memory of devices");
    self->direct = NULL;
    self->bounces = true;
    if (!self->service)
        self->base.path = SCT_PATH_AUTO;
    sct_status status = sct_process_serve(self);
    return status == SCT_OK
               ? sct_fabric_agree(&self->base, sct_service_bounce(self->service, bounce))
               : status;
}

void sct_process_note_progress(sct_process *self) {
    self->base.needs_progress =
        sct_process_must_serve(self) || (self->direct && self->direct->progress);
}

sct_process sct_process_begin(const sct_process_ops *ops, const sct_bootstrap *bootstrap,
                              const sct_world_options *options) {
    return (sct_process){.base = {.ops = &sct_process_fabric_ops,
                                  .rank = bootstrap->rank,
                                  .size = bootstrap->ranks,
                                  .processes = true,
                                  .rules = sct_wait_rules_of(options)},
                         .ops = ops,
                         .path = options->path,
                         .board = {.file = -1}};
}

static void show_sign(sct_process *self) {
    sct_sign *sign = sct_process_sign(self);
    atomic_store(sign, SCT_FIRST_SIGN);
    self->base.sign = self->base.rules.seconds > 0 ? sign : NULL;
}

/* Collective. Where waiting has rules, ranks that share no table need the service, also to see each
 * other's signs. */
static sct_status prepare_to_gather(sct_process *self) {
    bool ruled = sct_wait_is_ruled(&self->base.rules);
    sct_status status =
        ruled && sct_process_synchronises_by_messages(self) ? sct_process_serve(self) : SCT_OK;
    self->gathers_itself = ruled && self->base.size <= SCT_BARRIER_MOST_RANKS;
    return status;
}

/* Finds the node and the path to others. */
static sct_status find_others(sct_process *self, const sct_world_options *options) {
    sct_shared table = {.file = -1};
    sct_status status = sct_process_find_node(self, sct_ranks_per_node_asked(options), &table);
    if (status == SCT_OK) {
        status = sct_process_collective_create(self->base.size, &table, &self->collective);
        status = sct_process_all_have(self, status == SCT_OK);
    }
    if (status == SCT_OK)
        show_sign(self);
    if (status == SCT_OK && self->base.ranks_per_node < self->base.size)
        status = self->ops->choose_path(self);
    if (status == SCT_OK)
        status = prepare_to_gather(self);
    self->watched_ns = sct_now_coarse_ns();
    sct_shared_close(&table);
    return status;
}

sct_status sct_process_join(sct_process *first, size_t bytes, const sct_world_options *options,
                            sct_process **joined) {
    sct_process *self = malloc(bytes);
    sct_status status = sct_process_all_have(first, self != NULL);
    if (status != SCT_OK) {
        free(self);
        return status;
    }
    assert(self);
    memcpy(self, first, bytes);
    status = find_others(self, options);
    if (status == SCT_OK)
        *joined = self;
    else
        self->ops->discard(self);
    return status;
}

/* ---- Leaving ---- */

/* If the service of one has failed, all cancel theirs, since messages are left. */
void sct_process_leave(sct_process *self) {
    int sound = true;
    sct_process_announce_leaving(self);
    bool works = !self->service || sct_service_settle(self->service) == SCT_OK;
    if (self->service || sct_process_synchronises_by_messages(self))
        sound = sct_process_least(self, works, &sound) == SCT_OK && sound;
    if (self->service && !sound)
        sct_service_cancel(self->service);
    if (self->service && sct_service_reads_on(self->service))
        sct_process_segments_abandon(self->segments);
    sct_process_segments_free(self->segments);
    if (self->service)
        end_service(self);
}
