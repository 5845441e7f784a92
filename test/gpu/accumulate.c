/* accumulate.c - how fast a GPU adds contributions to memory of a GPU, atomically and by the
 * mailbox, compared with a plain kernel that does c += t in its own memory.
 *
 * accumulate [LIST [MIB]]: the first GPU of the list adds to the last, blocks of so many MiB. */
#include "device/cuda/cuda.h"
#include "device/cuda/stream.h"
#include "rules/device_memory.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SKIPPED = 77, DEVICES = 2, ROUNDS = 7, TIMES = 4 };

typedef struct bench {
    sct_device *device[DEVICES]; /* that adds, and that owns the sums */
    sct_stream *stream[DEVICES];
    float *terms[DEVICES], *sums;
    int64_t count;
    float added; /* so often, ones have been added to zeros */
} bench;

/* The GPU that contributes, or the owner for the plain kernel. */
enum { CONTRIBUTOR, OWNER };

static sct_strided_work work_of(const bench *b, int who, bool atomic) {
    return (sct_strided_work){.lines = 1,
                              .count = b->count,
                              .from = b->terms[who],
                              .from_ld = b->count,
                              .to = b->sums,
                              .to_ld = b->count,
                              .atomic = atomic};
}

static sct_status add(const bench *b, int who, bool atomic) {
    sct_command command = {.work = SCT_DO_ADD, .type = SCT_F32, .strided = work_of(b, who, atomic)};
    return b->device[who]->ops->submit(b->stream[who], &command);
}

static sct_status add_plainly(const bench *b) {
    return add(b, OWNER, false);
}

static sct_status add_atomically(const bench *b) {
    return add(b, CONTRIBUTOR, true);
}

/* Not as a command, since a GPU has no need of its own mailbox. */
static sct_status add_by_mailbox(const bench *b) {
    sct_strided_work work = work_of(b, CONTRIBUTOR, true);
    sct_cuda_gpu *owner = ((sct_cuda_device *)b->device[OWNER])->gpu;
    return sct_cuda_mail(b->stream[CONTRIBUTOR], owner, SCT_F32, &work);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The seconds of one addition: the least of several rounds, as nothing can make one faster. */
static double time_of(bench *b, sct_status (*method)(const bench *b)) {
    double least = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < TIMES; i++)
            CHECK_CASE(method(b) == SCT_OK, "%s", sct_last_reason());
        for (int i = 0; i < DEVICES; i++)
            CHECK(sct_device_drain(b->device[i], b->stream[i]) == SCT_OK);
        double seconds = (now() - begin) / TIMES;
        least = round == 0 || seconds < least ? seconds : least;
        b->added += TIMES;
    }
    return least;
}

static void report(bench *b, const char *name, sct_status (*method)(const bench *b),
                   double *plain) {
    double seconds = time_of(b, method);
    *plain = *plain > 0 ? *plain : seconds;
    printf("%s: %.4g GB/s, %.2f of plain\n", name, 1e-9 * 4 * (double)b->count / seconds,
           *plain / seconds);
}

static void check_sums(const bench *b) {
    size_t bytes = (size_t)b->count * sizeof(float);
    float *host = malloc(bytes);
    int64_t wrong = 0;
    memory_take(b->device[OWNER], b->sums, host, bytes);
    for (int64_t i = 0; i < b->count; i++)
        wrong += host[i] != b->added;
    CHECK_CASE(wrong == 0, "%lld sums are wrong", (long long)wrong);
    free(host);
}

static void fill(const bench *b, int who, float value, float *to) {
    size_t bytes = (size_t)b->count * sizeof(float);
    float *host = malloc(bytes);
    for (int64_t i = 0; i < b->count; i++)
        host[i] = value;
    memory_put(b->device[who], to, host, bytes);
    free(host);
}

static void measure(bench *b) {
    double plain = 0;
    size_t bytes = (size_t)b->count * sizeof(float);
    for (int i = 0; i < DEVICES; i++) {
        b->terms[i] = memory_new(b->device[i], bytes, 0);
        fill(b, i, 1, b->terms[i]);
    }
    b->sums = memory_new(b->device[OWNER], bytes, 0);
    report(b, "plain", add_plainly, &plain);
    report(b, "atomic", add_atomically, &plain);
    report(b, "mailbox", add_by_mailbox, &plain);
    check_sums(b);
    memory_free(b->device[OWNER], b->sums);
    for (int i = 0; i < DEVICES; i++)
        memory_free(b->device[i], b->terms[i]);
}

int main(int count, char **words) {
    const char *list = count > 1 ? words[1] : "0";
    bench b = {.count = (int64_t)(count > 2 ? atoi(words[2]) : 512) << 18};
    sct_cuda_context *context;
    if (sct_cuda_context_create(list, DEVICES, &context) != SCT_OK) {
        printf("%s\n", sct_last_reason());
        return SKIPPED;
    }
    int listed[DEVICES] = {0, context->group.count - 1};
    for (int i = 0; i < DEVICES; i++) {
        CHECK(sct_device_cuda(context, listed[i], &b.device[i]) == SCT_OK);
        CHECK(b.device[i]->ops->stream_open(b.device[i], &b.stream[i]) == SCT_OK);
    }
    measure(&b);
    for (int i = 0; i < DEVICES; i++)
        b.device[i]->ops->stream_close(b.stream[i]);
    for (int i = 0; i < DEVICES; i++)
        b.device[i]->ops->close(b.device[i]);
    return check_report("accumulate");
}
