/* machine.c - a described machine: its properties, and the time of products and copies. */
#include "machine/machine.h"

#include "base/checked.h"
#include "base/near.h"

#include <limits.h>
#include <stdlib.h>

enum { AT_ONCE = 2 };

const char *sct_machine_name(const sct_machine *machine) {
    return machine->name;
}

const char *sct_machine_about(const sct_machine *machine) {
    return machine->about ? machine->about : "";
}

int sct_machine_ranks(const sct_machine *machine) {
    return (int)machine->ranks;
}

double sct_machine_peak(const sct_machine *machine, sct_type type) {
    return sct_type_valid(type) ? machine->peak[type] : 0;
}

/* Ranks that see the memory of one level see that of the levels below. */
int sct_machine_ranks_per_node(const sct_machine *machine) {
    int64_t ranks = 1;
    for (int i = 0; i < machine->levels && machine->level[i].in_place; i++)
        ranks = machine->level[i].ranks;
    return (int)ranks;
}

void sct_machine_destroy(sct_machine *machine) {
    if (!machine)
        return;
    free(machine->about);
    free(machine->notes);
    free(machine);
}

const sct_level *sct_machine_level(const sct_machine *machine, int rank, int other) {
    return &machine->level[sct_level_between(machine, INT_MAX, rank, other)];
}

bool sct_machine_by_rank(const sct_machine *machine, int rank, int other) {
    return rank == other ? machine->level->by_rank
                         : sct_machine_level(machine, rank, other)->by_rank;
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
    return machine->product + sct_larger(arithmetic, bytes / machine->memory);
}

/* Memory traffic per byte: a copy reads and writes; an addition also reads the target. */
enum { COPIED = 2, ADDED = 3 };

static double carry(const sct_level *level, double bytes, double share) {
    double rate = sct_smaller(sct_smaller(level->pair, level->port),
                              sct_smaller(level->uplink, level->total));
    return level->latency + bytes / (rate * share);
}

double sct_machine_copy(const sct_machine *machine, int rank, int other, double bytes) {
    if (rank == other)
        return COPIED * bytes / machine->memory;
    return carry(sct_machine_level(machine, rank, other), bytes, 1);
}

double sct_machine_accumulate(const sct_machine *machine, int rank, int other, double bytes) {
    if (rank == other)
        return ADDED * bytes / machine->memory;
    const sct_level *level = sct_machine_level(machine, rank, other);
    return carry(level, bytes, level->accumulate);
}

int64_t sct_level_group(const sct_machine *machine, int level, int ranks) {
    int64_t group = machine->level[level].ranks;
    bool all = level == machine->levels - 1 || group == 0;
    return all ? ranks : sct_min(group, ranks);
}

int sct_level_between(const sct_machine *machine, int ranks, int rank, int other) {
    int level = 0, last = machine->levels - 1; /* the last level contains all ranks */
    while (level < last && !sct_is_near(rank, other, (int)sct_level_group(machine, level, ranks)))
        level++;
    return level;
}

double sct_machine_at_once(const sct_machine *machine) {
    return machine->gets > 0 ? sct_smaller(AT_ONCE, machine->gets) : AT_ONCE;
}

double sct_level_rate(const sct_machine *machine, int level, int ranks) {
    const sct_level *l = &machine->level[level];
    double below = level > 0 ? (double)sct_level_group(machine, level - 1, ranks) : 1;
    double all = (double)sct_level_group(machine, level, ranks);
    return sct_smaller(sct_smaller(sct_machine_at_once(machine) * l->pair, l->port),
                       sct_smaller(l->uplink / below, l->total / all));
}
