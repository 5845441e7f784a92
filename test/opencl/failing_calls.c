/* failing_calls.c - each call of OpenCL, and each allocation, that a device makes fails in turn:
 * the device says so, leaves nothing behind, and works the next time. */
#include "device/opencl/stream.h"
#include "faults/fault.h"
#include "opencl/opened.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* MOST exceeds the number of any such calls in one session. */
enum { SIZE = 4, ELEMENTS = SIZE * SIZE, PLACES = 8, MOST = 200 };

/* ---- Which call fails ---- */

static struct {
    const char *call;
    long left;
    bool of_blas; /* one that CLBlast makes */
} broken = {"", 0, false};

static bool is_here(const void *address) {
    Dl_info of_address, here;
    return dladdr(address, &of_address) && dladdr(&broken, &here) &&
           of_address.dli_fbase == here.dli_fbase;
}

bool fault_due(const char *kind, const char *call, const void *caller) {
    (void)kind;
    return strcmp(call, broken.call) == 0 && is_here(caller) != broken.of_blas &&
           --broken.left == 0;
}

fault_function *fault_next(const char *call) {
    fault_function *found;
    *(void **)&found = dlsym(RTLD_NEXT, call);
    return found;
}

static void break_call(const char *call, long number) {
    broken.call = call;
    broken.left = number;
}

/* ---- A session: commands of every kind ---- */

typedef struct session {
    sct_device *device;
    sct_stream *stream[2];
    float *memory; /* of the device: places for matrices of SIZE x SIZE */
    float in[ELEMENTS], out[ELEMENTS];
    bool tells; /* the host will be told that the commands have run */
    atomic_bool told;
} session;

static void tell(void *context, int64_t ns) {
    (void)ns;
    atomic_store(&((session *)context)->told, true);
}

static sct_status submit(session *s, sct_command command) {
    return s->device->ops->submit(s->stream[0], &command);
}

/* A command on lines of SIZE elements, which may have gaps. */
static sct_command on_lines(sct_work work, const float *from, int64_t from_ld, float *to,
                            int64_t to_ld) {
    int64_t unit = work == SCT_DO_MOVE ? sizeof *to : 1;
    return (sct_command){.work = work,
                         .strided = {.lines = SIZE,
                                     .count = SIZE * unit,
                                     .from = from,
                                     .from_ld = from_ld * unit,
                                     .to = to,
                                     .to_ld = to_ld * unit,
                                     .factor.f32 = {2}}};
}

static sct_command convert(sct_type type, const void *from, sct_type to_type, void *to) {
    return (sct_command){.work = SCT_DO_CONVERT,
                         .type = type,
                         .strided = {.lines = 1,
                                     .count = ELEMENTS,
                                     .from = from,
                                     .from_ld = ELEMENTS,
                                     .to = to,
                                     .to_ld = ELEMENTS,
                                     .to_type = to_type}};
}

static sct_command gemm(const float *a, const float *b, float *c, int64_t lda) {
    return (sct_command){.work = SCT_DO_GEMM,
                         .gemm = {.order = SCT_ROW_MAJOR,
                                  .m = SIZE,
                                  .n = SIZE,
                                  .k = SIZE,
                                  .alpha.f32 = {1},
                                  .a = a,
                                  .b = b,
                                  .c = c,
                                  .lda = lda,
                                  .ldb = SIZE,
                                  .ldc = SIZE}};
}

/* out = 2 (in + its transpose) in. Lines are moved apart and back; the sum is narrowed, and widened
 * in place. */
static sct_status calculate(session *s) {
    float *at[PLACES];
    for (int i = 0; i < PLACES; i++)
        at[i] = s->memory + (ptrdiff_t)i * ELEMENTS;
    float *upper_half = at[5] + ELEMENTS / 2;
    const sct_command commands[] = {on_lines(SCT_DO_MOVE, s->in, SIZE, at[0], SIZE),
                                    on_lines(SCT_DO_MOVE, at[0], SIZE, at[1], 2 * SIZE),
                                    on_lines(SCT_DO_COPY, at[1], 2 * SIZE, at[3], SIZE),
                                    on_lines(SCT_DO_TRANSPOSE, at[3], SIZE, at[4], SIZE),
                                    on_lines(SCT_DO_ADD, at[3], SIZE, at[4], SIZE),
                                    on_lines(SCT_DO_SCALE, NULL, 0, at[4], SIZE),
                                    convert(SCT_F32, at[4], SCT_BF16, upper_half),
                                    convert(SCT_BF16, upper_half, SCT_F32, at[5]),
                                    gemm(at[5], at[0], at[6], SIZE)};
    sct_status status = SCT_OK;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && !status; i++)
        status = submit(s, commands[i]);
    if (status)
        return status;
    sct_device_hold(s->device, s->device->ops->record(s->stream[0]));
    sct_command out = on_lines(SCT_DO_MOVE, at[6], SIZE, s->out, SIZE);
    status = s->device->ops->submit(s->stream[1], &out);
    if (!status)
        status = s->device->ops->notify(s->stream[1], tell, s);
    s->tells = !status;
    for (int i = 0; i < 2 && !status; i++)
        status = sct_device_drain(s->device, s->stream[i]);
    return status;
}

