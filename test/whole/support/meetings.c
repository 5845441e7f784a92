/* meetings.c - puts operations that count in front of the fabric's own. */
#include "whole/support/meetings.h"

static _Thread_local const sct_fabric_ops *real;
static _Thread_local sct_fabric_ops counting;
static _Thread_local int met;

static sct_status count_barrier(sct_fabric *fabric) {
    met++;
    return real->barrier(fabric);
}

static sct_status count_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    met++;
    return real->exchange(fabric, mine, bytes, all);
}

static sct_status count_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words,
                               size_t count) {
    met++;
    return real->reduce(fabric, how, words, count);
}

sct_fabric_ops *meetings_count(sct_fabric *fabric) {
    counting = *(real = fabric->ops);
    counting.barrier = count_barrier;
    counting.exchange = count_exchange;
    counting.reduce = count_reduce;
    fabric->ops = &counting;
    met = 0;
    return &counting;
}

void meetings_end(sct_fabric *fabric) {
    fabric->ops = real;
}

int meetings_counted(void) {
    int counted = met;
    met = 0;
    return counted;
}
