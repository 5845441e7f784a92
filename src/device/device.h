/* device.h - where arithmetic happens and memory lives: the contract of a back end.
 *
 * Work is submitted as commands to a stream. Commands of one stream run in order; those of
 * different streams in any order, unless a stream follows an event of another. Only a wait for an
 * event blocks the caller. The memory that a command uses must not change until it has run. If a
 * command fails, the next submit or follow on its stream, or wait for its event, fails with the
 * reason. A device uses neither fabrics nor plans.
 *
 * The memory of a device may be out of the host's reach. Its addresses can still be calculated
 * with, and only commands look behind them. A move copies bytes between memory of any two devices
 * of one kind, or between these and the host, but not within the host. All other commands need
 * memory that their device can use (`can_use`). Events may be followed by streams of any device of
 * the same kind. */
#ifndef SCT_DEVICE_DEVICE_H
#define SCT_DEVICE_DEVICE_H

#include "base/event.h"
#include "base/status.h"
#include "base/type.h"

typedef struct sct_device sct_device;
typedef struct sct_stream sct_stream;

typedef enum sct_work {
    SCT_DO_MOVE,
    SCT_DO_COPY,
    SCT_DO_TRANSPOSE,
    SCT_DO_CONVERT,
    SCT_DO_ADD,
    SCT_DO_SCALE,
    SCT_DO_GEMM
} sct_work;

/* A move, copy, transposed copy, conversion, addition or scaling, as in base/strided.h. A move
 * copies bytes: `count` and the distances of lines are in bytes. */
typedef struct sct_strided_work {
    int64_t lines, count;
    const void *from;
    int64_t from_ld;
    void *to;
    int64_t to_ld;
    bool conjugate;
    bool atomic;      /* for SCT_DO_ADD, if the device has atomic_adds: atomic per element with
                         respect to other such additions, from all devices */
    sct_type to_type; /* for SCT_DO_CONVERT */
    sct_scalar factor;
} sct_strided_work;

/* c = alpha op(a) op(b) + beta c in one storage order. a and b have the type of the command, which
 * is f16 or bf16 only if the device has half_products. alpha and beta have the type of its sums:
 * f32 for f16 and bf16. So has c, unless `rounds` is set. With beta == 0, c is not read. m, n, k >=
 * 1; alpha != 0; op is as in BLAS. */
typedef struct sct_gemm_work {
    sct_order order;
    sct_op op_a, op_b;
    int64_t m, n, k;
    sct_scalar alpha, beta;
    const void *a, *b;
    void *c;
    int64_t lda, ldb, ldc;
    bool rounds; /* c has the command's type, f16 or bf16: each sum in f32 is rounded once */
} sct_gemm_work;

/* The size of a product, or a place in one: rows and columns of C, and terms of its sums. */
typedef struct sct_gemm_size {
    int64_t m, k, n;
} sct_gemm_size;

/* The part of a product that begins at `from`, of at most this size. */
SCT_API sct_gemm_work sct_gemm_part(sct_type type, const sct_gemm_work *gemm, sct_gemm_size from,
                                    sct_gemm_size size);

typedef struct sct_command {
    sct_work work;
    sct_type type;
    union {
        sct_strided_work strided;
        sct_gemm_work gemm;
    };
} sct_command;

/* How another process finds memory of a device. */
typedef struct sct_memory_handle {
    _Alignas(8) char bytes[128];
} sct_memory_handle;

typedef void sct_notice(void *context, int64_t ns);

