/* threads_several_nodes.c - the rules of fabrics, on threads that act as ranks of several nodes. */
#include "rules/threads_fabric.h"
#include "support/check.h"

/* With delays transfers overtake each other; without, they collide more often. */
static void run(int ranks, int ranks_per_node, int wrapped_alone, uint64_t seed) {
    for (int delay_us = 0; delay_us <= 30; delay_us += 30) {
        emulated_options options = {.host = 1,
                                    .ranks_per_node = ranks_per_node,
                                    .seed = seed,
                                    .delay_us = delay_us,
                                    .wrapped_alone = wrapped_alone};
        threads_fabric_rules(ranks, &options, seed);
        seed++;
    }
}

int main(void) {
    const int ranks[] = {2, 3, 4, 7};
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 4; i++) {
        for (int near = 1; near <= 3 && near < ranks[i]; near++) {
            emulated_options at_once = {.ranks_per_node = near};
            threads_fabric_rules(ranks[i], &at_once, seed);
            run(ranks[i], near, near == 2, seed + (uint64_t)near * 10);
        }
        run(ranks[i], 0, 1, seed + 50);
    }
    return check_report("threads_several_nodes");
}
