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

/* Rates and times are those of machines/h100x8.json, whose notes say where they are from. Those
 * between ranks that share a GPU, and `half`, were measured on an H100 (docs/results/gpu.md). */
static const struct sct_machine gpus_of_ranks = {
    .name = "gpus",
    .peak = {[SCT_F32] = 67e12,
             [SCT_F64] = 67e12,
             [SCT_CF32] = 67e12,
             [SCT_CF64] = 67e12,
             [SCT_F16] = 989e12,
             [SCT_BF16] = 989e12},
    .top = 0.71,
    .half = {[SCT_DIM_M] = 57, [SCT_DIM_N] = 52, [SCT_DIM_K] = 79},
    .memory = 3.35e12,
    .panel = SCT_MACHINE_PANEL,
    .ahead = SCT_MACHINE_AHEAD,
    .product = 5e-6,
    .barrier = 5e-6,
    .slowed = 0.41,
    .levels = 2,
    .level = {{.pair = 1.4e12,
               .port = INFINITY,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 5e-6,
               .accumulate = 0.5,
               .in_place = true,
               .by_rank = true},
              {.pair = 450e9,
               .port = 450e9,
               .uplink = INFINITY,
               .total = INFINITY,
               .latency = 5e-6,
               .accumulate = 0.8}},
};

struct sct_machine sct_machine_default(int ranks_per_node, bool gpus) {
    struct sct_machine machine = gpus ? gpus_of_ranks : plain;
    machine.level[0].ranks = ranks_per_node;
    return machine;
}
