/* mailbox.c - additions to memory of another GPU by its mailbox, also of blocks that are larger, of
 * both GPUs at once, and together with others that go there directly; and calls that fail. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "rules/device_memory.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2 };

typedef struct pair {
    sct_device *device[DEVICES];
    sct_stream *stream[DEVICES];
} pair;

static pair open_pair(void) {
    sct_cuda_context *context;
    pair p = {.device = {NULL}};
    CHECK(sct_cuda_context_create(NULL, DEVICES, &context) == SCT_OK);
    for (int i = 0; i < DEVICES; i++) {
        CHECK(sct_device_cuda(context, i, &p.device[i]) == SCT_OK);
        CHECK(p.device[i]->ops->stream_open(p.device[i], &p.stream[i]) == SCT_OK);
    }
    return p;
}

static void close_pair(pair p) {
    for (int i = 0; i < DEVICES; i++)
        p.device[i]->ops->stream_close(p.stream[i]);
    for (int i = 0; i < DEVICES; i++)
        p.device[i]->ops->close(p.device[i]);
}

/* A block of floats with gaps between its lines. */
typedef struct block {
    int64_t lines, count, ld;
} block;

static sct_status submit_add(const pair *p, int i, block b, const float *from, float *to) {
    sct_command command = {.work = SCT_DO_ADD,
                           .type = SCT_F32,
                           .strided = {.lines = b.lines,
                                       .count = b.count,
                                       .from = from,
                                       .from_ld = b.ld,
                                       .to = to,
                                       .to_ld = b.ld,
                                       .atomic = true}};
    return p->device[i]->ops->submit(p->stream[i], &command);
}

/* Each device adds blocks of ones to zeros of both devices, several times. */
static void test_block(const pair *p, block b) {
    enum { TIMES = 2 };
    size_t elements = (size_t)(b.lines * b.ld), bytes = elements * sizeof(float);
    float *ones[DEVICES], *sums[DEVICES], *host = malloc(bytes);
    int64_t wrong = 0;
    for (size_t i = 0; i < elements; i++)
        host[i] = 1;
    for (int d = 0; d < DEVICES; d++) {
        ones[d] = memory_new(p->device[d], bytes, 0);
        sums[d] = memory_new(p->device[d], bytes, 0);
        memory_put(p->device[d], ones[d], host, bytes);
    }
    for (int time = 0; time < TIMES; time++)
        for (int i = 0; i < DEVICES * DEVICES; i++)
            CHECK_CASE(submit_add(p, i / DEVICES, b, ones[i / DEVICES], sums[i % DEVICES]) ==
                           SCT_OK,
                       "%s", sct_last_reason());
    for (int d = 0; d < DEVICES; d++)
        CHECK(sct_device_drain(p->device[d], p->stream[d]) == SCT_OK);
    for (int d = 0; d < DEVICES; d++) {
        memory_take(p->device[d], sums[d], host, bytes);
        for (int64_t i = 0; i < (int64_t)elements; i++)
            wrong += host[i] != (i % b.ld < b.count ? DEVICES * TIMES : 0);
        memory_free(p->device[d], ones[d]);
        memory_free(p->device[d], sums[d]);
    }
    CHECK_CASE(wrong == 0, "%lld lines of %lld: %lld elements are wrong", (long long)b.lines,
               (long long)b.count, (long long)wrong);
    free(host);
}

/* The last two blocks are of more than a slot of a mailbox, which 2097152 floats fill: in whole
 * lines, and in parts of lines, of which there are more than slots. */
enum { BLOCKS = 5, BUT_LARGEST = BLOCKS - 1 };

static void test(stand_in_machine machine, int count) {
    static const block blocks[BLOCKS] = {
        {1, 1, 1}, {7, 5, 9}, {3, 300, 301}, {3000, 700, 701}, {3, 2097153, 2097156}};
    stand_in_start(machine);
    pair p = open_pair();
    for (int i = 0; i < count; i++)
        test_block(&p, blocks[i]);
    close_pair(p);
    /* however large the blocks: beside products, which need most of the GPU */
    stand_in_grid most = stand_in_largest_addition();
    CHECK(most.blocks == 32 && most.threads == 512);
    CHECK(stand_in_count(CALL_LAUNCH_ATOMIC) == stand_in_count(CALL_LAUNCH));
    CHECK(stand_in_count(CALL_LAUNCH_URGENT) == stand_in_count(CALL_LAUNCH));
    stand_in_end();
}

/* A call that fails: when the owner of the memory is looked for, and after a part of the block was
 * submitted, when it is marked as added, when the stream is to wait for that, and when the next
 * part is on its way. */
typedef struct fault {
    stand_in_call call;
    int number;
    int64_t count;
} fault;

/* That part has been added when the stream is drained, as its memory may be used again. */
static void test_failure(fault f) {
    stand_in_start((stand_in_machine){.devices = DEVICES, .apart = true});
    pair p = open_pair();
    size_t bytes = (size_t)f.count * sizeof(float);
    float *ones = memory_new(p.device[0], bytes, 0), sum;
    float *sums = memory_new(p.device[1], bytes, 0);
    stand_in_fail(f.call, f.number);
    CHECK(submit_add(&p, 0, (block){1, f.count, f.count}, ones, sums) != SCT_OK);
    CHECK(stand_in_failed());
    stand_in_fail(CALL_NONE, 0);
    sct_device_drain(p.device[0], p.stream[0]);
    memory_take(p.device[1], sums, &sum, sizeof sum);
    memory_free(p.device[0], ones);
    memory_free(p.device[1], sums);
    close_pair(p);
    stand_in_end();
}

int main(void) {
    uint64_t seed = check_seed(1);
    test((stand_in_machine){.devices = DEVICES, .delay_us = 20, .seed = seed, .unequal = true},
         BUT_LARGEST);
    test((stand_in_machine){.devices = DEVICES, .delay_us = 20, .seed = seed, .apart = true},
         BLOCKS);
    test((stand_in_machine){.devices = DEVICES, .delay_us = 20, .seed = seed, .major = 9},
         BUT_LARGEST);
    static const fault faults[] = {{CALL_ATTRIBUTES, 1, 8},
                                   {CALL_EVENT_RECORD, 2, 8},
                                   {CALL_WAIT_EVENT, 3, 8},
                                   {CALL_COPY_PEER, 2, 2097153}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        test_failure(faults[i]);
    return check_report("mailbox");
}
