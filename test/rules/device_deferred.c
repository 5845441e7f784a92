/* device_deferred.c - the deferred host device keeps the contract, also with memory apart, really
 * defers commands, and reports their failures later. */
#include "engine/devices.h"
#include "rules/device_rules.h"
#include "support/check.h"

#include <string.h>

static void test_rules(uint64_t seed, int delay_us, int rounds) {
    sct_device *device;
    if (CHECK(device_deferred(seed, delay_us, &device) == SCT_OK)) {
        device_rules(device, seed, rounds);
        device->ops->close(device);
    }
    if (CHECK(device_emulated(seed, delay_us, 0, &device) == SCT_OK)) {
        CHECK(device->space == SCT_SPACE_DEVICE);
        device_rules(device, seed, rounds);
        device->ops->close(device);
    }
}

/* Where memory is apart, commands other than moves refuse memory of the host. */
static void test_spaces(void) {
    sct_device *device;
    sct_stream *stream;
    if (!CHECK(device_emulated(1, 0, 0, &device) == SCT_OK))
        return;
    double *own = device->ops->alloc(device, sizeof *own), host = 0;
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    const void *from[] = {&host, own, own};
    void *to[] = {own, &host, own};
    for (int i = 0; i < 3; i++) {
        sct_command add = {.work = SCT_DO_ADD,
                           .type = SCT_F64,
                           .strided = {.lines = 1, .count = 1, .from = from[i], .to = to[i]}};
        sct_command product = {
            .work = SCT_DO_GEMM, .type = SCT_F64, .gemm = {.a = from[i], .b = own, .c = to[i]}};
        CHECK((device->ops->submit(stream, &add) == SCT_OK) == (i == 2));
        CHECK(i == 2 || device->ops->submit(stream, &product) != SCT_OK);
    }
    device->ops->stream_close(stream);
    device->ops->release(device, own);
    device->ops->close(device);
}

/* A command must be seen unfinished at least once in many tries. */
static void test_defers(const sct_device_ops *ops, sct_stream *stream) {
    sct_command nothing = {.work = SCT_DO_COPY, .type = SCT_F32};
    int early = 0;
    for (int i = 0; i < 50; i++) {
        CHECK(ops->submit(stream, &nothing) == SCT_OK);
        early += !sct_event_done(ops->record(stream));
    }
    CHECK(early > 0);
    CHECK(sct_event_wait(ops->record(stream)) == SCT_OK);
}

/* A failure is reported once, with its reason, by the next submit or wait. After that the stream
 * works again. */
static void test_failure(const sct_device_ops *ops, sct_stream *stream) {
    sct_command nothing = {.work = SCT_DO_COPY, .type = SCT_F32};
    sct_command wrong = {.work = (sct_work)99};
    for (int by_wait = 0; by_wait < 2; by_wait++) {
        CHECK(ops->submit(stream, &wrong) == SCT_OK);
        sct_event event = ops->record(stream);
        while (!sct_event_done(event))
            continue;
        sct_fail(SCT_FAILED, "another reason");
        CHECK((by_wait ? sct_event_wait(event) : ops->submit(stream, &nothing)) ==
              SCT_BAD_ARGUMENT);
        CHECK(strstr(sct_last_reason(), "99") != NULL);
        CHECK(ops->submit(stream, &nothing) == SCT_OK);
        CHECK(sct_event_wait(ops->record(stream)) == SCT_OK);
    }
}

static void test_own(uint64_t seed) {
    sct_device *device;
    sct_stream *stream;
    if (!CHECK(device_deferred(seed, 100, &device) == SCT_OK))
        return;
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    test_defers(device->ops, stream);
    test_failure(device->ops, stream);
    device->ops->stream_close(stream);
    device->ops->close(device);
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules(seed, 0, 10);
    test_rules(seed + 1, 20, 5);
    test_spaces();
    test_own(seed);
    return check_report("device_deferred");
}
