/* calls.c - counts calls, has chosen ones fail, and knows the emulated machine. */
#include "cuda/state.h"

#include "support/check.h"

#include <stdatomic.h>

static stand_in_machine emulated;
static atomic_llong counts[CALLS], things, fails_at;
static atomic_llong most_blocks, most_threads;
static atomic_int fails;
static atomic_bool has_failed;
static _Thread_local int device;
static _Thread_local cudaError_t failure;

const stand_in_machine *machine(void) {
    return &emulated;
}

void stand_in_start(stand_in_machine machine) {
    emulated = machine;
    if (!emulated.major)
        emulated.major = 8;
    for (int i = 0; i < CALLS; i++)
        atomic_store(&counts[i], 0);
    atomic_store(&most_blocks, 0);
    atomic_store(&most_threads, 0);
    stand_in_fail(CALL_NONE, 0);
    peers_forget();
}

void stand_in_end(void) {
    long long left = atomic_exchange(&things, 0);
    CHECK_CASE(left == 0, "%lld things of CUDA are left behind", left);
}

int64_t stand_in_count(stand_in_call call) {
    return atomic_load(&counts[call]);
}

void stand_in_fail(stand_in_call call, int64_t number) {
    atomic_store(&has_failed, false);
    atomic_store(&fails, call);
    atomic_store(&fails_at, atomic_load(&counts[call]) + number);
}

bool stand_in_failed(void) {
    return atomic_load(&has_failed);
}

bool call_fails(stand_in_call call) {
    long long number = atomic_fetch_add(&counts[call], 1) + 1;
    if (call == CALL_NONE || (int)call != atomic_load(&fails) || number < atomic_load(&fails_at))
        return false;
    atomic_store(&has_failed, true);
    return true;
}

static void raise(atomic_llong *most, long long value) {
    long long seen = atomic_load(most);
    while (seen < value && !atomic_compare_exchange_weak(most, &seen, value))
        ;
}

void note_addition(int64_t blocks, int64_t threads) {
    raise(&most_blocks, blocks);
    raise(&most_threads, threads);
}

stand_in_grid stand_in_largest_addition(void) {
    return (stand_in_grid){atomic_load(&most_blocks), atomic_load(&most_threads)};
}

void things_add(int count) {
    atomic_fetch_add(&things, count);
}

int *current_device(void) {
    return &device;
}

cudaError_t fail_with(cudaError_t error) {
    failure = error;
    return error;
}

cudaError_t take_failure(void) {
    cudaError_t taken = failure;
    failure = cudaSuccess;
    return taken;
}
