/* host_waits.c - the host does not wait within a job, and each wait is counted: of the device, and
 * of OpenCL as the device calls it. However much is outstanding, few events are kept. */
#include "api/world.h"
#include "base/clock.h"
#include "device/opencl/stream.h"
#include "opencl/opened.h"
#include "support/check.h"
#include "whole/support/operands.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* ---- What the device calls ---- */

static atomic_llong waits;           /* calls that wait */
static atomic_llong held, most_held; /* references to events */
static _Atomic(cl_event) gate;       /* commands wait for it, until it is opened; NULL: none */

static void open_gate(void) {
    cl_event closed = atomic_exchange(&gate, NULL);
    if (!closed)
        return;
    clSetUserEventStatus(closed, CL_COMPLETE);
    clReleaseEvent(closed);
}

static void begin_wait(void) {
    atomic_fetch_add(&waits, 1);
    open_gate(); /* what waits for it too early shall fail, not hang */
}

static cl_int hold(cl_int error) {
    long long now = error == CL_SUCCESS ? atomic_fetch_add(&held, 1) + 1 : 0;
    long long most = atomic_load(&most_held);
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now))
        continue;
    return error;
}

cl_int __real_clWaitForEvents(cl_uint count, const cl_event *events);
cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events);
cl_int __real_clFinish(cl_command_queue queue);
cl_int __wrap_clFinish(cl_command_queue queue);
cl_int __real_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                          const cl_event *events, cl_event *event);
cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                          const cl_event *events, cl_event *event);
cl_int __real_clRetainEvent(cl_event event);
cl_int __wrap_clRetainEvent(cl_event event);
cl_int __real_clReleaseEvent(cl_event event);
cl_int __wrap_clReleaseEvent(cl_event event);

cl_int __wrap_clWaitForEvents(cl_uint count, const cl_event *events) {
    begin_wait();
    return __real_clWaitForEvents(count, events);
}

cl_int __wrap_clFinish(cl_command_queue queue) {
    begin_wait();
    return __real_clFinish(queue);
}

cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                          const cl_event *events, cl_event *event) {
    return hold(__real_clEnqueueMarkerWithWaitList(queue, count, events, event));
}

cl_int __wrap_clRetainEvent(cl_event event) {
    return hold(__real_clRetainEvent(event));
}

cl_int __wrap_clReleaseEvent(cl_event event) {
    atomic_fetch_sub(&held, 1);
    return __real_clReleaseEvent(event);
}

/* ---- A stream that is held up ---- */

enum { COMMANDS = 1000, STREAMS = 2 };

typedef struct held_up {
    sct_device *device;
    sct_stream *stream[STREAMS];
    int *memory; /* of the device */
    int in[COMMANDS], out[COMMANDS];
    sct_event event[COMMANDS];
    _Atomic int64_t noted_ns;
} held_up;

static void note(void *context, int64_t ns) {
    atomic_store(&((held_up *)context)->noted_ns, ns);
}

static void move(sct_stream *stream, const int *from, int *to) {
    const sct_command command = {
        .work = SCT_DO_MOVE,
        .strided = {.lines = 1, .count = sizeof *from, .from = from, .to = to}};
    CHECK(stream->device->base.ops->submit(stream, &command) == SCT_OK);
}

/* The first stream moves numbers to the device, one by one, when the gate is open. The second moves
 * each back when it is there, or a little later. */
static void submit_all(held_up *h) {
    const sct_device_ops *ops = h->device->ops;
    cl_event closed = clCreateUserEvent(h->stream[0]->device->context->context, NULL);
    CHECK(closed && clEnqueueBarrierWithWaitList(h->stream[0]->queue, 1, &closed, NULL) == 0);
    atomic_fetch_add(&held, 1);
    atomic_store(&gate, closed);
    for (int i = 0; i < COMMANDS; i++) {
        h->in[i] = i + 1;
        move(h->stream[0], &h->in[i], &h->memory[i]);
        h->event[i] = ops->record(h->stream[0]);
    }
    CHECK(ops->notify(h->stream[0], note, h) == SCT_OK);
    for (int i = 0; i < COMMANDS; i++) {
        CHECK(ops->follow(h->stream[1], h->event[i]) == SCT_OK);
        move(h->stream[1], &h->memory[i], &h->out[i]);
    }
}

