/* device_order.c - what every device must do: the order of commands, events, calls, closing. */
#include "rules/device_twin.h"

#include "base/clock.h"
#include "base/strided.h"
#include "support/element.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A random command between two pairs of memory; such commands do not commute. */
static void random_step(rules *r, sct_stream *stream, twin x, twin y) {
    sct_work work =
        (sct_work[]){SCT_DO_COPY, SCT_DO_ADD, SCT_DO_SCALE}[check_random(&r->random) % 3];
    bool forth = check_between(&r->random, 0, 1);
    twin from = forth ? x : y, to = forth ? y : x;
    int64_t count = check_between(&r->random, 1, x.count);
    sct_command command = {.work = work,
                           .type = x.type,
                           .strided = {.lines = 1,
                                       .count = count,
                                       .from = from.device,
                                       .from_ld = count,
                                       .to = to.device,
                                       .to_ld = count,
                                       .factor = sct_scalar_real(x.type, -1)}};
    rules_submit(r, stream, &command);
    rules_expect(&command, from.host, to.host);
}

/* A long chain of commands on several streams in turn, each of which follows the one before. */
static void rule_chain(rules *r, int streams, int steps) {
    sct_stream *stream[3];
    for (int s = 0; s < streams; s++)
        stream[s] = rules_open_stream(r);
    twin x = twin_random(r, SCT_F64, 30), y = twin_random(r, SCT_F64, 30);
    sct_event last = {0};
    for (int i = 0; i < steps; i++) {
        sct_stream *next = stream[i % streams];
        CHECK(r->ops->follow(next, last) == SCT_OK);
        random_step(r, next, x, y);
        last = r->ops->record(next);
    }
    CHECK(sct_event_wait(last) == SCT_OK);
    CHECK_CASE(twin_agrees(r, x) && twin_agrees(r, y), "%d steps on %d streams", steps, streams);
    for (int s = 0; s < streams; s++)
        r->ops->stream_close(stream[s]);
    twin_free(r, x);
    twin_free(r, y);
}

/* Has the next command of a stream, or of all, come after an event. */
static void come_after(rules *r, bool all, sct_stream *stream, sct_event event) {
    if (all)
        sct_device_hold(r->device, event);
    else
        CHECK(r->ops->follow(stream, event) == SCT_OK);
}

/* One stream fills a buffer and another empties it; neither may overtake the other. */
static void rule_producer(rules *r, int64_t rounds, bool all) {
    enum { COUNT = 100 };
    sct_stream *producer = rules_open_stream(r), *consumer = rules_open_stream(r);
    twin source = twin_random(r, SCT_F32, rounds * COUNT);
    twin target = twin_random(r, SCT_F32, rounds * COUNT);
    float *slot = rules_alloc(r, COUNT * sizeof *slot);
    sct_event emptied = {0};
    for (int64_t i = 0; i < rounds; i++) {
        come_after(r, all, producer, emptied);
        rules_copy_line(r, producer, SCT_F32, COUNT, (float *)source.device + i * COUNT, slot);
        come_after(r, all, consumer, r->ops->record(producer));
        rules_copy_line(r, consumer, SCT_F32, COUNT, slot, (float *)target.device + i * COUNT);
        emptied = r->ops->record(consumer);
    }
    sct_strided_copy(SCT_F32, false, 1, target.count, source.host, 0, target.host, 0);
    CHECK(sct_event_wait(emptied) == SCT_OK);
    CHECK_CASE(twin_agrees(r, target), "%lld rounds through one slot", (long long)rounds);
    r->ops->stream_close(producer);
    r->ops->stream_close(consumer);
    r->ops->release(r->device, slot);
    twin_free(r, source);
    twin_free(r, target);
}

static void rule_events(rules *r) {
    enum { EVENTS = 30 };
    twin from = twin_random(r, SCT_F64, EVENTS);
    double to[EVENTS] = {0};
    sct_event events[EVENTS], none = {0};
    CHECK(sct_event_done(none) && sct_event_wait(none) == SCT_OK);
    for (int i = 0; i < EVENTS; i++) {
        rules_move_bytes(r, r->stream, sizeof *to, (double *)from.device + i, &to[i]);
        events[i] = r->ops->record(r->stream);
    }
    for (int i = 4; i < EVENTS; i += 5) {
        CHECK(sct_event_wait(events[i]) == SCT_OK);
        for (int before = 0; before <= i; before++)
            CHECK(sct_event_done(events[before]) && to[before] == ((double *)from.host)[before]);
    }
    rules_move_bytes(r, r->stream, sizeof *to, (double *)from.device + 1, &to[0]);
    sct_event last = r->ops->record(r->stream);
    while (!sct_event_done(last))
        continue;
    CHECK(to[0] == ((double *)from.host)[1]);
    twin_free(r, from);
}

/* A call, and the number that a command must have written before it. */
typedef struct awaited {
    atomic_int *calls;
    const double *at;
    double value;
    bool right;
    int64_t since_ns, ns;
} awaited;

static void see_call(void *context, int64_t ns) {
    awaited *a = context;
    a->right = *a->at == a->value;
    a->ns = ns;
    atomic_fetch_add(a->calls, 1);
}

/* A call comes after the commands before it, and tells a time since it was asked for. */
static void rule_notify(rules *r) {
    enum { CALLS = 30 };
    twin from = twin_random(r, SCT_F64, CALLS);
    double to[CALLS] = {0};
    awaited a[CALLS];
    atomic_int calls = 0;
    for (int i = 0; i < CALLS; i++) {
        rules_move_bytes(r, r->stream, sizeof *to, (double *)from.device + i, &to[i]);
        a[i] = (awaited){&calls, &to[i], ((double *)from.host)[i], false, sct_now_ns(), 0};
        CHECK(r->ops->notify(r->stream, see_call, &a[i]) == SCT_OK);
    }
    rules_wait(r, r->stream);
    while (atomic_load(&calls) < CALLS)
        continue;
    for (int i = 0; i < CALLS; i++)
        CHECK(a[i].right && a[i].ns >= a[i].since_ns && a[i].ns <= sct_now_ns());
    twin_free(r, from);
}

/* When a stream has closed, all its commands are done. Its events can still be tested, waited for
 * and followed, and another stream can be opened. */
static void rule_close(rules *r) {
    enum { COMMANDS = 150 };
    twin from = twin_random(r, SCT_F64, COMMANDS);
    double to[COMMANDS] = {0};
    sct_stream *stream = rules_open_stream(r);
    for (int i = 0; i < COMMANDS; i++)
        rules_move_bytes(r, stream, sizeof *to, (double *)from.device + i, &to[i]);
    sct_event last = r->ops->record(stream);
    r->ops->stream_close(stream);
    CHECK(memcmp(to, from.host, sizeof to) == 0);
    twin_free(r, from);
    CHECK(sct_event_done(last) && sct_event_wait(last) == SCT_OK);
    CHECK(r->ops->follow(r->stream, last) == SCT_OK);
    rules_wait(r, r->stream);
}

void rules_of_order(rules *r) {
    for (int streams = 1; streams <= 3; streams++)
        rule_chain(r, streams, 40);
    rule_producer(r, 40, false);
    rule_producer(r, 40, true);
    rule_events(r);
    rule_notify(r);
    rule_close(r);
}
