/* machine_plain.c - the machine that is assumed where none is named: a few cores to a node, 1
 * Gbit/s between nodes. */
#include "plan/machine.h"

#include <math.h>

static const struct sct_machine plain = {
    .name = "plain",
    .peak = {[SCT_F32] = 100e9,
             [SCT_F64] = 50e9,
             [SCT_CF32] = 100e9,
             [SCT_CF64] = 50e9,
             [SCT_F16] = 100e9,
             [SCT_BF16] = 100e9},
    .top = 1,
    .half = {[SCT_DIM_M] = 8, [SCT_DIM_K] = 16, [SCT_DIM_N] = 8},
    .memory = 10e9,
    .product = 1e-6,
    .levels = 2,
    .level = {{.pair = 5e9,
               .port = INFINITY,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 1e-6,
               .accumulate = 0.5,
               .in_place = true,
               .by_rank = true},
              {.pair = 119e6,
               .port = 119e6,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 1e-4,
               .accumulate = 1}},
};

struct sct_machine sct_machine_plain(int ranks_per_node) {
    struct sct_machine machine = plain;
    machine.level[0].ranks = ranks_per_node;
    return machine;
}
