/* machine.c - what a described machine takes for a product and for a copy between two ranks. */
#include "plan/machine.h"

#include <math.h>

const sct_level *sct_machine_level(const sct_machine *machine, int rank, int other) {
    const sct_level *level = machine->level;
    const sct_level *last = &machine->level[machine->levels - 1];
    while (level < last && level->ranks > 0 && rank / level->ranks != other / level->ranks)
        level++;
    return level;
}

double sct_machine_multiply(const sct_machine *machine, sct_type type, int64_t m, int64_t n,
                            int64_t k) {
    const int64_t size[SCT_DIMS] = {[SCT_DIM_M] = m, [SCT_DIM_N] = n, [SCT_DIM_K] = k};
    double rows = (double)m, cols = (double)n, inner = (double)k;
    double arithmetic = (sct_type_complex(type) ? 8 : 2) * rows * cols * inner /
                        (machine->peak[type] * machine->top);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        arithmetic *= 1 + machine->half[dim] / (double)size[dim];
    double bytes = (rows * inner + inner * cols + 2 * rows * cols) * (double)sct_type_bytes(type);
    return machine->product + fmax(arithmetic, bytes / machine->memory);
}

static double carry(const sct_machine *machine, int rank, int other, double bytes, double share) {
    if (rank == other)
        return bytes / machine->memory;
    const sct_level *level = sct_machine_level(machine, rank, other);
    double rate = fmin(fmin(level->pair, level->port), fmin(level->uplink, level->total));
    return level->latency + bytes / (rate * share);
}

double sct_machine_copy(const sct_machine *machine, int rank, int other, double bytes) {
    return carry(machine, rank, other, bytes, 1);
}

double sct_machine_accumulate(const sct_machine *machine, int rank, int other, double bytes) {
    double share = rank == other ? 1 : sct_machine_level(machine, rank, other)->accumulate;
    return carry(machine, rank, other, bytes, share);
}
