/* sectile_copy.h - copies that go on while the ranks do something else, and memory for them.
 * sectile.h includes this file. */
#ifndef SECTILE_COPY_H
#define SECTILE_COPY_H

#include <sectile/sectile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A copy that has been started. */
typedef struct sct_copying sct_copying;

/* Starts sct_copy. Elements may be copied at any time until sct_copy_wait returns; data of far
 * ranks arrive meanwhile, if they are neither transposed nor conjugated. Until then, do not change
 * the view `from`, nor touch `to`, nor destroy their matrices, on any rank; other collective calls
 * may be made, and further copies started. Errors: as sct_copy. Collective. */
SCT_API sct_status sct_copy_start(sct_op op, sct_view from, sct_view to, const sct_options *options,
                                  sct_copying **copying);
/* Waits for a copy on all ranks, and frees it, also if it fails. If several have been started, wait
 * for them in any order, but in the same order on all ranks. Errors: SCT_DISAGREE if ranks wait for
 * different copies, whose results are then undefined; SCT_BAD_ARGUMENT, on this rank alone, if
 * `copying` is NULL. Collective. */
SCT_API sct_status sct_copy_wait(sct_copying *copying);

/* Allocates host memory, aligned to 64 bytes, in which parts of matrices can be wrapped.
 * Where the device allows, it is pinned: copies between it and the device are faster, and go on
 * while the host does something else. Errors: SCT_NO_MEMORY. Not collective. */
SCT_API sct_status sct_world_alloc_host(sct_world *world, size_t bytes, void **memory);
/* Frees such memory, which no matrix may use any more, before the world ends; NULL is none. No
 * errors. Not collective. */
SCT_API void sct_world_free_host(sct_world *world, void *memory);

#ifdef __cplusplus
}
#endif

#endif
