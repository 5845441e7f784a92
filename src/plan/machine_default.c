/* machine_default.c - the machine that plans reckon with where none is described. */
#include "plan/machine.h"

#include <math.h>

/* Rates as measured on two cores of a virtual machine, threads of one BLAS call each. Strided
 * copies between ranks of a node run at half the speed of memory, additions at half of that. */
void sct_machine_default(int64_t ranks_per_node, struct sct_machine *machine) {
    *machine = (struct sct_machine){.name = "default",
                                    .peak = {[SCT_F32] = 100e9,
                                             [SCT_F64] = 50e9,
                                             [SCT_CF32] = 100e9,
                                             [SCT_CF64] = 50e9,
                                             [SCT_F16] = 100e9,
                                             [SCT_BF16] = 100e9},
                                    .top = 1,
                                    .memory = 24e9,
                                    .barrier = 1e-6,
                                    .levels = 2,
                                    .level = {{.ranks = ranks_per_node,
                                               .pair = 12e9,
                                               .port = INFINITY,
                                               .uplink = INFINITY,
                                               .total = INFINITY,
                                               .accumulate = 0.5,
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
