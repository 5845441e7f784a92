/* machines.c - see machines.h. */
#include "support/machines.h"
#include "support/check.h"

#include <math.h>

sct_level make_level(int64_t ranks) {
    return (sct_level){.ranks = ranks,
                       .pair = INFINITY,
                       .port = INFINITY,
                       .uplink = INFINITY,
                       .total = INFINITY,
                       .accumulate = 1};
}

sct_machine make_machine(void) {
    sct_machine machine = {
        .name = "made up", .top = 1, .memory = INFINITY, .levels = 1, .level = {make_level(0)}};
    for (int type = 0; type < SCT_TYPES; type++)
        machine.peak[type] = 1 << 30;
    return machine;
}

/* Unlimited half of the time. */
static double random_rate(uint64_t *state) {
    return check_between(state, 0, 1) ? INFINITY : (double)check_between(state, 1, 1 << 20);
}

static sct_level random_level(uint64_t *state, int64_t ranks) {
    return (sct_level){.ranks = ranks,
                       .pair = random_rate(state),
                       .port = random_rate(state),
                       .uplink = random_rate(state),
                       .total = random_rate(state),
                       .latency = (double)check_between(state, 0, 3) * 1e-4,
                       .accumulate = 1.0 / (double)check_between(state, 1, 3),
                       .processor = (double)check_between(state, 0, 3) * 1e-7,
                       .by_rank = check_between(state, 0, 3) == 0};
}

sct_machine make_random_machine(uint64_t *state) {
    sct_machine machine = make_machine();
    machine.levels = (int)check_between(state, 1, 3);
    int64_t ranks = 1;
    for (int i = 0; i < machine.levels; i++) {
        ranks *= check_between(state, 1, 3);
        machine.level[i] = random_level(state, i == machine.levels - 1 ? 0 : ranks);
        bool below = i == 0 || machine.level[i - 1].in_place;
        machine.level[i].in_place = below && check_between(state, 0, 3) == 0;
    }
    machine.memory = random_rate(state);
    machine.product = (double)check_between(state, 0, 2) * 1e-5;
    machine.barrier = (double)check_between(state, 0, 2) * 1e-5;
    machine.slowed = (double)check_between(state, 0, 2) / 2;
    machine.gets = (int)check_between(state, 0, 2);
    machine.accumulates = (int)check_between(state, 0, 2);
    for (int type = 0; type < SCT_TYPES; type++)
        machine.peak[type] = 1 << 20;
    return machine;
}
