/* resources.c - numbers the resources, and finds those that a transfer uses. */
#include "order/resources.h"

#include "base/checked.h"

/* Numbering: first the single resources, then those of each level, then two links per rank. Of a
 * pair, the first is for what comes in, the second for what goes out. */
enum { MEMORY = SCT_RESOURCE_RANK + 1, UNDER_WAY, COMMON = UNDER_WAY + 2 };
enum { PORT, UPLINK = PORT + 2, TOTAL = UPLINK + 2, OF_LEVEL };

typedef struct use_list {
    sct_resource_use *use;
    int uses;
} use_list;

int64_t sct_resource_count(const sct_machine *machine, int ranks) {
    return COMMON + OF_LEVEL * (int64_t)machine->levels + 2 * (int64_t)ranks;
}

/* Each link adds its latency to the seconds that the bytes take. */
static void add(use_list *list, int64_t resource, double latency, double seconds) {
    if (seconds > 0)
        list->use[list->uses++] = (sct_resource_use){resource, latency + seconds};
}

/* The rank's own seconds for a transfer: processor time per byte, and the slowdown of products
 * while it accumulates. */
static double share_of_rank(const sct_machine *machine, const sct_level *level,
                            const sct_order_transfer *t, double alone) {
    double slowed = t->adds ? machine->slowed * (alone - level->latency) : 0;
    return t->bytes * level->processor + slowed;
}

static void add_links(const sct_machine *machine, const sct_level *level,
                      const sct_order_transfer *t, use_list *list) {
    int64_t first = COMMON + OF_LEVEL * (level - machine->level);
    int64_t pairs = COMMON + OF_LEVEL * (int64_t)machine->levels;
    double volume = t->adds ? t->bytes / level->accumulate : t->bytes, latency = level->latency;
    /* A port is no faster than the processor that serves it. */
    double port = sct_larger(volume / level->port, volume * level->processor);
    add(list, pairs + 2 * (int64_t)t->peer + t->adds, latency, volume / level->pair);
    add(list, first + PORT + t->adds, latency, port);
    add(list, first + UPLINK + t->adds, latency, volume / level->uplink);
    add(list, first + TOTAL, latency, volume / level->total);
}

int sct_transfer_uses(const sct_machine *machine, int rank, const sct_order_transfer *t,
                      sct_resource_use use[SCT_MAX_USES]) {
    use_list list = {.use = use};
    double alone = t->adds ? sct_machine_accumulate(machine, rank, t->peer, t->bytes)
                           : sct_machine_copy(machine, rank, t->peer, t->bytes);
    bool own = rank == t->peer, by_rank = sct_machine_by_rank(machine, rank, t->peer);
    const sct_level *level = own ? NULL : sct_machine_level(machine, rank, t->peer);
    int most = t->adds ? machine->accumulates : machine->gets;
    if (own)
        add(&list, MEMORY, 0, alone);
    else
        add_links(machine, level, t, &list);
    if (by_rank)
        add(&list, SCT_RESOURCE_RANK, 0, alone);
    else if (!own) {
        add(&list, SCT_RESOURCE_RANK, 0, share_of_rank(machine, level, t, alone));
        if (most > 0)
            add(&list, UNDER_WAY + t->adds, 0, alone / most);
    }
    return list.uses;
}
