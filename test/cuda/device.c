/* device.c - devices of CUDA keep the contract, on stand-ins, also when calls fail or memory runs
 * out; lists of devices are read, or refused. */
#include "cuda/state.h"
#include "device/cuda/cuda.h"
#include "rules/device_rules.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"

#include <pthread.h>
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

/* Asking whether an event is reached leaves no error for the user, also if it is not. */
static void test_not_ready(void) {
    sct_device *device = start((stand_in_machine){.devices = 1, .delay_us = 50000, .seed = 1});
    sct_stream *stream;
    double from = 3;
    if (!device)
        return;
    const sct_device_ops *ops = device->ops;
    double *memory = ops->alloc(device, sizeof *memory);
    CHECK(ops->stream_open(device, &stream) == SCT_OK);
    for (int i = 0; i < 5; i++)
        move(device, stream, &from, memory);
    CHECK(!sct_event_done(ops->record(stream)));
    CHECK(cudaGetLastError() == cudaSuccess);
    ops->stream_close(stream);
    ops->release(device, memory);
    end(device);
}

/* A line may be longer than the distance between two lines can be. */
static void test_long_line(void) {
    const int64_t bytes = (int64_t)3 << 30;
    sct_device *device = start((stand_in_machine){.devices = 1, .idle = true});
    sct_stream *stream;
    if (!device)
        return;
    char *memory = device->ops->alloc(device, 1);
    sct_command command = {
        .work = SCT_DO_MOVE,
        .strided = {.lines = 1, .count = bytes, .from = memory, .to = memory + bytes}};
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    CHECK_CASE(device->ops->submit(stream, &command) == SCT_OK, "%s", sct_last_reason());
    device->ops->stream_close(stream);
    device->ops->release(device, memory);
    end(device);
}

/* ---- Failures ---- */

/* A call that fails has its command refused, and nothing is left behind. */
static void test_refusals(void) {
    enum { COUNT = 100, SLAB = 4 << 20, BYTES = SLAB }; /* so that a buffer needs another slab */
    sct_device *device = start((stand_in_machine){.devices = 1, .seed = 1});
    sct_stream *stream;
    if (!device)
        return;
    char *memory = device->ops->alloc(device, BYTES);
    const sct_strided_work w = {.lines = 1,
                                .count = COUNT,
                                .from = memory + COUNT * sizeof(float) / 2,
                                .from_ld = COUNT,
                                .to = memory,
                                .to_ld = COUNT,
                                .to_type = SCT_F32};
    const struct {
        stand_in_call fails;
        sct_work work;
        sct_status status;
        const char *reason;
    } cases[] = {{CALL_NONE, (sct_work)99, SCT_BAD_ARGUMENT, "99 is not a kind of work"},
                 {CALL_SET_DEVICE, SCT_DO_CONVERT, SCT_FAILED, "could not use a device"},
                 {CALL_MALLOC, SCT_DO_CONVERT, SCT_NO_MEMORY, "no memory for a buffer of a stream"},
                 {CALL_LAUNCH, SCT_DO_CONVERT, SCT_FAILED, "could not run a kernel"}};
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_command command = {.work = cases[i].work, .type = SCT_BF16, .strided = w};
        stand_in_fail(cases[i].fails, 1);
        CHECK_CASE(device->ops->submit(stream, &command) == cases[i].status &&
                       strstr(sct_last_reason(), cases[i].reason),
                   "case %zu: %s", i, sct_last_reason());
        CHECK(cudaGetLastError() == cudaSuccess);
    }
    stand_in_fail(CALL_NONE, 0);
    device->ops->stream_close(stream);
    device->ops->release(device, memory);
    end(device);
}

static void never(void *context, int64_t ns) {
    (void)context;
    (void)ns;
    CHECK(false);
}

/* Without memory of the host, nothing is opened. */
static void test_nothing_opens(void) {
    sct_cuda_context *context;
    sct_device *device;
    sct_stream *stream;
    stand_in_start((stand_in_machine){.devices = 1});
    alloc_countdown = 0;
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_NO_MEMORY);
    if (!CHECK(sct_cuda_context_create(NULL, 2, &context) == SCT_OK))
        return;
    alloc_countdown = 0;
    CHECK(sct_device_cuda(context, 0, &device) == SCT_NO_MEMORY && context->group.users == 1);
    if (!CHECK(sct_device_cuda(context, 0, &device) == SCT_OK))
        return;
    alloc_countdown = 0;
    CHECK(device->ops->stream_open(device, &stream) == SCT_NO_MEMORY);
    if (CHECK(device->ops->stream_open(device, &stream) == SCT_OK)) {
        alloc_countdown = 0;
        CHECK(device->ops->notify(stream, never, NULL) == SCT_NO_MEMORY);
        stand_in_fail(CALL_HOST, 1);
        CHECK(device->ops->notify(stream, never, NULL) == SCT_FAILED);
        stand_in_fail(CALL_NONE, 0);
        device->ops->stream_close(stream);
    }
    end(device);
}

