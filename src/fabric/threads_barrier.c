/* threads_barrier.c - a barrier that counts generations: spins while it may, then sleeps.
 *
 * The last to arrive begins a new generation. The others spin for as long as each has a core of its
 * own, then yield a few times, and then sleep on the generation in the kernel. */
#include "fabric/threads_barrier.h"

#include "fabric/pause.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPINS = 2000, /* some tens of microseconds: what it costs to sleep and be woken */
    YIELDS = 4,
    CACHE_LINE = 64
};

/* Those who spin read `generation` only: those who arrive must not take that line from them. */
struct sct_barrier {
    int ranks, spins;
    atomic_int users;
    _Alignas(CACHE_LINE) atomic_int arrived;
    _Alignas(CACHE_LINE) atomic_uint generation;
    atomic_int sleepers;
};

sct_status sct_barrier_create(int ranks, int busy, sct_barrier **barrier) {
    sct_barrier *made = aligned_alloc(CACHE_LINE, sizeof *made);
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory for a barrier of %d ranks", ranks);
    made->ranks = ranks;
    made->spins = busy <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    atomic_init(&made->users, 1);
    atomic_init(&made->arrived, 0);
    atomic_init(&made->generation, 0);
    atomic_init(&made->sleepers, 0);
    *barrier = made;
    return SCT_OK;
}

void sct_barrier_join(sct_barrier *barrier) {
    atomic_fetch_add(&barrier->users, 1);
}

static bool passed(sct_barrier *barrier, unsigned generation) {
    return atomic_load_explicit(&barrier->generation, memory_order_acquire) != generation;
}

static void await(sct_barrier *barrier, unsigned generation) {
    for (int i = 0; i < barrier->spins; i++) {
        if (passed(barrier, generation))
            return;
        sct_pause();
    }
    for (int i = 0; i < YIELDS; i++) {
        if (passed(barrier, generation))
            return;
        sched_yield();
    }
    atomic_fetch_add(&barrier->sleepers, 1);
    while (!passed(barrier, generation))
        syscall(SYS_futex, &barrier->generation, FUTEX_WAIT_PRIVATE, generation, NULL, NULL, 0);
    atomic_fetch_sub(&barrier->sleepers, 1);
}

void sct_barrier_wait(sct_barrier *barrier) {
    unsigned generation = atomic_load_explicit(&barrier->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 <
        barrier->ranks) {
        await(barrier, generation);
        return;
    }
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    /* Sequentially consistent, as is the count of sleepers: either this thread sees a sleeper, or
     * that one sees the new generation and does not sleep. */
    atomic_store(&barrier->generation, generation + 1);
    if (atomic_load(&barrier->sleepers) > 0)
        syscall(SYS_futex, &barrier->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void sct_barrier_leave(sct_barrier *barrier) {
    if (atomic_fetch_sub(&barrier->users, 1) == 1)
        free(barrier);
}
