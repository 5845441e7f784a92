/* transfer.c - runs a copy or an addition. An addition locks the bands that it touches, one by one.
 *
 * A process may be killed while it holds a lock in memory that others share. Whoever waits for the
 * lock then takes it over: what the band holds no longer matters, since the world has failed. */
#include "fabric/transfer.h"

#include "base/checked.h"
#include "base/strided.h"
#include "fabric/backoff.h"
#include "fabric/machine.h"

#include <assert.h>
#include <sched.h>
#include <unistd.h>

/* Frees a lock if its holder has ended. */
static void band_recover(atomic_int *taken) {
    int holder = atomic_load_explicit(taken, memory_order_relaxed);
    if (holder && sct_has_ended(holder, 0))
        atomic_compare_exchange_strong(taken, &holder, 0);
}

/* False if the addition is dropped. */
static bool band_lock(atomic_int *taken, pid_t self, const sct_lock_wait *wait) {
    enum { SPINS = 200, OFTEN = 2000 };
    int spins = 0, nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(taken, &nobody, self, memory_order_acquire,
                                                  memory_order_relaxed)) {
        nobody = 0;
        /* Reading first leaves the cache line with the holder. */
        while (atomic_load_explicit(taken, memory_order_relaxed)) {
            if (spins++ < SPINS)
                sct_pause();
            else
                sched_yield();
            if (spins % OFTEN == 0)
                band_recover(taken);
            if (spins % OFTEN == 0 && wait && !wait->continues(wait->context))
                return false;
        }
    }
    return true;
}

static void band_unlock(atomic_int *taken) {
    atomic_store_explicit(taken, 0, memory_order_release);
}

void sct_transfer_add_lines(void *ignored, const sct_transfer *lines) {
    (void)ignored;
    size_t bytes = sct_type_bytes(lines->type);
    sct_strided_add(lines->type, lines->lines, (int64_t)(lines->width / bytes), lines->from,
                    (int64_t)(lines->from_pitch / bytes), lines->to,
                    (int64_t)(lines->to_pitch / bytes));
}

sct_transfer sct_transfer_part(const sct_transfer *transfer, const sct_rectangle *rectangle) {
    sct_transfer part = *transfer;
    part.from += sct_rectangle_offset(rectangle, transfer->from_pitch);
    part.to += sct_rectangle_offset(rectangle, transfer->to_pitch);
    part.line += rectangle->line;
    part.lines = rectangle->lines;
    part.width = rectangle->width;
    return part;
}

void sct_transfer_add(const sct_transfer *transfer, sct_add_lines *add, void *adder) {
    int64_t end = transfer->line + transfer->lines;
    int64_t height = (transfer->block_lines - 1) / SCT_BANDS + 1;
    int64_t first = transfer->line / height;
    int64_t touched = (end - 1) / height + 1 - first;
    pid_t holder = getpid();
    for (int64_t i = 0; i < touched; i++) {
        int64_t band = first + (transfer->turn % touched + i) % touched;
        int64_t lo = sct_max(transfer->line, band * height), hi = sct_min(end, (band + 1) * height);
        sct_rectangle of_band = {lo - transfer->line, 0, hi - lo, transfer->width};
        sct_transfer lines = sct_transfer_part(transfer, &of_band);
        if (!band_lock(&transfer->bands->taken[band], holder, transfer->wait))
            return;
        add(adder, &lines);
        band_unlock(&transfer->bands->taken[band]);
    }
}

static char *address(const sct_memory *block, const sct_rectangle *part) {
    assert(part->line >= 0 && part->lines <= block->lines - part->line);
    assert(part->byte <= block->width && part->width <= block->width - part->byte);
    return block->base + sct_rectangle_offset(part, block->pitch);
}

sct_transfer sct_transfer_get(const sct_memory *block, const sct_rectangle *part, void *to,
                              size_t pitch) {
    return (sct_transfer){.from = address(block, part),
                          .from_pitch = block->pitch,
                          .to = to,
                          .to_pitch = pitch,
                          .lines = part->lines,
                          .width = part->width};
}

sct_transfer sct_transfer_accumulate(const sct_memory *block, sct_bands *bands,
                                     const sct_rectangle *part, sct_type type, const void *from,
                                     size_t pitch, int turn) {
    return (sct_transfer){.from = from,
                          .from_pitch = pitch,
                          .to = address(block, part),
                          .to_pitch = block->pitch,
                          .lines = part->lines,
                          .width = part->width,
                          .bands = bands,
                          .type = type,
                          .line = part->line,
                          .block_lines = block->lines,
                          .turn = turn};
}

void sct_transfer_run(const sct_transfer *transfer) {
    assert(transfer->lines > 0);
    if (transfer->bands)
        sct_transfer_add(transfer, sct_transfer_add_lines, NULL);
    else
        sct_strided_move(transfer->lines, transfer->width, transfer->from, transfer->from_pitch,
                         transfer->to, transfer->to_pitch);
}
