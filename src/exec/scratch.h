/* scratch.h - matrices that products need besides those of the caller: sums of C in a wider type,
 * and copies of memory that devices cannot use.
 *
 * Opening memory to all ranks takes longer than a small product. The last scratch matrices are
 * therefore kept for the next products of such a shape. All ranks keep the same ones, since each
 * call here is collective and only what is equal on all ranks decides. */
#ifndef SCT_EXEC_SCRATCH_H
#define SCT_EXEC_SCRATCH_H

#include "exec/binding.h"

/* The most scratch matrices that a world keeps, and the most bytes of a rank, on average. */
enum { SCT_SCRATCH_MOST = 16, SCT_SCRATCH_BYTES = 64 << 20 };

/* A scratch matrix that is free, and the properties by which the next product finds it. */
typedef struct sct_scratch_kept {
    sct_segment *segment;
    uint64_t alike;
    sct_type type;
    sct_slice slice;
    size_t bytes; /* of a rank, on average */
} sct_scratch_kept;

/* The scratch matrices that a world keeps, the oldest first. */
typedef struct sct_scratch {
    sct_scratch_kept kept[SCT_SCRATCH_MOST];
    int count;
    size_t bytes; /* of a rank, on average */
} sct_scratch;

/* Opens a matrix with the layout and slice of `like`, but of this type: one that is kept, or a new
 * one, which is allocated up to the end of the slice. Its elements may have any value. */
sct_status sct_scratch_open(const sct_exec_context *context, const sct_bound *like, sct_type type,
                            sct_bound *made);
/* Closes a scratch matrix. keep: no rank uses it any more, so it may be kept instead. */
void sct_scratch_close(const sct_exec_context *context, const sct_bound *made, bool keep);
/* Closes what is kept. */
void sct_scratch_clear(const sct_exec_context *context);

/* Collective. Sets `copy` to a bound matrix that devices can use: the given one, or, if that needs
 * a copy, a new one of the same layout. */
sct_status sct_device_copy_open(const sct_exec_context *context, const sct_bound *given,
                                sct_bound *copy);
/* Copy the local parts to and from the copy, if it is another than the given one; wait. */
sct_status sct_device_copy_load(const sct_exec_context *context, const sct_bound *given,
                                const sct_bound *copy, sct_stream *stream);
sct_status sct_device_copy_store(const sct_exec_context *context, const sct_bound *copy,
                                 const sct_bound *given, sct_stream *stream);
/* Collective. The copy may be kept for another call. */
void sct_device_copy_close(const sct_exec_context *context, const sct_bound *given,
                           const sct_bound *copy, bool keep);

#endif
