/* resources.c - numbers channels, and finds those of a transfer. */
#include "order/resources.h"

#include <math.h>

/* First those that there are once; then, for each level, these; then two for each rank. Of two
 * channels the first goes in, the second out. */
enum { MEMORY = SCT_CHANNEL_RANK + 1, UNDER_WAY, COMMON = UNDER_WAY + 2 };
enum { PORT, UPLINK = PORT + 2, TOTAL = UPLINK + 2, OF_LEVEL };

typedef struct bill {
    sct_toll *toll;
    int tolls;
} bill;

int64_t sct_channels(const sct_machine *machine, int ranks) {
    return COMMON + OF_LEVEL * (int64_t)machine->levels + 2 * (int64_t)ranks;
}

static void charge(bill *b, int64_t channel, double seconds) {
    if (seconds > 0)
        b->toll[b->tolls++] = (sct_toll){channel, seconds};
}

/* A rank's time for each byte is what the transfer takes of its products; so is, while it adds,
 * what they are slowed by. */
static double beside(const sct_machine *machine, const sct_level *level, const sct_transfer *t,
                     double alone) {
    double slowed = t->adds ? machine->slowed * (alone - level->latency) : 0;
    return t->bytes * level->processor + slowed;
}

static void charge_link(bill *b, int64_t channel, double latency, double seconds) {
    if (seconds > 0)
        charge(b, channel, latency + seconds);
}

static void charge_links(const sct_machine *machine, const sct_level *level, const sct_transfer *t,
                         bill *b) {
    int64_t first = COMMON + OF_LEVEL * (level - machine->level);
    int64_t pairs = COMMON + OF_LEVEL * (int64_t)machine->levels;
    double volume = t->adds ? t->bytes / level->accumulate : t->bytes, latency = level->latency;
    /* An end that spends all of its time on what comes and goes can do no more. */
    double port = fmax(volume / level->port, volume * level->processor);
    charge_link(b, pairs + 2 * (int64_t)t->peer + t->adds, latency, volume / level->pair);
    charge_link(b, first + PORT + t->adds, latency, port);
    charge_link(b, first + UPLINK + t->adds, latency, volume / level->uplink);
    charge_link(b, first + TOTAL, latency, volume / level->total);
}

int sct_transfer_tolls(const sct_machine *machine, int rank, const sct_transfer *t,
                       sct_toll toll[SCT_MOST_TOLLS]) {
    bill b = {.toll = toll};
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
        charge(&b, SCT_CHANNEL_RANK, alone);
    else if (!own) {
        charge(&b, SCT_CHANNEL_RANK, beside(machine, level, t, alone));
        if (most > 0)
            charge(&b, UNDER_WAY + t->adds, alone / most);
    }
    return b.tolls;
}