/* Memory of the device, or what notes where it is, runs out; what is free is given back before. */
static void test_memory(void) {
    enum { SLAB = 6 << 20, PIECES = 16 };
    sct_device *device = start((stand_in_machine){.devices = 1});
    void *piece[PIECES];
    int pieces = 0;
    if (!device)
        return;
    const sct_device_ops *ops = device->ops;
    CHECK(ops->alloc(device, SIZE_MAX) == NULL && ops->alloc(device, SIZE_MAX / 2 + 1) == NULL);
    stand_in_fail(CALL_HOST_ALLOC, 1);
    CHECK(ops->alloc_host(device, 1) == NULL && cudaGetLastError() == cudaSuccess);
    alloc_countdown = 1; /* the first is that of the stand-in */
    CHECK(ops->alloc(device, 1) == NULL && alloc_countdown < 0);
    void *large = ops->alloc(device, SLAB);
    CHECK(memory_device(large) == 0);
    ops->release(device, large);
    stand_in_fail(CALL_MALLOC, 1);
    CHECK(ops->alloc(device, 2 * SLAB) == NULL && memory_device(large) == -1);
    CHECK(cudaGetLastError() == cudaSuccess);
    stand_in_fail(CALL_NONE, 0);
    piece[pieces++] = ops->alloc(device, 1);
    alloc_countdown = 0;
    while (pieces < PIECES && (piece[pieces] = ops->alloc(device, 1)))
        pieces++;
    CHECK(pieces > 1 && pieces < PIECES && alloc_countdown < 0);
    piece[pieces] = ops->alloc(device, 1);
    CHECK((char *)piece[pieces] > (char *)piece[pieces - 1]);
    while (pieces >= 0)
        ops->release(device, piece[pieces--]);
    end(device);
}

/* ---- Two threads ---- */

typedef struct user {
    sct_device *device;
    const double *other; /* memory of a device to which this one has no access */
} user;

/* Each stream makes itself a buffer for its first move from there to the host. */
static void *make_buffers(void *arg) {
    enum { STREAMS = 16 };
    const user *u = arg;
    const sct_device_ops *ops = u->device->ops;
    sct_stream *stream[STREAMS];
    double to;
    for (int i = 0; i < STREAMS; i++) {
        CHECK(ops->stream_open(u->device, &stream[i]) == SCT_OK);
        move(u->device, stream[i], u->other, &to);
        CHECK(sct_device_drain(u->device, stream[i]) == SCT_OK);
    }
    for (int i = 0; i < STREAMS; i++)
        ops->stream_close(stream[i]);
    return NULL;
}

/* The thread of a service moves memory while the rank allocates some. */
static void test_two_threads(void) {
    enum { ROUNDS = 500 };
    sct_device *device = start((stand_in_machine){.devices = 2, .apart = true});
    user u = {.device = device};
    pthread_t other;
    if (!device)
        return;
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaMalloc((void **)&u.other, sizeof *u.other) == cudaSuccess);
    CHECK(pthread_create(&other, NULL, make_buffers, &u) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        void *one = device->ops->alloc(device, 1), *two = device->ops->alloc(device, 1);
        CHECK(one && two && one != two);
        device->ops->release(device, one);
        device->ops->release(device, two);
    }
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(cudaFree((void *)u.other) == cudaSuccess);
    end(device);
}

/* ---- Lists of devices ---- */

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
               {"0,3", SCT_NO_ENGINE, "CUDA has no device 3: the last is 2"},
               {"99999999999999999999", SCT_NO_ENGINE, "CUDA has no device 99999999999999999999:"}};
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
    char many[2 * SCT_CUDA_MOST_DEVICES + 2] = "0";
    for (int i = 0; i < SCT_CUDA_MOST_DEVICES; i++)
        strcat(many, ",0");
    CHECK(sct_cuda_context_create(many, 1, &context) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strstr(sct_last_reason(), "devices: more than 64"), "%s", sct_last_reason());
    stand_in_start((stand_in_machine){.devices = 0});
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_NO_ENGINE);
    CHECK(strstr(sct_last_reason(), "CUDA has no device here: no CUDA-capable device") != NULL);
    stand_in_start((stand_in_machine){.driverless = true});
    CHECK(sct_cuda_context_create(NULL, 1, &context) == SCT_NO_ENGINE);
    CHECK(strstr(sct_last_reason(), "CUDA has no device here: no driver is installed") != NULL);
    CHECK(cudaGetLastError() == cudaSuccess);
    stand_in_end();
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_rules((stand_in_machine){.devices = 1, .seed = seed}, 5);
    test_rules((stand_in_machine){.devices = 2, .seed = seed, .delay_us = 50, .major = 9}, 2);
    test_relay();
    test_unmarked();
    test_not_ready();
    test_long_line();
    test_refusals();
    test_nothing_opens();
    test_memory();
    test_two_threads();
    test_lists();
    return check_report("device");
}
