/* stream.h - a device of OpenCL, and its streams: command queues that run in order. */
#ifndef SCT_DEVICE_OPENCL_STREAM_H
#define SCT_DEVICE_OPENCL_STREAM_H

#include "device/opencl/context.h"
#include "device/streams.h"

#include <limits.h>

/* CLBlast counts the elements of a buffer in int. */
enum { SCT_CL_MOST_ELEMENTS = INT_MAX };

/* A BLAS for OpenCL is a table that another one can take the place of. */

/* The operands of a product in buffers. */
typedef struct sct_cl_operands {
    sct_cl_place a, b, c;
} sct_cl_operands;

typedef struct sct_cl_blas {
    const char *name;
    /* Called before the first product of a device: sets the parameters that suit it, and returns
     * the longest k that one call should have. */
    int64_t (*tune)(cl_device_id device);
    /* Submits a product to a queue: of f32, f64, cf32 or cf64, with any order and ops. The room is
     * that of the queue. */
    sct_status (*gemm)(cl_command_queue queue, sct_type type, const sct_gemm_work *work,
                       const sct_cl_operands *operands, sct_cl_room *room);
} sct_cl_blas;

extern const sct_cl_blas sct_cl_clblast;

enum { SCT_CL_EVENTS = 64, SCT_CL_FOLLOWED = 8, SCT_CL_KERNELS = 4 };

/* Memory of the host that is mapped. */
typedef struct sct_cl_mapped sct_cl_mapped;

typedef struct sct_cl_device {
    sct_device base;
    sct_cl_context *context;
    cl_device_id id;
    cl_command_queue placing; /* moves new buffers to the device, and maps those of the host */
    const sct_cl_blas *blas;
    int64_t most_k; /* a product with a longer k is submitted in pieces */
    sct_idle_streams idle;
    pthread_mutex_t mapped_lock; /* of what follows: several threads allocate */
    sct_cl_mapped *mapped;
} sct_cl_device;

/* The last ticket of another stream that a stream follows. */
typedef struct sct_cl_followed {
    uint64_t number; /* of the other stream; 0: none */
    uint64_t ticket;
} sct_cl_followed;

/* Ticket t stands for all commands before the marker number t. Only the last markers are kept,
 * however many are outstanding: an older ticket is taken to be reached when the oldest of them is.
 * So the host never waits for a place. */
struct sct_stream {
    sct_idle idle;
    sct_cl_device *device;
    uint64_t number; /* no other stream of the context has it */
    cl_command_queue queue;
    sct_cl_room room; /* for what its commands need in between */
    sct_cl_followed followed[SCT_CL_FOLLOWED];
    unsigned next_followed; /* the place to be used again */
    /* Kernels belong to one thread. */
    cl_kernel kernel[SCT_CL_PROGRAMS][SCT_CL_KERNELS];
    bool marked;          /* nothing was submitted after the last marker */
    uint64_t caught_up;   /* see sct_device_catch_up */
    pthread_mutex_t lock; /* of what follows, which other ranks read */
    cl_int failure;       /* of a marker, not reported yet */
    uint64_t tickets;
    cl_event marker[SCT_CL_EVENTS]; /* ring */
};

/* The functions of sct_device_ops. */
void *sct_cl_alloc_host(sct_device *device, size_t bytes);
void sct_cl_release_host(sct_device *device, void *memory);
sct_status sct_cl_submit(sct_stream *stream, const sct_command *command);

#endif
