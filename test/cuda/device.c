/* device.c - devices of CUDA keep the contract, on stand-ins; lists of devices are read, or
 * refused. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "rules/device_rules.h"
#include "support/check.h"

#include <string.h>

/* The last device of a machine. */
static sct_device *start(stand_in_machine machine) {
    sct_cuda_context *context;
    sct_device *device;
    stand_in_start(machine);
    if (!CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_OK))
        return NULL;
    CHECK(context->group.count == machine.devices && context->gpus == machine.devices);
    bool opened = CHECK(sct_device_cuda(context, machine.devices - 1, &device) == SCT_OK);
    return opened ? device : NULL;
}

static void end(sct_device *device) {
    device->ops->close(device);
    stand_in_end();
}

static void test_rules(stand_in_machine machine, int rounds) {
    sct_device *device = start(machine);
    if (!device)
        return;
    device_rules(device, machine.seed, rounds);
    end(device);
}

static void move(sct_device *device, sct_stream *stream, const void *from, void *to) {
    sct_command command = {
        .work = SCT_DO_MOVE,
        .strided = {.lines = 1, .count = sizeof(double), .from = from, .to = to}};
    CHECK(device->ops->submit(stream, &command) == SCT_OK);
}

/* A stream that follows another one has those that follow it wait, too, also if it is given nothing
 * in between. */
static void test_relay(void) {
    sct_device *device = start((stand_in_machine){.devices = 1, .delay_us = 1000, .seed = 1});
    sct_stream *stream[3];
    double from = 3, to = 0;
    if (!device)
        return;
    const sct_device_ops *ops = device->ops;
    double *memory = ops->alloc(device, 2 * sizeof *memory);
    for (int i = 0; i < 3; i++)
        CHECK(ops->stream_open(device, &stream[i]) == SCT_OK);
    move(device, stream[1], &from, memory + 1);
    ops->record(stream[1]);
    move(device, stream[0], &from, memory);
    for (int i = 1; i < 3; i++)
        CHECK(ops->follow(stream[i], ops->record(stream[i - 1])) == SCT_OK);
    move(device, stream[2], memory, &to);
    CHECK(sct_device_drain(device, stream[2]) == SCT_OK && to == from);
    for (int i = 0; i < 3; i++)
        ops->stream_close(stream[i]);
    ops->release(device, memory);
    end(device);
}

/* Where no event can be recorded, a wait fails, but not before the commands have run. */
static void test_unmarked(void) {
    sct_device *device = start((stand_in_machine){.devices = 1, .delay_us = 20000, .seed = 1});
    sct_stream *stream;
    double from = 3, to = 0;
    if (!device)
        return;
    const sct_device_ops *ops = device->ops;
    double *memory = ops->alloc(device, sizeof *memory);
    CHECK(ops->stream_open(device, &stream) == SCT_OK);
    stand_in_fail(CALL_EVENT_RECORD, 1);
    move(device, stream, &from, memory);
    move(device, stream, memory, &to);
    CHECK(sct_device_drain(device, stream) == SCT_FAILED && to == from);
    ops->stream_close(stream);
    ops->release(device, memory);
    end(device);
}

static void test_lists(void) {
    static const struct {
        const char *list;
        sct_status status;
        const char *reason;
    } bad[] = {{"", SCT_BAD_ARGUMENT, "'' is not a list"},
               {"x", SCT_BAD_ARGUMENT, "'x' is not a list"},
               {"0,", SCT_BAD_ARGUMENT, "'0,' is not a list"},
               {"0;1", SCT_BAD_ARGUMENT, "'0;1' is not a list"},
               {"-1", SCT_BAD_ARGUMENT, "'-1' is not a list"},
               {"0/2", SCT_BAD_ARGUMENT, "'0/2' is not a list"},
               {"0,3", SCT_NO_ENGINE, "CUDA has no device 3: there are 3"},
               {"99999999999999999999", SCT_NO_ENGINE, "CUDA has no device"}};
    sct_cuda_context *context;
    stand_in_start((stand_in_machine){.devices = 3});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_status status = sct_cuda_context_create(bad[i].list, 1, &context);
        CHECK_CASE(status == bad[i].status && strstr(sct_last_reason(), bad[i].reason), "%s: %s",
                   bad[i].list, sct_last_reason());
    }
    if (CHECK(sct_cuda_context_create("2,0,2", 1, &context) == SCT_OK)) {
        CHECK(context->group.count == 3 && context->gpus == 2);
        CHECK(context->listed[0]->id == 2 && context->listed[1]->id == 0);
        CHECK(context->listed[2] == context->listed[0]);
        sct_device_group_leave(&context->group, 1);
    }
    stand_in_start((stand_in_machine){.devices = 0});
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_NO_ENGINE);
    CHECK(strstr(sct_last_reason(), "CUDA has no device here") != NULL);
    stand_in_end();
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules((stand_in_machine){.devices = 1, .seed = seed}, 5);
    test_rules((stand_in_machine){.devices = 2, .seed = seed, .delay_us = 50, .major = 9}, 2);
    test_relay();
    test_unmarked();
    test_lists();
    return check_report("device");
}
