/* sectile_cuda.h - what worlds of the engine "cuda" can do beside what sectile.h says.
 *
 * Link with libsectile_cuda. A world is made as with any engine: by sct_run or sct_world_create,
 * with engine = "cuda". Calls of a rank make its GPU the current device of their thread. */
#ifndef SECTILE_CUDA_H
#define SECTILE_CUDA_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A cudaStream_t is a pointer to this. */
struct CUstream_st;

/* Has all later work of the world, on all ranks, wait for what their streams have been given so
 * far, without the host waiting. `stream` is a stream of this rank's GPU; NULL: the default stream.
 * The other way round needs no call: what sectile does for a call is done when the call returns,
 * for a job when sct_job_wait does.
 * Errors: SCT_BAD_ARGUMENT for a world of another engine; SCT_FAILED if CUDA fails. Collective. */
SCT_API sct_status sct_cuda_follow(sct_world *world, struct CUstream_st *stream);

/* Whether later f32 and cf32 products of this rank may round their factors to TF32, which has 11
 * significant bits; at first they do not.
 * Errors: SCT_BAD_ARGUMENT for a world of another engine. Not collective. */
SCT_API sct_status sct_cuda_allow_tf32(sct_world *world, int allow);

/* How contributions are added to C on another GPU: DIRECT, by atomic additions to its memory;
 * MAILBOX, copied to it and added by itself. AUTO: directly, where all GPUs of the world can. */
typedef enum sct_cuda_accumulate {
    SCT_CUDA_AUTO,
    SCT_CUDA_DIRECT,
    SCT_CUDA_MAILBOX
} sct_cuda_accumulate;

/* Selects the way for later contributions of this rank.
 * Errors: SCT_BAD_ARGUMENT for a world of another engine, or if it is none of these; SCT_NO_ENGINE
 * for DIRECT between GPUs that cannot. Not collective. */
SCT_API sct_status sct_cuda_set_accumulate(sct_world *world, sct_cuda_accumulate how);

#ifdef __cplusplus
}
#endif
#endif
