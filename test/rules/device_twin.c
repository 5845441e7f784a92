/* device_twin.c - commands, and memory of a device with a copy of what it should contain. */
#include "rules/device_twin.h"

#include "base/strided.h"
#include "support/element.h"

#include <stdlib.h>

sct_stream *rules_open_stream(rules *r) {
    sct_stream *stream = NULL;
    CHECK(r->ops->stream_open(r->device, &stream) == SCT_OK);
    return stream;
}

void rules_submit(rules *r, sct_stream *stream, const sct_command *command) {
    CHECK(r->ops->submit(stream, command) == SCT_OK);
}

/* A command on `count` contiguous elements. */
static void submit_line(rules *r, sct_stream *stream, sct_work work, sct_type type, int64_t count,
                        const void *from, void *to, double factor) {
    sct_command command = {.work = work,
                           .type = type,
                           .strided = {.lines = 1,
                                       .count = count,
                                       .from = from,
                                       .from_ld = count,
                                       .to = to,
                                       .to_ld = count,
                                       .factor = sct_scalar_real(type, factor)}};
    rules_submit(r, stream, &command);
}

void rules_copy_line(rules *r, sct_stream *stream, sct_type type, int64_t count, const void *from,
                     void *to) {
    submit_line(r, stream, SCT_DO_COPY, type, count, from, to, 1);
}

/* Moves bytes between the host and the device. */
void rules_move_bytes(rules *r, sct_stream *stream, size_t bytes, const void *from, void *to) {
    submit_line(r, stream, SCT_DO_MOVE, SCT_F32, (int64_t)bytes, from, to, 1);
}

void *rules_alloc(rules *r, size_t bytes) {
    void *memory = r->ops->alloc(r->device, bytes);
    CHECK(memory != NULL);
    return memory;
}

void rules_wait(rules *r, sct_stream *stream) {
    CHECK(sct_event_wait(r->ops->record(stream)) == SCT_OK);
}

static twin twin_new(rules *r, sct_type type, int64_t count) {
    size_t bytes = (size_t)count * sct_type_bytes(type);
    return (twin){type, count, rules_alloc(r, bytes), malloc(bytes)};
}

size_t twin_bytes(twin t) {
    return (size_t)t.count * sct_type_bytes(t.type);
}

void twin_upload(rules *r, twin t) {
    rules_move_bytes(r, r->stream, twin_bytes(t), t.host, t.device);
    rules_wait(r, r->stream);
}

twin twin_random(rules *r, sct_type type, int64_t count) {
    twin t = twin_new(r, type, count);
    elements_fill(type, t.host, count, &r->random);
    twin_upload(r, t);
    return t;
}

/* Whether the two are equal once all commands of r->stream are done. */
bool twin_agrees(rules *r, twin t) {
    void *result = malloc(twin_bytes(t));
    rules_move_bytes(r, r->stream, twin_bytes(t), t.device, result);
    rules_wait(r, r->stream);
    bool agrees = elements_equal(t.type, result, t.host, t.count);
    free(result);
    return agrees;
}

void twin_free(rules *r, twin t) {
    r->ops->release(r->device, t.device);
    free(t.host);
}

/* Applies the command to the host memory. */
void rules_expect(const sct_command *c, const void *from, void *to) {
    const sct_strided_work *w = &c->strided;
    if (c->work == SCT_DO_COPY)
        sct_strided_copy(c->type, w->conjugate, w->lines, w->count, from, w->from_ld, to, w->to_ld);
    else if (c->work == SCT_DO_TRANSPOSE)
        sct_strided_transpose(c->type, w->conjugate, w->lines, w->count, from, w->from_ld, to,
                              w->to_ld);
    else if (c->work == SCT_DO_CONVERT)
        sct_strided_convert(c->type, w->to_type, w->lines, w->count, from, w->from_ld, to,
                            w->to_ld);
    else if (c->work == SCT_DO_ADD)
        sct_strided_add(c->type, w->lines, w->count, from, w->from_ld, to, w->to_ld);
    else
        sct_strided_scale(c->type, w->lines, w->count, w->factor, to, w->to_ld);
}