static void test_held_up(void) {
    static held_up h;
    CHECK(sct_device_opencl(opened_parts(), 1, &h.device) == SCT_OK);
    const sct_device_ops *ops = h.device->ops;
    for (int s = 0; s < STREAMS; s++)
        CHECK(ops->stream_open(h.device, &h.stream[s]) == SCT_OK);
    h.memory = ops->alloc(h.device, sizeof h.in);
    long long before = atomic_load(&waits);
    submit_all(&h);
    CHECK_CASE(atomic_load(&waits) == before, "%lld waits while commands are submitted",
               atomic_load(&waits) - before);
    CHECK(!sct_event_done(h.event[0]) && !sct_event_done(h.event[COMMANDS - 1]));
    CHECK(atomic_load(&h.noted_ns) == 0);
    int64_t opened_ns = sct_now_ns();
    open_gate();
    for (int s = 0; s < STREAMS; s++)
        CHECK(sct_device_drain(h.device, h.stream[s]) == SCT_OK);
    CHECK(memcmp(h.in, h.out, sizeof h.in) == 0);
    for (int i = 0; i < COMMANDS; i++)
        CHECK(sct_event_done(h.event[i]));
    while (atomic_load(&h.noted_ns) == 0)
        sched_yield();
    CHECK(h.noted_ns >= opened_ns && h.noted_ns <= sct_now_ns());
    for (int s = 0; s < STREAMS; s++)
        ops->stream_close(h.stream[s]);
    ops->release(h.device, h.memory);
    CHECK_CASE((long long)h.device->waits == atomic_load(&waits), "%lld of %lld waits are counted",
               (long long)h.device->waits, atomic_load(&waits));
    ops->close(h.device);
    CHECK_CASE(atomic_load(&most_held) <= STREAMS * (SCT_CL_EVENTS + 2) && atomic_load(&held) == 0,
               "up to %lld events are held, and %lld in the end", atomic_load(&most_held),
               atomic_load(&held));
}

/* ---- Jobs of many steps ---- */

enum { RANKS = 2, SIZE = 48, JOBS = 4, MOST_WAITS = 10, MOST_STREAMS = 9 };

/* What was counted after each job: by OpenCL, and by the devices of the ranks. */
typedef struct counts {
    sct_stay stay;
    long long called[JOBS + 1], held[JOBS + 1];
    uint64_t counted[RANKS][JOBS + 1];
} counts;

static void count(sct_world *world, counts *c, int jobs) {
    int rank = sct_world_rank(world);
    CHECK(sct_world_barrier(world) == SCT_OK);
    c->counted[rank][jobs] = world->device->waits;
    if (rank == 0) {
        c->called[jobs] = atomic_load(&waits);
        c->held[jobs] = atomic_load(&held);
    }
    CHECK(sct_world_barrier(world) == SCT_OK);
}

static int run_jobs(sct_world *world, void *arg) {
    counts *c = arg;
    const float one = 1, zero = 0;
    const char *layout = "cyclic:4x4@1x2";
    const sct_options options = {.size = sizeof options,
                                 .stay = c->stay,
                                 .slicing = SCT_SLICE_TILE,
                                 .products_in_flight = 2,
                                 .accumulates_in_flight = 2};
    const operands_spec spec = {
        .layout = {layout, layout, layout}, .type = SCT_F32, .size = SIZE, .options = &options};
    operands made;
    operands_create(world, &spec, &made);
    sct_cost cost = {.steps = 0};
    CHECK(sct_plan_cost(made.plan, &cost) == SCT_OK && cost.steps >= 512);
    for (int i = 0; i < JOBS; i++) {
        count(world, c, i);
        CHECK(sct_job_start(made.job, &one, &zero) == SCT_OK && sct_job_wait(made.job) == SCT_OK);
    }
    count(world, c, JOBS);
    operands_destroy(&made);
    return 0;
}

static void test_jobs(sct_stay stay) {
    counts c = {.stay = stay};
    const sct_opencl_options parts = {
        .size = sizeof parts, .ranks_per_node = 1, .devices = two_parts};
    const sct_world_options world = {
        .size = sizeof world, .engine = "opencl", .engine_options = &parts};
    CHECK_CASE(sct_run(RANKS, &world, run_jobs, &c) == SCT_OK, "%s", sct_last_reason());
    for (int i = 0; i < JOBS; i++) {
        long long called = c.called[i + 1] - c.called[i], counted = 0;
        for (int r = 0; r < RANKS; r++)
            counted += (long long)(c.counted[r][i + 1] - c.counted[r][i]);
        CHECK_CASE(called == counted && called <= RANKS * MOST_WAITS,
                   "stay %d, job %d: %lld waits, of which %lld are counted", (int)stay, i, called,
                   counted);
        CHECK_CASE(c.held[i] <= RANKS * MOST_STREAMS * SCT_CL_EVENTS,
                   "stay %d, job %d: %lld events are held", (int)stay, i, c.held[i]);
    }
    CHECK(atomic_load(&held) == 0);
}

int main(void) {
    test_held_up();
    test_jobs(SCT_STAY_A);
    test_jobs(SCT_STAY_C);
    return check_report("host_waits");
}
