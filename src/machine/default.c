/* default.c - the default machine, used where none is described. */
#include "machine/machine.h"

#include <math.h>

/* Rates are those of machines/cluster.json in round numbers, measured as its notes say. The fixed
 * times of a product, a transfer and a barrier are rough. */
static const struct sct_machine plain = {
    .name = "plain",
    .peak = {[SCT_F32] = 100e9,
             [SCT_F64] = 50e9,
             [SCT_CF32] = 100e9,
             [SCT_CF64] = 50e9,
             [SCT_F16] = 100e9,
             [SCT_BF16] = 100e9},
    .top = 1,
    .half = {[SCT_DIM_M] = 12, [SCT_DIM_N] = 45, [SCT_DIM_K] = 5},
    .memory = 40e9,
    .panel = SCT_MACHINE_PANEL,
    .ahead = SCT_MACHINE_AHEAD,
    .product = 1e-6,
    .barrier = 1e-6,
    .levels = 2,
    .level = {{.pair = 10e9,
               .port = INFINITY,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 1e-6,
               .accumulate = 1,
               .in_place = true,
               .by_rank = true},
              {.pair = 119e6,
               .port = INFINITY,
               .uplink = 119e6,
               .total = INFINITY,
               .latency = 100e-6,
               .accumulate = 1,
               .processor = 0.32e-9}},
};

struct sct_machine sct_machine_default(int ranks_per_node) {
    struct sct_machine machine = plain;
    machine.level[0].ranks = ranks_per_node;
    return machine;
}
