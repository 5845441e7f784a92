/* room.c - what products and conversions need in between is one buffer of their stream, however
 * many of them are outstanding. */
#include "device/opencl/stream.h"
#include "opencl/opened.h"
#include "support/check.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int buffers; /* that were made, also by CLBlast */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *error) {
    typedef cl_mem real(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    real *found;
    *(void **)&found = dlsym(RTLD_NEXT, "clCreateBuffer");
    atomic_fetch_add(&buffers, 1);
    return found(context, flags, bytes, host, error);
}

/* Sizes that CLBlast pads, growing twice. */
enum { PRODUCTS = 6, LARGEST = 301, ELEMENTS = LARGEST * LARGEST };
static const int sizes[PRODUCTS] = {201, 150, 201, LARGEST, 130, LARGEST};

typedef struct session {
    sct_device *device;
    sct_stream *stream;
    float *a, *b, *c[PRODUCTS]; /* of the device */
    float *host;
} session;

static void submit(const session *s, sct_command command) {
    CHECK_CASE(s->device->ops->submit(s->stream, &command) == SCT_OK, "%s", sct_last_reason());
}

static void move(const session *s, const float *from, float *to) {
    submit(s, (sct_command){.work = SCT_DO_MOVE,
                            .strided = {.lines = 1,
                                        .count = (int64_t)(ELEMENTS * sizeof *from),
                                        .from = from,
                                        .to = to}});
    CHECK(sct_device_drain(s->device, s->stream) == SCT_OK);
}

static float of_a(int row) {
    return (float)(row % 3 + 1);
}

static float of_b(int col) {
    return (float)(col % 5 - 2);
}

static float *of_device(const session *s) {
    float *memory = s->device->ops->alloc(s->device, ELEMENTS * sizeof *memory);
    CHECK(memory != NULL);
    return memory;
}

static void open_session(session *s) {
    CHECK(sct_device_opencl(opened_parts(), 1, &s->device) == SCT_OK);
    CHECK(s->device->ops->stream_open(s->device, &s->stream) == SCT_OK);
    s->a = of_device(s);
    s->b = of_device(s);
    for (int i = 0; i < PRODUCTS; i++)
        s->c[i] = of_device(s);
    s->host = malloc(ELEMENTS * sizeof *s->host);
    for (int i = 0; i < ELEMENTS; i++)
        s->host[i] = of_a(i / LARGEST);
    move(s, s->host, s->a);
    for (int i = 0; i < ELEMENTS; i++)
        s->host[i] = of_b(i % LARGEST);
    move(s, s->host, s->b);
}

static void close_session(session *s) {
    const sct_device_ops *ops = s->device->ops;
    ops->stream_close(s->stream);
    CHECK(s->stream->room.buffer == NULL);
    ops->release(s->device, s->a);
    ops->release(s->device, s->b);
    for (int i = 0; i < PRODUCTS; i++)
        ops->release(s->device, s->c[i]);
    free(s->host);
    ops->close(s->device);
}

static sct_command product(const session *s, int number) {
    int size = sizes[number];
    return (sct_command){.work = SCT_DO_GEMM,
                         .type = SCT_F32,
                         .gemm = {.order = SCT_ROW_MAJOR,
                                  .m = size,
                                  .n = size,
                                  .k = size,
                                  .alpha.f32 = {1},
                                  .a = s->a,
                                  .b = s->b,
                                  .c = s->c[number],
                                  .lda = LARGEST,
                                  .ldb = LARGEST,
                                  .ldc = LARGEST}};
}

static void check_product(const session *s, int number) {
    int size = sizes[number], wrong = 0;
    move(s, s->c[number], s->host);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            wrong += s->host[i * LARGEST + j] != (float)size * of_a(i) * of_b(j);
    CHECK_CASE(wrong == 0, "product %d: %d elements are wrong", number, wrong);
}

/* Of bf16 in its upper half to f32, in place. */
static void widen(const session *s) {
    enum { COUNT = ELEMENTS / 2 };
    submit(s, (sct_command){.work = SCT_DO_CONVERT,
                            .type = SCT_BF16,
                            .strided = {.lines = 1,
                                        .count = COUNT,
                                        .from = (char *)s->a + 2 * COUNT,
                                        .from_ld = COUNT,
                                        .to = s->a,
                                        .to_ld = COUNT,
                                        .to_type = SCT_F32}});
}

int main(void) {
    session s;
    open_session(&s);
    int before = atomic_load(&buffers);
    for (int i = 0; i < PRODUCTS; i++)
        submit(&s, product(&s, i));
    int made = atomic_load(&buffers) - before;
    CHECK_CASE(made >= 1 && made <= 2, "%d buffers for %d products", made, PRODUCTS);
    for (int i = 0; i < PRODUCTS; i++)
        check_product(&s, i);
    for (int i = 0; i < 3; i++)
        widen(&s);
    CHECK(atomic_load(&buffers) - before == made);
    close_session(&s);
    return check_report("room");
}
