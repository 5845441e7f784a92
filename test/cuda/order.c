/* order.c - which commands come before which, by vector clocks: an event carries the moment of its
 * stream to those that wait for it.
 *
 * The order is known when commands are submitted, so the checks do not depend on delays. What the
 * host has waited for comes before everything that any of its threads submits later. */
#include "cuda/state.h"

#include <stdlib.h>

enum { CLOCK_BITS = 24 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static moment host, latest; /* latest: of each stream, also of those that have ended */
static bool taken[MOST_STREAMS];

void order_lock(void) {
    pthread_mutex_lock(&lock);
}

void order_unlock(void) {
    pthread_mutex_unlock(&lock);
}

void moment_join(moment *mine, const moment *other) {
    for (int i = 0; i < MOST_STREAMS; i++)
        if (mine->of[i] < other->of[i])
            mine->of[i] = other->of[i];
}

int order_enter(void) {
    int stream = 0;
    while (stream < MOST_STREAMS && taken[stream])
        stream++;
    if (stream == MOST_STREAMS)
        abort();
    taken[stream] = true;
    return stream;
}

void order_leave(int stream) {
    taken[stream] = false;
}

void order_host(const moment *seen) {
    moment_join(&host, seen);
}

void order_next(int stream, moment *seen) {
    moment_join(seen, &host);
    seen->of[stream] = ++latest.of[stream];
}

/* ---- What commands touch ---- */

static uint32_t word_of(int stream, const moment *seen) {
    return (uint32_t)(stream + 1) << CLOCK_BITS | (seen->of[stream] & ((1u << CLOCK_BITS) - 1));
}

/* Whether a command that touched something comes before a moment. */
static bool before(uint32_t word, const moment *seen) {
    uint32_t stream = word >> CLOCK_BITS, clock = word & ((1u << CLOCK_BITS) - 1);
    return word == 0 || clock <= seen->of[stream - 1];
}

static bool read_two_bytes(touched *t, uint32_t word, const moment *seen) {
    t->read[before(t->read[0], seen) ? 0 : 1] = word;
    return before(t->write, seen) && before(t->atomic, seen);
}

static bool add_two_bytes(touched *t, uint32_t word, const moment *seen) {
    t->atomic = word;
    return before(t->write, seen) && before(t->read[0], seen) && before(t->read[1], seen);
}

static bool write_two_bytes(touched *t, uint32_t word, const moment *seen) {
    bool ordered = before(t->write, seen) && before(t->atomic, seen) && before(t->read[0], seen) &&
                   before(t->read[1], seen);
    *t = (touched){.write = word};
    return ordered;
}

bool touch(touched *first, size_t count, touch_kind kind, int stream, const moment *seen) {
    uint32_t word = word_of(stream, seen);
    bool ordered = true;
    for (size_t i = 0; i < count; i++)
        ordered &= kind == TOUCH_READ    ? read_two_bytes(&first[i], word, seen)
                   : kind == TOUCH_WRITE ? write_two_bytes(&first[i], word, seen)
                                         : add_two_bytes(&first[i], word, seen);
    return ordered;
}
