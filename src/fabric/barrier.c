/* barrier.c - a barrier that counts generations: it spins if it may, then sleeps.
 *
 * The last thread to arrive starts a new generation. The others spin while each thread has a core
 * of its own, then yield a few times, and then sleep on the generation in the kernel. The lowest
 * bit of the generation marks the barrier as broken, so that waiting threads look at one word only.
 * A thread that leaves breaks the barrier without arriving, so no thread passes. */
#include "fabric/barrier.h"

#include "fabric/backoff.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SPINS = 2000, /* some tens of microseconds, the cost of sleeping and waking up */
    YIELDS = 4,
    CACHE_LINE = 64
};

enum { BROKEN = 1, NEXT = 2 }; /* bits of the generation */

enum { NOTHING = -1 }; /* no cause */

/* The cause in the lower half, and why in the upper one: they are set together. */
static int64_t pack_cause(int cause, int why) {
    return (int64_t)((uint64_t)(uint32_t)why << 32 | (uint32_t)cause);
}

/* Spinning threads read `generation` only; arriving threads must not invalidate its cache line. */
struct sct_barrier {
    int ranks, spins;
    int futex_flags;
    atomic_int users;
    atomic_uint retired;
    atomic_int_fast64_t cause;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t arrived;
    _Alignas(CACHE_LINE) atomic_uint generation;
    atomic_int sleepers;
};

size_t sct_barrier_bytes(void) {
    return sizeof(sct_barrier);
}

static void prepare(sct_barrier *barrier, int ranks, int busy, int futex_flags) {
    barrier->ranks = ranks;
    barrier->spins = busy <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    barrier->futex_flags = futex_flags;
    atomic_init(&barrier->users, ranks);
    atomic_init(&barrier->cause, pack_cause(NOTHING, SCT_HAS_LEFT));
    atomic_init(&barrier->retired, 0);
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->generation, 0);
    atomic_init(&barrier->sleepers, 0);
}

sct_barrier *sct_barrier_place(void *memory, int ranks, int busy) {
    prepare(memory, ranks, busy, 0);
    return memory;
}

sct_status sct_barrier_create(int ranks, int busy, sct_barrier **barrier) {
    sct_barrier *made = aligned_alloc(CACHE_LINE, sizeof *made);
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory for a barrier of %d ranks", ranks);
    prepare(made, ranks, busy, FUTEX_PRIVATE_FLAG);
    *barrier = made;
    return SCT_OK;
}

void sct_barrier_free(sct_barrier *barrier) {
    free(barrier);
}

/* Without a limit if that is NULL. */
static void sleep_while(sct_barrier *barrier, atomic_uint *word, unsigned value,
                        const struct timespec *limit) {
    syscall(SYS_futex, word, FUTEX_WAIT | barrier->futex_flags, value, limit, NULL, 0);
}

static void wake_all(sct_barrier *barrier, atomic_uint *word) {
    syscall(SYS_futex, word, FUTEX_WAKE | barrier->futex_flags, INT_MAX, NULL, NULL, 0);
}

/* ---- Waiting ---- */

/* What one arrival adds to the word: to the count of all arrivals, and to that of its kind of call.
 */
static uint64_t weight_of(sct_barrier_call call) {
    enum { BITS = 16 };
    return 1 + ((uint64_t)1 << (BITS * (1 + (unsigned)call)));
}

static int count_of(uint64_t arrived) {
    return (int)(arrived & UINT16_MAX);
}

static bool changed(sct_barrier *barrier, unsigned generation) {
    return atomic_load_explicit(&barrier->generation, memory_order_acquire) != generation;
}

static void sleep_until_changed(sct_barrier *barrier, unsigned generation,
                                const sct_wait_hook *watcher) {
    const struct timespec second = {.tv_sec = 1};
    while (!changed(barrier, generation)) {
        sleep_while(barrier, &barrier->generation, generation, watcher ? &second : NULL);
        if (watcher && !changed(barrier, generation))
            watcher->watch(watcher->context);
    }
}

