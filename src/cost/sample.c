/* sample.c - how long a product takes, estimated from a sample of ranks.
 *
 * Ranks that share a link are looked at together, since each has only its share of it. */
#include "base/checked.h"
#include "cost/estimate.h"
#include "plan/constants.h"

#include <math.h>

int sct_sample_rank(int ranks, int sample, int place) {
    /* A stride without common divisors with grids, so that a sample is not all in one column. */
    const int64_t step = 2654435761;
    return sample < ranks ? (int)(place * step % ranks) : place;
}

/* The ranks of the largest groups that share a link, if they fit into a sample; otherwise 1. */
static int sharing(const sct_machine *machine, int ranks) {
    int64_t most = 1;
    for (int level = 1; level < machine->levels; level++)
        if (isfinite(machine->level[level].uplink))
            most = sct_max(most, sct_level_group(machine, level - 1, ranks));
    return most <= SCT_ESTIMATED_RANKS ? (int)most : 1;
}

/* Ranks of a group share the link that joins it to others: each gets its share of what all of them
 * move. Called with consecutive ranks, of which the first begins a group. */
static void share_links(const sct_machine *machine, int ranks, int count, sct_workload *workload) {
    for (int level = 1; level < machine->levels && count > 1; level++) {
        int group = (int)sct_level_group(machine, level - 1, ranks);
        for (int lo = 0; lo < count && isfinite(machine->level[level].uplink); lo += group) {
            int hi = (int)sct_min(lo + group, count);
            sct_level_traffic sum = {.got = 0};
            for (int rank = lo; rank < hi; rank++) {
                const sct_level_traffic *t = &workload[rank].traffic[level];
                sum.got += t->got / group;
                sum.added += t->added / group;
                sum.served += t->served;
                sum.received += t->received;
            }
            for (int rank = lo; rank < hi; rank++) {
                sct_level_traffic *t = &workload[rank].traffic[level];
                sum.read = t->read;
                sum.messages = t->messages;
                *t = sum;
            }
        }
    }
}

double sct_estimate_weight(sct_estimate estimate) {
    return estimate.slowest + sct_estimate_beside * estimate.moving;
}

/* Looks at ranks `first` and following. */
static void add_ranks(const sct_product *product, const sct_machine *machine,
                      const sct_work_layout *work, int first, int count, sct_judgements *judgements,
                      sct_estimate *estimate) {
    sct_workload workload[SCT_ESTIMATED_RANKS];
    for (int i = 0; i < count; i++) {
        int rank = first + i;
        workload[i] = (sct_workload){.computing = 0};
        sct_workload_add_product(product, machine, work, rank, judgements, &workload[i]);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (!sct_work_keeps(work, matrix))
                sct_workload_add_moving(product, machine, work, matrix, rank, &workload[i]);
    }
    share_links(machine, product->ranks, count, workload);
    for (int i = 0; i < count; i++) {
        double seconds = sct_workload_seconds(machine, product->ranks, &workload[i]);
        estimate->slowest = sct_larger(estimate->slowest, seconds);
        workload[i].computing = workload[i].alone = 0;
        double moving = sct_workload_seconds(machine, product->ranks, &workload[i]);
        estimate->moving = sct_larger(estimate->moving, moving);
    }
}

sct_estimate sct_estimate_find(const sct_product *product, const sct_machine *machine,
                               const sct_work_layout *work, double most) {
    int ranks = product->ranks, group = sharing(machine, ranks), groups = (ranks - 1) / group + 1;
    int sample = ranks > SCT_ESTIMATED_RANKS ? SCT_ESTIMATED_RANKS / group : groups;
    sct_estimate estimate = {0, 0};
    sct_judgements judgements = {.count = 0};
    for (int i = 0; i < sample && sct_estimate_weight(estimate) <= most; i++) {
        int first = sct_sample_rank(groups, sample, i) * group;
        add_ranks(product, machine, work, first, (int)sct_min(group, ranks - first), &judgements,
                  &estimate);
    }
    return estimate;
}
