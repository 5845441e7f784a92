/* resources.c - numbers the resources, and finds those that a transfer uses. */
#include "order/resources.h"

#include <math.h>

/* Numbering: single resources, then these per level, then two per rank. Of each pair, the first is
 * incoming, the second outgoing. */
enum { MEMORY = SCT_RESOURCE_RANK + 1, UNDER_WAY, COMMON = UNDER_WAY + 2 };
enum { PORT, UPLINK = PORT + 2, TOTAL = UPLINK + 2, OF_LEVEL };

typedef struct bill {
    sct_resource_use *use;
    int uses;
} bill;

int64_t sct_resource_count(const sct_machine *machine, int ranks) {
    return COMMON + OF_LEVEL * (int64_t)machine->levels + 2 * (int64_t)ranks;
}

static void charge(bill *b, int64_t resource, double seconds) {
    if (seconds > 0)
        b->use[b->uses++] = (sct_resource_use){resource, seconds};
}

/* The rank's own seconds for a transfer: processor time per byte, and the slowdown of products
 * while it accumulates. */
static double beside(const sct_machine *machine, const sct_level *level, const sct_transfer *t,
                     double alone) {
    double slowed = t->adds ? machine->slowed * (alone - level->latency) : 0;
    return t->bytes * level->processor + slowed;
}

static void charge_link(bill *b, int64_t resource, double latency, double seconds) {
    if (seconds > 0)
        charge(b, resource, latency + seconds);
}

static void charge_links(const sct_machine *machine, const sct_level *level, const sct_transfer *t,
                         bill *b) {
    int64_t first = COMMON + OF_LEVEL * (level - machine->level);
    int64_t pairs = COMMON + OF_LEVEL * (int64_t)machine->levels;
    double volume = t->adds ? t->bytes / level->accumulate : t->bytes, latency = level->latency;
    /* A port is no faster than the processor that serves it. */
    double port = fmax(volume / level->port, volume * level->processor);
    charge_link(b, pairs + 2 * (int64_t)t->peer + t->adds, latency, volume / level->pair);
    charge_link(b, first + PORT + t->adds, latency, port);
    charge_link(b, first + UPLINK + t->adds, latency, volume / level->uplink);
    charge_link(b, first + TOTAL, latency, volume / level->total);
}

int sct_transfer_uses(const sct_machine *machine, int rank, const sct_transfer *t,
                      sct_resource_use use[SCT_MAX_USES]) {
    bill b = {.use = use};
    double alone = t->adds ? sct_machine_accumulate(machine, rank, t->peer, t->bytes)
                           : sct_machine_copy(machine, rank, t->peer, t->bytes);
    bool own = rank == t->peer, by_rank = sct_machine_by_rank(machine, rank, t->peer);
    const sct_level *level = own ? NULL : sct_machine_level(machine, rank, t->peer);
    int most = t->adds ? machine->accumulates : machine->gets;
    if (own)
        charge(&b, MEMORY, alone);
    else
        charge_links(machine, level, t, &b);
    if (by_rank)
        charge(&b, SCT_RESOURCE_RANK, alone);
    else if (!own) {
        charge(&b, SCT_RESOURCE_RANK, beside(machine, level, t, alone));
        if (most > 0)
            charge(&b, UNDER_WAY + t->adds, alone / most);
    }
    return b.uses;
}
