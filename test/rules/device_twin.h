/* device_twin.h - what checks of a device have in common: commands, and memory with a copy of what
 * it should contain. */
#ifndef TEST_DEVICE_TWIN_H
#define TEST_DEVICE_TWIN_H

#include "device/device.h"

typedef struct rules {
    const sct_device_ops *ops;
    sct_device *device;
    sct_stream *stream;
    uint64_t random;
} rules;

sct_stream *rules_open_stream(rules *r);
void rules_submit(rules *r, sct_stream *stream, const sct_command *command);
/* Copies `count` contiguous elements. */
void rules_copy_line(rules *r, sct_stream *stream, sct_type type, int64_t count, const void *from,
                     void *to);
/* Moves bytes between the host and the device. */
void rules_move_bytes(rules *r, sct_stream *stream, size_t bytes, const void *from, void *to);
void *rules_alloc(rules *r, size_t bytes);
/* Waits for all commands of the stream. */
void rules_wait(rules *r, sct_stream *stream);

/* Device memory, and host memory that holds what it should contain. */
typedef struct twin {
    sct_type type;
    int64_t count;
    void *device, *host;
} twin;

twin twin_random(rules *r, sct_type type, int64_t count);
size_t twin_bytes(twin t);
/* Copies what the host has to the device. */
void twin_upload(rules *r, twin t);
/* Whether the two are equal once all commands of r->stream are done. */
bool twin_agrees(rules *r, twin t);
void twin_free(rules *r, twin t);
/* Does on the host what a command does on the device. */
void rules_expect(const sct_command *command, const void *from, void *to);

/* The rules of order and events, in device_order.c. */
void rules_of_order(rules *r);

#endif
