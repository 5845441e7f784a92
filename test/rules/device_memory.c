/* device_memory.c - moves bytes with a stream of its own. */
#include "rules/device_memory.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static void move(sct_device *device, const void *from, void *to, size_t bytes) {
    sct_command command = {
        .work = SCT_DO_MOVE,
        .strided = {.lines = 1, .count = (int64_t)bytes, .from = from, .to = to}};
    sct_stream *stream;
    if (bytes == 0 || !CHECK(device->ops->stream_open(device, &stream) == SCT_OK))
        return;
    CHECK(device->ops->submit(stream, &command) == SCT_OK);
    CHECK(sct_device_drain(device, stream) == SCT_OK);
    device->ops->stream_close(stream);
}

void memory_put(sct_device *device, void *to, const void *from, size_t bytes) {
    if (device)
        move(device, from, to, bytes);
    else if (bytes > 0)
        memcpy(to, from, bytes);
}

void memory_take(sct_device *device, const void *from, void *to, size_t bytes) {
    memory_put(device, to, from, bytes);
}

void *memory_new(sct_device *device, size_t bytes, int value) {
    char *values = malloc(bytes + 1);
    memset(values, value, bytes + 1);
    if (!device)
        return values;
    void *memory = device->ops->alloc(device, bytes + 1);
    CHECK(memory != NULL);
    memory_put(device, memory, values, bytes + 1);
    free(values);
    return memory;
}

void memory_free(sct_device *device, void *memory) {
    if (device)
        device->ops->release(device, memory);
    else
        free(memory);
}
