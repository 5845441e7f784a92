/* device_copy.h - copies, on the devices, of matrices whose memory devices cannot use. */
#ifndef SCT_EXEC_DEVICE_COPY_H
#define SCT_EXEC_DEVICE_COPY_H

#include "exec/binding.h"

/* Collective. Sets `copy` to a bound matrix that devices can use: the given one, or, if that needs
 * a copy, a new one of the same layout. */
sct_status sct_device_copy_open(const sct_exec_context *context, const sct_bound *given,
                                sct_bound *copy);
/* Copy the local parts to and from the copy, if it is another than the given one; wait. */
sct_status sct_device_copy_load(const sct_exec_context *context, const sct_bound *given,
                                const sct_bound *copy, sct_stream *stream);
sct_status sct_device_copy_store(const sct_exec_context *context, const sct_bound *copy,
                                 const sct_bound *given, sct_stream *stream);
/* Collective. The copy may be kept for another call: see scratch.h. */
void sct_device_copy_close(const sct_exec_context *context, const sct_bound *given,
                           const sct_bound *copy, bool keep);

#endif
