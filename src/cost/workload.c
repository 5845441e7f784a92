/* workload.c - how long a rank takes for what it has to do, if all have as much. */
#include "cost/workload.h"

#include "base/checked.h"

#include <math.h>

/* Seconds that the transfers of one level take. What a rank does itself it does one by one. */
static double moving(const sct_machine *machine, int level, int ranks, const sct_flow *flow) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks);
    double one = l->by_rank ? fmin(l->pair, shared) : shared;
    double in = flow->got / one + flow->added / (one * l->accumulate);
    double out = flow->given / fmin(l->port, l->uplink);
    return fmax(in, out) + flow->messages * l->latency / sct_machine_at_once(machine);
}

/* Seconds of the rank's own time beside products, where it copies and adds itself: what lies in
 * place is read as fast as memory gives it; what is added is first stored apart and read again. */
static double busy_itself(const sct_machine *machine, int level, int ranks, const sct_flow *flow) {
    return moving(machine, level, ranks, flow) + (flow->read + 2 * flow->added) / machine->memory;
}

/* Where others do: what lies in place is read at the rate of the link; each byte takes time at both
 * ends; and additions slow products. */
static double busy_beside(const sct_machine *machine, int level, int ranks, const sct_flow *flow) {
    const sct_level *l = &machine->level[level];
    double shared = sct_level_rate(machine, level, ranks), own = flow->got + flow->added;
    return flow->read / shared + (own + fmax(own, flow->given)) * l->processor +
           machine->slowed * flow->added / (shared * l->accumulate);
}

double sct_load_bytes(const sct_machine *machine, const sct_load *load) {
    double sum = 0;
    for (int level = 0; level < machine->levels; level++) {
        const sct_flow *flow = &load->flow[level];
        sum += flow->read + flow->got + flow->added;
    }
    return sum;
}

double sct_load_seconds(const sct_machine *machine, int ranks, const sct_load *load) {
    double computing = load->computing + 2 * load->copied / machine->memory, communication = 0;
    for (int level = 0; level < machine->levels; level++) {
        const sct_flow *flow = &load->flow[level];
        if (machine->level[level].by_rank) {
            computing += busy_itself(machine, level, ranks, flow);
            continue;
        }
        computing += busy_beside(machine, level, ranks, flow);
        communication = fmax(communication, moving(machine, level, ranks, flow));
    }
    /* The first transfer, or the last, has nothing to hide behind. */
    double exposed = fmin(computing, communication) / fmax(load->steps, 1);
    return fmax(computing, communication) + exposed;
}
