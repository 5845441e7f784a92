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

/* Makes all later work of the world, on all ranks, wait for what their streams have been given so
 * far. The host does not wait, unless ranks are processes. `stream` is a stream of this rank's GPU;
 * NULL: the default stream.
 * Errors: SCT_BAD_ARGUMENT for a world of another engine; SCT_FAILED if CUDA fails. Collective. */
SCT_API sct_status sct_cuda_follow(sct_world *world, struct CUstream_st *stream);

/* The other way round: completes a run as sct_job_wait does, but in the host's place the stream
 * waits. What it is given later comes after the run on all ranks, so that it may read C, and change
 * A, B and C; so does all later work of the world. The host waits until all ranks have submitted
 * their work. It waits for GPUs only if ranks are processes, if C is in host memory, if the job
 * has an observer, or if the options `sync` or `ordered` make it wait while it submits.
 * What fails on a GPU later fails a later call of the world.
 * `stream` is as above. Errors: as sct_job_wait; SCT_BAD_ARGUMENT for a job of another engine;
 * SCT_FAILED if CUDA fails. Collective. */
SCT_API sct_status sct_cuda_job_wait(sct_job *job, struct CUstream_st *stream);

/* Change what sct_world_options says of a world, for later products, and for later contributions,
 * of this rank.
 * Errors: SCT_BAD_ARGUMENT for a world of another engine, or if it is none of these; SCT_NO_ENGINE
 * for atomic additions between GPUs that cannot make them. Not collective. */
SCT_API sct_status sct_cuda_set_math(sct_world *world, sct_math math);
SCT_API sct_status sct_cuda_set_accumulation(sct_world *world, sct_accumulation how);

#ifdef __cplusplus
}
#endif
#endif
