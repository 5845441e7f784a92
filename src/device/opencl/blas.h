/* blas.h - a BLAS for OpenCL, as a table that another one can take the place of. */
#ifndef SCT_DEVICE_OPENCL_BLAS_H
#define SCT_DEVICE_OPENCL_BLAS_H

#include "device/opencl/context.h"

#include <limits.h>

/* CLBlast counts the elements of a buffer in int. */
enum { SCT_CL_MOST_ELEMENTS = INT_MAX };

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

#endif