typedef struct sct_device_ops {
    const char *name;
    /* Writes the names and versions of what it computes with, for the log. */
    void (*describe)(sct_device *device, char *text, size_t bytes);
    void (*close)(sct_device *device);
    /* Aligned to 64 bytes. NULL: out of memory. */
    void *(*alloc)(sct_device *device, size_t bytes);
    /* No command that touches it may be under way. */
    void (*release)(sct_device *device, void *memory);
    /* The same for memory of the host from which, and to which, moves are fast. */
    void *(*alloc_host)(sct_device *device, size_t bytes);
    void (*release_host)(sct_device *device, void *memory);
    /* Whether all commands of the device may use this memory, not only moves. */
    bool (*can_use)(sct_device *device, const void *memory);
    /* Describes memory that the device can use to other processes. False: it cannot be shared. */
    bool (*share)(sct_device *device, const void *memory, size_t bytes, sct_memory_handle *handle);
    /* Maps memory of another process for this device; NULL if it cannot be mapped. Moves can use
     * it, and additions, which are atomic with respect to those of all processes; other commands
     * only if can_use says so. Every process detaches it before the owner frees it. share, attach
     * and detach are NULL for devices without atomic additions. */
    void *(*attach)(sct_device *device, const sct_memory_handle *handle);
    void (*detach)(sct_device *device, void *memory);
    sct_status (*stream_open)(sct_device *device, sct_stream **stream);
    /* Waits for the submitted commands. */
    void (*stream_close)(sct_stream *stream);
    /* The command also follows what the device holds for: sct_device_hold. */
    sct_status (*submit)(sct_stream *stream, const sct_command *command);
    /* Reached when everything submitted so far has run. */
    sct_event (*record)(sct_stream *stream);
    /* Later commands of the stream run after the event. The host waits for one of another kind. */
    sct_status (*follow)(sct_stream *stream, sct_event event);
    /* Calls a function, on any thread, after the commands submitted so far have run, and passes it
     * when that was, by sct_now_ns, as well as the device knows. It must be brief, and may not use
     * the device. */
    sct_status (*notify)(sct_stream *stream, sct_notice *call, void *context);
} sct_device_ops;

/* The common part of every device. A rank has its own handle, also where ranks share a device. */
struct sct_device {
    const sct_device_ops *ops;
    sct_space space;        /* of the memory of `alloc` */
    bool at_once;           /* submit returns when the command has run, on the caller's thread */
    bool atomic_adds;       /* additions can be atomic */
    bool gpu;               /* and no processor; for plans without a described machine */
    bool half_products;     /* products can have factors of f16 and bf16, and results of them */
    bool spans_hosts;       /* memory can be shared with processes of other hosts */
    int domain;             /* devices of one domain use each other's memory as fast as their own */
    int64_t most_elements;  /* of a part, which commands can reach; 0: any number */
    bool lacks_f64;         /* commands cannot calculate with f64 and cf64 */
    _Atomic uint64_t waits; /* how often the host has waited for commands */
    sct_event held;         /* what all later commands follow, on any stream of the device */
    uint64_t holds;         /* how often that was set */
};

/* Submits a move. */
sct_status sct_device_submit_move(sct_device *device, sct_stream *stream, int64_t lines,
                                  size_t width, const void *from, size_t from_pitch, void *to,
                                  size_t to_pitch);
/* Copies bytes between any memory: submits a move, or, within the host, copies at once. */
SCT_API sct_status sct_device_move(sct_device *device, sct_stream *stream, int64_t lines,
                                   size_t width, const void *from, size_t from_pitch, void *to,
                                   size_t to_pitch);

/* Waits for an event, and for all commands of a stream. */
static inline sct_status sct_device_wait(sct_device *device, sct_event event) {
    device->waits++;
    return sct_event_wait(event);
}

static inline sct_status sct_device_drain(sct_device *device, sct_stream *stream) {
    return sct_device_wait(device, device->ops->record(stream));
}

/* Makes all later commands of a device follow an event. The event must come after that of the call
 * before. Only for the thread that submits commands. */
static inline void sct_device_hold(sct_device *device, sct_event event) {
    device->held = event;
    device->holds++;
}

/* For back ends, before each command: makes the stream follow the event of the last
 * sct_device_hold. `caught_up` belongs to the stream, and is 0 at first: the number of holds that
 * the stream follows already. */
static inline sct_status sct_device_catch_up(const sct_device *device, sct_stream *stream,
                                             uint64_t *caught_up) {
    if (*caught_up == device->holds)
        return SCT_OK;
    *caught_up = device->holds;
    return device->ops->follow(stream, device->held);
}

#endif
