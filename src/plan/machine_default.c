/* machine_default.c - the machine that plans reckon with where none is described. */
#include "plan/machine.h"

#include <math.h>

/* As machines/cluster.json, in round numbers, but for what depends on the shapes of products. */
void sct_machine_default(int64_t ranks_per_node, struct sct_machine *machine) {
    *machine = (struct sct_machine){.name = "default",
                                    .peak = {[SCT_F32] = 100e9,
                                             [SCT_F64] = 50e9,
                                             [SCT_CF32] = 100e9,
                                             [SCT_CF64] = 50e9,
                                             [SCT_F16] = 100e9,
                                             [SCT_BF16] = 100e9},
                                    .top = 1,
                                    .memory = 40e9,
                                    .barrier = 1e-6,
                                    .levels = 2,
                                    .level = {{.ranks = ranks_per_node,
                                               .pair = 10e9,
                                               .port = INFINITY,
                                               .uplink = INFINITY,
                                               .total = INFINITY,
                                               .accumulate = 1,
                                               .in_place = true,
                                               .by_rank = true},
                                              {.pair = 119e6,
                                               .port = INFINITY,
                                               .uplink = 119e6,
                                               .total = INFINITY,
                                               .latency = 100e-6,
                                               .accumulate = 1,
                                               .processor = 0.32e-9}}};
}