static sct_status open_session(sct_cl_context *context, session *s) {
    *s = (session){.device = NULL};
    for (int i = 0; i < ELEMENTS; i++)
        s->in[i] = (float)i;
    sct_status status = sct_device_opencl(context, 1, &s->device);
    for (int i = 0; i < 2 && !status; i++)
        status = s->device->ops->stream_open(s->device, &s->stream[i]);
    if (!status && !(s->memory = s->device->ops->alloc(s->device, PLACES * sizeof s->in)))
        status = sct_no_memory("the session");
    return status;
}

static void close_session(sct_cl_context *context, session *s) {
    while (s->tells && !atomic_load(&s->told))
        sched_yield();
    for (int i = 0; i < 2; i++)
        if (s->stream[i])
            s->device->ops->stream_close(s->stream[i]);
    if (s->memory)
        s->device->ops->release(s->device, s->memory);
    if (s->device)
        s->device->ops->close(s->device);
    CHECK(context->ranges == 0);
}

static bool is_right(const session *s) {
    bool right = true;
    for (int i = 0; i < ELEMENTS; i++) {
        int row = i / SIZE, col = i % SIZE;
        float sum = 0;
        for (int l = 0; l < SIZE; l++)
            sum += 2 * (s->in[row * SIZE + l] + s->in[l * SIZE + row]) * s->in[l * SIZE + col];
        right = right && s->out[i] == sum;
    }
    return right;
}

static sct_status run_session(sct_cl_context *context) {
    session s;
    sct_status status = open_session(context, &s);
    if (!status)
        status = calculate(&s);
    CHECK(status || is_right(&s));
    close_session(context, &s);
    return status;
}

/* ---- Tests ---- */

/* A context that was made would be kept, so that no call is left to fail. */
static void test_contexts(void) {
    static const struct {
        const char *list, *call;
        sct_status status;
        const char *reason;
    } cases[] = {{"0,0", "clGetPlatformIDs", SCT_NO_ENGINE, "OpenCL has no device here"},
                 {"0,0/2", "clGetDeviceInfo", SCT_BAD_ARGUMENT, "it has 0 units"},
                 {"0,0/2", "clCreateSubDevices", SCT_FAILED, "could not divide a device"},
                 {"0,0/2", "clCreateContext", SCT_FAILED, "could not make a context"}};
    sct_cl_context *context;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        break_call(cases[i].call, 1);
        sct_status status = sct_cl_context_get(cases[i].list, &context);
        CHECK_CASE(status == cases[i].status && strstr(sct_last_reason(), cases[i].reason),
                   "%s: %s", cases[i].call, sct_last_reason());
    }
    break_call("", 0);
    alloc_countdown = 0;
    CHECK(sct_cl_context_get("0,0/2", &context) == SCT_NO_MEMORY);
}

/* Memory that there is none of: of OpenCL, of addresses, or of the host to note where it is. */
static void test_memory(sct_cl_context *context) {
    session s;
    if (!CHECK(open_session(context, &s) == SCT_OK))
        return;
    CHECK(s.device->ops->alloc(s.device, SIZE_MAX / 2) == NULL);
    s.device->ops->release(s.device, s.memory);
    s.memory = NULL;
    while (context->ranges < context->room)
        sct_cl_alloc(context, 1);
    alloc_countdown = 0;
    CHECK(s.device->ops->alloc(s.device, 1) == NULL && alloc_countdown < 0);
    CHECK(context->ranges == context->room);
    while (context->ranges > 0)
        sct_cl_release(context, context->range[0].base);
    close_session(context, &s);
}

/* Moves SIZE lines to the device and back. */
static bool serves_moves(session *s, float *host) {
    memcpy(host, s->in, sizeof s->in);
    sct_status status = submit(s, on_lines(SCT_DO_MOVE, host, SIZE, s->memory, SIZE));
    if (!status)
        status = submit(s, on_lines(SCT_DO_MOVE, s->memory, SIZE, host + ELEMENTS, SIZE));
    return !status && !sct_device_drain(s->device, s->stream[0]) &&
           memcmp(host + ELEMENTS, s->in, sizeof s->in) == 0;
}

