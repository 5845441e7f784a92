/* attach.c - lets the device of a rank use the parts of other ranks on its host, or on all hosts if
 * devices can do that. What it cannot use goes through the service. */
#include "fabric/device_processes/rank.h"

#include "fabric/machine.h"

#include <stdlib.h>

/* ---- Ranks beside each other ---- */

/* Where a rank is. */
typedef struct seat {
    uint64_t machine;
    int node;
    bool shares, spans_hosts;
} seat;

static bool are_beside(const seat *one, const seat *other) {
    bool same_host = one->machine == other->machine && one->node == other->node;
    return one->shares && other->shares && (same_host || (one->spans_hosts && other->spans_hosts));
}

static void compare(sct_device_process *self, const seat *seats) {
    for (int r = 0; r < self->upper.base.size; r++)
        for (int s = 0; s < self->upper.base.size; s++)
            if (r != s && are_beside(&seats[r], &seats[s])) {
                self->shares = true;
                self->beside[s] |= r == self->upper.base.rank;
            }
}

sct_status sct_device_process_find_beside(sct_device_process *self, int ranks_per_node) {
    sct_fabric *ranks = self->upper.ranks;
    size_t size = (size_t)ranks->size;
    seat mine = {.machine = sct_find_machine(),
                 .node = ranks_per_node > 0 ? ranks->rank / ranks_per_node : 0,
                 .shares = self->bounce.device->ops->share != NULL,
                 .spans_hosts = self->bounce.device->spans_hosts};
    seat *seats = calloc(size, sizeof *seats);
    self->beside = calloc(size, sizeof *self->beside);
    self->offers = calloc(size, sizeof *self->offers);
    bool all = seats && self->beside && self->offers;
    sct_status status =
        sct_fabric_agree(ranks, all ? SCT_OK : sct_no_memory("a fabric between devices"));
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, seats);
    if (!status)
        compare(self, seats);
    free(seats);
    return status;
}

/* ---- What ranks exchange about a segment ---- */

static bool is_empty(const sct_memory *block) {
    return block->lines == 0 || block->width == 0;
}

/* The bytes from the first block on to the end of the last, in memory; 0: there are none. */
static size_t find_range(int count, const sct_memory *blocks, char **start) {
    char *end = NULL;
    for (int i = 0; i < count; i++) {
        const sct_memory *block = &blocks[i];
        if (is_empty(block))
            continue;
        char *block_end = block->base + (size_t)(block->lines - 1) * block->pitch + block->width;
        *start = !end || block->base < *start ? block->base : *start;
        end = !end || block_end > end ? block_end : end;
    }
    return end ? (size_t)(end - *start) : 0;
}

static sct_device_process_offer make_offer(const sct_device_process *self, int count,
                                           const sct_memory *blocks) {
    sct_device *device = self->bounce.device;
    sct_device_process_offer made = {.count = count};
    if (count > 0)
        made.first = blocks[0];
    size_t bytes = find_range(count, blocks, &made.start);
    made.usable = bytes == 0 || device->ops->can_use(device, made.start);
    made.shared = bytes > 0 && made.usable && device->ops->share &&
                  device->ops->share(device, made.start, bytes, &made.handle);
    return made;
}

static int most_blocks(const sct_device_process *self) {
    int most = 0;
    for (int r = 0; r < self->upper.base.size; r++)
        most = self->offers[r].count > most ? self->offers[r].count : most;
    return most;
}

/* Collective: the blocks of all ranks, `most` of each. */
static sct_status exchange_blocks(sct_device_process *self, int most, const sct_memory *blocks,
                                  int count, sct_memory **all) {
    sct_fabric *ranks = self->upper.ranks;
    sct_memory *own = calloc((size_t)most, sizeof *own);
    *all = calloc((size_t)ranks->size * (size_t)most, sizeof **all);
    sct_status status =
        sct_fabric_agree(ranks, own && *all ? SCT_OK : sct_no_memory("the blocks of a segment"));
    for (int i = 0; i < count && !status; i++)
        own[i] = blocks[i];
    if (!status)
        status = ranks->ops->exchange(ranks, own, (size_t)most * sizeof *own, *all);
    free(own);
    return status;
}

/* ---- Attaching ---- */

/* Without memory for the blocks, they go through the service. Additions need more than moves. */
static sct_device_process_access attach(sct_device *device, const sct_device_process_offer *offer,
                                        const sct_memory *blocks) {
    sct_memory *made = malloc((size_t)offer->count * sizeof *made);
    char *memory = made ? device->ops->attach(device, &offer->handle) : NULL;
    if (!memory) {
        free(made);
        return (sct_device_process_access){.blocks = NULL};
    }
    for (int i = 0; i < offer->count; i++) {
        made[i] = blocks[i];
        made[i].base = memory;
        if (!is_empty(&blocks[i]))
            made[i].base += blocks[i].base - offer->start;
    }
    return (sct_device_process_access){made, device->ops->can_use(device, memory), memory};
}

/* Returns whether all that there is can be used. `blocks` has `most` of each rank; NULL: each has
 * at most one. */
static bool attach_others(sct_device_process *self, int most, const sct_memory *blocks,
                          sct_segment *segment) {
    bool all = true;
    for (int r = 0; r < self->upper.base.size; r++) {
        const sct_device_process_offer *offer = &self->offers[r];
        if (offer->shared && self->beside[r])
            segment->access[r] = attach(self->bounce.device, offer,
                                        blocks ? blocks + (size_t)r * (size_t)most : &offer->first);
        all = all && (segment->access[r].usable || (offer->usable && !offer->start));
    }
    return all;
}

sct_status sct_device_process_attach(sct_device_process *self, const sct_memory *blocks,
                                     sct_segment *segment) {
    sct_fabric *ranks = self->upper.ranks;
    sct_device_process_offer mine = make_offer(self, segment->count, blocks);
    sct_device_process_access *own = &segment->access[ranks->rank];
    *own = (sct_device_process_access){.blocks = ranks->ops->peer(segment->placed, ranks->rank),
                                       .usable = mine.usable};
    if (!self->shares) {
        self->upper.base.path = ranks->path;
        return SCT_OK;
    }
    sct_memory *all = NULL;
    sct_status status = ranks->ops->exchange(ranks, &mine, sizeof mine, self->offers);
    int most = status ? 0 : most_blocks(self);
    if (most > 1)
        status = exchange_blocks(self, most, blocks, segment->count, &all);
    if (!status && !attach_others(self, most, all, segment) && !self->bounce.device->spans_hosts)
        self->upper.base.path = ranks->path;
    free(all);
    return status;
}

void sct_device_process_detach(sct_segment *segment) {
    sct_device *device = segment->owner->bounce.device;
    for (int r = 0; r < segment->owner->upper.base.size; r++) {
        sct_device_process_access *access = &segment->access[r];
        if (!access->attached)
            continue;
        device->ops->detach(device, access->attached);
        free((void *)access->blocks);
        *access = (sct_device_process_access){.blocks = NULL};
    }
}
