/* move.c - copies bytes between any memory of the host and of a device. */
#include "base/strided.h"
#include "device/device.h"

sct_status sct_device_submit_move(sct_device *device, sct_stream *stream, int64_t lines,
                                  size_t width, const void *from, size_t from_pitch, void *to,
                                  size_t to_pitch) {
    sct_command command = {.work = SCT_DO_MOVE,
                           .strided = {.lines = lines,
                                       .count = (int64_t)width,
                                       .from = from,
                                       .from_ld = (int64_t)from_pitch,
                                       .to = to,
                                       .to_ld = (int64_t)to_pitch}};
    return device->ops->submit(stream, &command);
}

sct_status sct_device_move(sct_device *device, sct_stream *stream, int64_t lines, size_t width,
                           const void *from, size_t from_pitch, void *to, size_t to_pitch) {
    if (device->space != SCT_SPACE_DEVICE || device->ops->can_use(device, from) ||
        device->ops->can_use(device, to))
        return sct_device_submit_move(device, stream, lines, width, from, from_pitch, to, to_pitch);
    sct_strided_move(lines, width, from, from_pitch, to, to_pitch);
    return SCT_OK;
}