/* Memory of the host is that of OpenCL, or, where this fails, any. */
static void test_host_memory(sct_cl_context *context) {
    static const char *const calls[] = {"", "clCreateBuffer", "clEnqueueMapBuffer", "malloc"};
    session s;
    if (!CHECK(open_session(context, &s) == SCT_OK))
        return;
    const sct_cl_device *device = (const sct_cl_device *)s.device;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        break_call(calls[i], 1);
        alloc_countdown = strcmp(calls[i], "malloc") == 0 ? 0 : -1;
        float *host = s.device->ops->alloc_host(s.device, 2 * sizeof s.in);
        break_call("", 0);
        CHECK_CASE((device->mapped != NULL) == (i == 0) && alloc_countdown < 0, "%s", calls[i]);
        CHECK_CASE(host && serves_moves(&s, host), "%s: %s", calls[i], sct_last_reason());
        s.device->ops->release_host(s.device, host);
        CHECK(device->mapped == NULL);
    }
    close_session(context, &s);
}

/* Returns whether there was such a call. */
static bool fail_call(sct_cl_context *context, const char *call, long number) {
    break_call(call, number);
    sct_status status = run_session(context);
    bool reached = broken.left <= 0;
    break_call("", 0);
    CHECK_CASE(reached == (status != SCT_OK), "%s fails at %ld: %s", call, number,
               sct_status_name(status));
    CHECK(!status || sct_last_reason()[0] != '\0');
    return reached;
}

/* Programs are kept, so that the call that makes them comes first. */
static void test_calls(sct_cl_context *context) {
    static const char *const calls[] = {"clCreateProgramWithSource",
                                        "clCreateCommandQueue",
                                        "clCreateBuffer",
                                        "clEnqueueMigrateMemObjects",
                                        "clEnqueueCopyBuffer",
                                        "clCreateKernel",
                                        "clSetKernelArg",
                                        "clEnqueueNDRangeKernel",
                                        "clEnqueueMarkerWithWaitList",
                                        "clSetEventCallback",
                                        "clGetEventInfo",
                                        "clWaitForEvents"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long number = 1;
        while (number < MOST && fail_call(context, calls[i], number))
            number++;
        CHECK_CASE(number > 1 && number < MOST, "%s: %ld calls", calls[i], number - 1);
    }
    broken.of_blas = true;
    CHECK(fail_call(context, "clEnqueueNDRangeKernel", 1));
    CHECK_CASE(strstr(sct_last_reason(), "CLBlast failed"), "%s", sct_last_reason());
    broken.of_blas = false;
}

/* A device works, too, of which it is unknown whether it has f64, or is a processor, and when it
 * has run a command. */
static void test_unknown(sct_cl_context *context) {
    static const char *const calls[] = {"clGetDeviceInfo", "clGetEventProfilingInfo"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (long number = 1; number <= 2; number++) {
            break_call(calls[i], number);
            CHECK_CASE(run_session(context) == SCT_OK && broken.left <= 0, "%s", calls[i]);
        }
    break_call("", 0);
}

static void test_allocations(sct_cl_context *context) {
    long number = 0;
    for (bool reached = true; reached && number < MOST; number++) {
        alloc_countdown = number;
        sct_status status = run_session(context);
        reached = alloc_countdown < 0;
        alloc_countdown = -1;
        CHECK_CASE(status == (reached ? SCT_NO_MEMORY : SCT_OK), "allocation %ld: %s", number,
                   sct_status_name(status));
    }
    CHECK(number > 1 && number < MOST);
}

/* Memory of the host is for moves only, and only to or from the device. */
static void test_refusals(sct_cl_context *context) {
    session s;
    if (!CHECK(open_session(context, &s) == SCT_OK))
        return;
    float *own = s.memory, *next = own + ELEMENTS;
    const struct {
        sct_command command;
        sct_status status;
        const char *reason;
    } cases[] = {
        {on_lines(SCT_DO_MOVE, s.in, SIZE, s.out, SIZE), SCT_FAILED, "a move within the host"},
        {on_lines(SCT_DO_COPY, s.in, SIZE, own, SIZE), SCT_FAILED, "use memory of the host"},
        {on_lines(SCT_DO_ADD, own, SIZE, s.out, SIZE), SCT_FAILED, "use memory of the host"},
        {on_lines(SCT_DO_SCALE, NULL, 0, s.out, SIZE), SCT_FAILED, "use memory of the host"},
        {convert(SCT_F32, s.in, SCT_F16, own), SCT_FAILED, "use memory of the host"},
        {gemm(own, s.in, next, SIZE), SCT_FAILED, "use memory of the host"},
        {gemm(own, own, next, INT_MAX / 2), SCT_FAILED, "CLBlast reaches 2147483647 elements"},
        {on_lines((sct_work)99, own, SIZE, next, SIZE), SCT_BAD_ARGUMENT, "99 is not a kind of"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_CASE(submit(&s, cases[i].command) == cases[i].status &&
                       strstr(sct_last_reason(), cases[i].reason),
                   "%s", sct_last_reason());
    close_session(context, &s);
}

int main(void) {
    sct_cl_context *context = opened_parts();
    test_contexts();
    test_memory(context);
    test_host_memory(context);
    test_calls(context);
    test_unknown(context);
    test_allocations(context);
    test_refusals(context);
    return check_report("failing_calls");
}
