/* device_copy.c - copies the parts of a view between memory of the caller and of the devices. */
#include "exec/device_copy.h"
#include "exec/scratch.h"

sct_status sct_device_copy_open(const sct_exec_context *context, const sct_bound *given,
                                sct_bound *copy) {
    *copy = *given;
    return given->needs_copy ? sct_scratch_open(context, given, given->type, copy) : SCT_OK;
}

sct_status sct_device_copy_load(const sct_exec_context *context, const sct_bound *given,
                                const sct_bound *copy, sct_stream *stream) {
    return given->needs_copy ? sct_bound_move(context, given, copy, stream) : SCT_OK;
}

sct_status sct_device_copy_store(const sct_exec_context *context, const sct_bound *copy,
                                 const sct_bound *given, sct_stream *stream) {
    return given->needs_copy ? sct_bound_move(context, copy, given, stream) : SCT_OK;
}

void sct_device_copy_close(const sct_exec_context *context, const sct_bound *given,
                           const sct_bound *copy, bool keep) {
    if (given->needs_copy)
        sct_scratch_close(context, copy, keep);
}