static void await(sct_barrier *barrier, unsigned generation, const sct_wait_hook *hook) {
    for (int i = 0; i < barrier->spins; i++) {
        if (changed(barrier, generation))
            return;
        sct_pause();
    }
    while (hook && hook->idle && !changed(barrier, generation))
        hook->idle(hook->context);
    for (int i = 0; i < YIELDS; i++) {
        if (changed(barrier, generation))
            return;
        sched_yield();
    }
    atomic_fetch_add(&barrier->sleepers, 1);
    sleep_until_changed(barrier, generation, hook && hook->watch ? hook : NULL);
    atomic_fetch_sub(&barrier->sleepers, 1);
}

/* Sequentially consistent, like the count of sleepers: either this thread sees a sleeper, or that
 * one sees the new generation and does not sleep. */
static void wake_sleepers(sct_barrier *barrier) {
    if (atomic_load(&barrier->sleepers) > 0)
        wake_all(barrier, &barrier->generation);
}

static void break_for(sct_barrier *barrier, int cause, int why) {
    int_fast64_t nothing = pack_cause(NOTHING, SCT_HAS_LEFT);
    atomic_compare_exchange_strong(&barrier->cause, &nothing, pack_cause(cause, why));
    atomic_fetch_or(&barrier->generation, BROKEN);
    wake_sleepers(barrier);
}

/* False if the barrier has been broken meanwhile: a rank that had arrived was killed, and another
 * saw it. All then get that answer. */
static bool start_generation(sct_barrier *barrier, unsigned after) {
    bool met = atomic_compare_exchange_strong(&barrier->generation, &after, after + NEXT);
    if (met)
        wake_sleepers(barrier);
    return met;
}

bool sct_barrier_wait(sct_barrier *barrier, sct_barrier_call call, const sct_wait_hook *hook) {
    unsigned generation = atomic_load_explicit(&barrier->generation, memory_order_acquire);
    if (generation & BROKEN)
        return false;
    uint64_t weight = weight_of(call);
    uint64_t arrived =
        atomic_fetch_add_explicit(&barrier->arrived, weight, memory_order_acq_rel) + weight;
    if (count_of(arrived) < barrier->ranks) {
        await(barrier, generation, hook);
        return atomic_load_explicit(&barrier->generation, memory_order_acquire) !=
               (generation | BROKEN);
    }
    if (arrived != weight * (uint64_t)barrier->ranks) {
        break_for(barrier, SCT_DIFFERENT_CALLS, SCT_HAS_LEFT);
        return false;
    }
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    return start_generation(barrier, generation);
}

/* ---- Breaking ---- */

bool sct_barrier_broken(sct_barrier *barrier) {
    return atomic_load_explicit(&barrier->generation, memory_order_acquire) & BROKEN;
}

sct_status sct_barrier_failure(sct_barrier *barrier) {
    uint64_t cause = (uint64_t)atomic_load(&barrier->cause);
    return sct_rendezvous_failure((int32_t)cause, (int32_t)(cause >> 32));
}

sct_status sct_rendezvous_failure(int cause, int why) {
    return cause == SCT_DIFFERENT_CALLS
               ? sct_fail(SCT_DISAGREE, "the ranks made different collective calls")
               : sct_rank_failure(cause, why);
}

void sct_barrier_disagree(sct_barrier *barrier) {
    break_for(barrier, SCT_DIFFERENT_CALLS, SCT_HAS_LEFT);
}

void sct_barrier_break(sct_barrier *barrier, int rank, int why) {
    break_for(barrier, rank, why);
}

void sct_barrier_retire(sct_barrier *barrier) {
    if (atomic_fetch_add(&barrier->retired, 1) + 1 == (unsigned)barrier->ranks)
        wake_all(barrier, &barrier->retired);
}

void sct_barrier_await_retired(sct_barrier *barrier) {
    unsigned retired;
    while ((retired = atomic_load(&barrier->retired)) < (unsigned)barrier->ranks)
        sleep_while(barrier, &barrier->retired, retired, NULL);
}

bool sct_barrier_leave(sct_barrier *barrier) {
    return atomic_fetch_sub(&barrier->users, 1) == 1;
}
