/* device_processes.c - ranks that are processes, each with a device. */
#include "processes/device_processes.h"

#include "fabric/device_processes/device_processes.h"
#include "processes/ranks.h"
#include "rules/device_memory.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Memory that processes share ---- */

enum { ELEMENTS = 1000, FIRST = 3, ADDITIONS = 3000 };

/* Memory of a device whose elements from FIRST on are shared. */
typedef struct part {
    double *own;
    double *attached; /* those of the next rank */
} part;

static void share_with_next(sct_device *device, int next, part *p) {
    enum { SHARED = (ELEMENTS - FIRST) * sizeof(double) };
    sct_memory_handle mine, *all = calloc((size_t)ranks_size(), sizeof *all);
    double values[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = i < FIRST ? -1 : ranks_rank();
    p->own = memory_new(device, sizeof values, 0);
    memory_put(device, p->own, values, sizeof values);
    CHECK(device->ops->share(device, p->own + FIRST, SHARED, &mine));
    CHECK(!device->ops->share(device, p->own + FIRST, ((size_t)1 << 40), &mine));
    CHECK(!device->ops->share(device, values, sizeof values, &mine));
    CHECK(device->ops->share(device, p->own + FIRST, SHARED, &mine));
    ranks_gather(&mine, sizeof mine, all);
    p->attached = device->ops->attach(device, &all[next]);
    memset(&mine, 0, sizeof mine);
    CHECK(!device->ops->attach(device, &mine));
    free(all);
}

/* All ranks add to the memory of the next rank, and to their own. */
static void add_to_both(sct_device *device, const part *p) {
    sct_stream *stream;
    double *ones = memory_new(device, ELEMENTS * sizeof *ones, 0), values[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = 1;
    memory_put(device, ones, values, sizeof values);
    CHECK(device->ops->stream_open(device, &stream) == SCT_OK);
    for (int i = 0; i < ADDITIONS; i++) {
        sct_command add = {.work = SCT_DO_ADD,
                           .type = SCT_F64,
                           .strided = {.lines = 1,
                                       .count = ELEMENTS - FIRST,
                                       .from = ones,
                                       .to = i % 2 ? p->own + FIRST : p->attached,
                                       .atomic = true}};
        CHECK(device->ops->submit(stream, &add) == SCT_OK);
    }
    CHECK(sct_device_drain(device, stream) == SCT_OK);
    device->ops->stream_close(stream);
    memory_free(device, ones);
}

static void check_values(sct_device *device, const double *memory, double value) {
    double values[ELEMENTS - FIRST];
    int wrong = 0;
    memory_take(device, memory, values, sizeof values);
    for (int i = 0; i < ELEMENTS - FIRST; i++)
        wrong += values[i] != value;
    CHECK_CASE(wrong == 0, "%d elements are not %g, such as %g", wrong, value, values[0]);
}

/* A rank reads the memory of the next one, and both add to it. */
void shared_memory_rules(sct_device *device) {
    int next = (ranks_rank() + 1) % ranks_size();
    char sign = 0, *all = malloc((size_t)ranks_size());
    part p;
    share_with_next(device, next, &p);
    if (!CHECK(p.attached && device->ops->can_use(device, p.attached)))
        exit(1);
    check_values(device, p.attached, next);
    ranks_gather(&sign, 1, all);
    add_to_both(device, &p);
    ranks_gather(&sign, 1, all);
    check_values(device, p.own + FIRST, ranks_rank() + ADDITIONS);
    device->ops->detach(device, p.attached);
    ranks_gather(&sign, 1, all);
    memory_free(device, p.own);
    free(all);
}

/* ---- The fabric ---- */

/* On streams, too, rectangles may be empty. */
static void transfer_nothing(sct_fabric *fabric, sct_device *device, sct_segment *segment) {
    const sct_target none = {.segment = segment};
    uint64_t got = fabric->bytes_got, accumulated = fabric->bytes_accumulated;
    sct_stream *stream;
    sct_event reached;
    if (!CHECK(device->ops->stream_open(device, &stream) == SCT_OK))
        return;
    CHECK(sct_fabric_get(fabric, stream, &none, NULL, 0, &reached) == SCT_OK && !reached.ops);
    CHECK(sct_fabric_accumulate(fabric, stream, SCT_F64, NULL, 0, &none, &reached) == SCT_OK);
    CHECK(!reached.ops);
    CHECK(fabric->bytes_got == got && fabric->bytes_accumulated == accumulated);
    device->ops->stream_close(stream);
}

/* A get that was waited for has written memory of the device. */
static void get_to_device(sct_fabric *fabric, sct_device *device, bool direct) {
    enum { BYTES = 1 << 16, ROUNDS = 20 };
    int next = (fabric->rank + 1) % fabric->size;
    sct_memory own = {.lines = 1, .width = BYTES};
    sct_target from = {.rank = next, .part = {0, 0, 1, BYTES}};
    char *host = malloc(BYTES);
    sct_stream *stream;
    if (!CHECK(device->ops->stream_open(device, &stream) == SCT_OK) ||
        !CHECK(host && fabric->ops->segment_open(fabric, 1, &own, &from.segment) == SCT_OK))
        return;
    memory_put(device, own.base, memset(host, 1 + fabric->rank, BYTES), BYTES);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    for (int i = 0; i < ROUNDS; i++) {
        sct_event event;
        char *got = memory_new(device, BYTES, 0);
        CHECK(sct_fabric_get(fabric, stream, &from, got, BYTES, &event) == SCT_OK);
        CHECK(!direct || !event.ops);
        CHECK(device->ops->follow(stream, event) == SCT_OK);
        CHECK(sct_device_drain(device, stream) == SCT_OK);
        memory_take(device, got, host, BYTES);
        CHECK(host[0] == 1 + next && memcmp(host, host + 1, BYTES - 1) == 0);
        memory_free(device, got);
    }
    if (direct)
        transfer_nothing(fabric, device, from.segment);
    device->ops->stream_close(stream);
    fabric->ops->segment_close(from.segment);
    free(host);
}

/* Rank 0 only makes progress, and reads its memory, until all others have added to it. */
static void serve_by_progress(sct_fabric *fabric, sct_device *device) {
    enum { SECONDS = 20 };
    sct_memory own = {.lines = 1, .width = sizeof(double)};
    sct_target to = {.part = {0, 0, 1, sizeof(double)}};
    double sum = 0, one = 1, all = fabric->size - 1;
    sct_event event;
    if (!CHECK(fabric->ops->segment_open(fabric, 1, &own, &to.segment) == SCT_OK))
        return;
    memory_put(device, own.base, &sum, sizeof sum);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    if (fabric->rank > 0) {
        CHECK(sct_fabric_accumulate(fabric, NULL, SCT_F64, &one, sizeof one, &to, &event) ==
              SCT_OK);
        CHECK(sct_event_wait(event) == SCT_OK);
    }
    for (time_t end = time(NULL) + SECONDS; fabric->rank == 0 && sum < all;) {
        fabric->ops->progress(fabric);
        memory_take(device, own.base, &sum, sizeof sum);
        if (!CHECK_CASE(time(NULL) <= end, "%g of %g additions arrive", sum, all))
            break;
    }
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    fabric->ops->segment_close(to.segment);
}

void device_processes_fabric_rules(staged_ranks how, uint64_t seed, device_opener *opener,
                                   void *context) {
    sct_world_options processes = {
        .size = sizeof processes,
        .engine_options = &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                   .ranks_per_node = how.per_node},
        .path = how.path};
    sct_world_options devices = {.size = sizeof devices,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = how.beside}};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    if (!CHECK(ranks_open_fabric(&processes, &ranks) == SCT_OK) ||
        !CHECK(opener(context, ranks->rank, &device) == SCT_OK))
        return;
    if (CHECK(sct_fabric_device_processes(ranks, device, &devices, &fabric) == SCT_OK)) {
        sct_path first = device->spans_hosts ? SCT_PATH_NVSHMEM : SCT_PATH_AUTO;
        CHECK(fabric->ranks_per_node == 1 && fabric->path == first);
        CHECK(fabric->needs_progress == how.needs_progress);
        get_to_device(fabric, device, how.direct);
        sct_path later = how.path == SCT_PATH_AUTO ? fabric->path : how.path;
        CHECK(fabric->path == (how.direct || device->spans_hosts ? first : later));
        CHECK(how.direct || fabric->path != SCT_PATH_AUTO);
        if (how.needs_progress)
            serve_by_progress(fabric, device);
        if (how.path != SCT_PATH_AUTO) /* which chooses one of the others */
            fabric_rules(fabric, device, seed);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
}
