/* workload.c - the time of a workload, if all ranks have the same. */
#include "cost/workload.h"

#include "base/checked.h"

#include <math.h>

/* Seconds of the transfers of one level. Transfers that the rank makes itself run one by one. */
static double transfer_seconds(const sct_machine *machine, int level, int ranks,
                               const sct_level_traffic *traffic) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks);
    double one = l->by_rank ? sct_smaller(l->pair, shared) : shared;
    double owner = sct_smaller(l->port, l->uplink);
    double got = traffic->got / one, added = traffic->added / (one * l->accumulate);
    double in = got + traffic->received / owner, out = added + traffic->served / owner;
    double busy = l->by_rank ? got + added : sct_larger(in, out);
    return busy + traffic->messages * l->latency / sct_machine_at_once(machine);
}

/* Seconds of the rank itself where it makes copies and additions: operands in place are read at
 * memory speed; contributions are stored in workspace and read again. */
static double seconds_by_rank(const sct_machine *machine, int level, int ranks,
                              const sct_level_traffic *traffic) {
    return transfer_seconds(machine, level, ranks, traffic) +
           (traffic->read + 2 * traffic->added) / machine->memory;
}

/* Seconds of the rank itself where hardware or other threads make transfers: operands in place are
 * read at link speed, each byte costs processor time at both ends, and accumulates slow products
 * down. */
static double seconds_beside(const sct_machine *machine, int level, int ranks,
                             const sct_level_traffic *traffic) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks), own = traffic->got + traffic->added;
    return traffic->read / shared +
           (own + sct_larger(own, traffic->served + traffic->received)) * l->processor +
           machine->slowed * traffic->added / (shared * l->accumulate);
}

double sct_workload_bytes(const sct_machine *machine, const sct_workload *work) {
    double sum = 0;
    for (int level = 0; level < machine->levels; level++) {
        const sct_level_traffic *traffic = &work->traffic[level];
        sum += traffic->read + traffic->got + traffic->added;
    }
    return sum;
}

double sct_workload_seconds(const sct_machine *machine, int ranks, const sct_workload *work) {
    double computing = work->computing + 2 * work->copied / machine->memory, communication = 0;
    bool shared = false;
    for (int level = 0; level < machine->levels; level++) {
        const sct_level_traffic *traffic = &work->traffic[level];
        if (machine->level[level].by_rank) {
            computing += seconds_by_rank(machine, level, ranks, traffic);
            continue;
        }
        computing += seconds_beside(machine, level, ranks, traffic);
        communication = sct_larger(communication, transfer_seconds(machine, level, ranks, traffic));
        shared |= traffic->got + traffic->added > 0 && isfinite(machine->level[level].uplink);
    }
    double longer = sct_larger(computing, communication);
    double with_both =
        sct_larger(computing + work->alone, communication + computing / sct_larger(work->steps, 1));
    double exposed = isfinite(longer) ? with_both - longer : 0;
    /* Ranks that share an uplink do not take turns, so it is idle at times, and they wait at
     * others: about so much in the simulator. */
    return (shared ? hypot(computing, communication) : longer) + exposed;
}
