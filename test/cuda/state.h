/* state.h - the parts of the stand-ins: calls, memory, the order of commands, and streams. */
#ifndef TEST_CUDA_STATE_H
#define TEST_CUDA_STATE_H

#include "cuda/stand_in.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stddef.h>

enum { MOST_STREAMS = 250, MOST_DEVICES = 16 };

/* ---- Calls, in calls.c ---- */

const stand_in_machine *machine(void);
/* Counts a call, and tells whether it is to fail. */
bool call_fails(stand_in_call call);
/* Notes the grid of an atomic addition. */
void note_addition(int64_t blocks, int64_t threads);
/* Things that exist: allocations, streams, events, handles. */
void things_add(int count);
/* Which device the calling thread uses. */
int *current_device(void);
/* Records a failure for cudaGetLastError, and returns it. */
cudaError_t fail_with(cudaError_t error);
/* The failure that was recorded last. */
cudaError_t take_failure(void);

/* ---- The order of commands, in order.c ---- */

/* How many commands of each stream come before: a vector clock. */
typedef struct moment {
    uint32_t of[MOST_STREAMS];
} moment;

void moment_join(moment *mine, const moment *other);
/* A number for a stream. */
int order_enter(void);
void order_leave(int stream);
/* The host has waited until then. */
void order_host(const moment *seen);
/* A command that a stream is given: after what the host has waited for. */
void order_next(int stream, moment *seen);
void order_lock(void);
void order_unlock(void);

typedef enum touch_kind { TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC } touch_kind;

/* The commands that have touched two bytes last, as words of a stream and a moment. */
typedef struct touched {
    uint32_t write, atomic, read[2];
} touched;

/* Tells of a command at its moment that it touches these; false if no event orders it and another
 * one. */
bool touch(touched *first, size_t count, touch_kind kind, int stream, const moment *seen);

/* ---- Memory, in memory.c ---- */

/* A rectangle of bytes that a command of a device touches. */
typedef struct area {
    const void *base;
    int64_t lines;
    size_t width;
    int64_t pitch;
    touch_kind kind;
    int stream, device;
    const moment *seen;
    bool peer_copy; /* by a copy that needs no access between devices */
} area;

void *emulated_new(size_t bytes, int device);
/* Fails a check if another process still has it open. */
bool emulated_delete(void *address);

/* Where other processes find an allocation. */
typedef struct shared_allocation {
    int process, file, device;
    size_t bytes;
} shared_allocation;

bool emulated_share(const void *address, shared_allocation *shared);
/* The address of the allocation here; NULL: there is none. */
void *emulated_open(const shared_allocation *shared);
bool emulated_close(void *address);
/* The allocation that an address lies in. */
bool emulated_range(const void *address, void **base, size_t *bytes);
/* Where the host finds an address of an allocation, and all behind it. */
void *emulated_reach(const void *address);
/* The device whose memory this is; -1: the host's. */
int memory_device(const void *address);
/* Checks what a command touches; returns where stand-ins find it. With the order locked. */
void *memory_touch(const area *where);
/* False: the device has access to as many others as it can. */
bool peers_enable(int device, int peer);
void peers_forget(void);

/* ---- Streams, in streams.c ---- */

enum { TASK_BYTES = 256 };

struct CUstream_st {
    int device, number;
    moment seen; /* what comes before the next command; with the order locked */
    pthread_t thread;
    uint64_t random;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closing;
    uint64_t submitted, done, room;
    struct task *ring;
};

typedef void task_function(void *payload);
/* Gives a stream a task, whose payload is copied. */
void stream_push(cudaStream_t stream, task_function *run, const void *payload, size_t bytes);
void stream_drain(cudaStream_t stream);

#endif
