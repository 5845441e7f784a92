/* patience.c - see patience.h. */
#include "base/patience.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/* What is no number of seconds counts as the usual limit. */
static int find_limit(void) {
    const char *text = getenv("SECTILE_START_SECONDS");
    char *end = NULL;
    long number = text ? strtol(text, &end, 10) : SCT_START_SECONDS;
    bool good = !text || (end != text && *end == '\0' && number >= 0 && number <= INT_MAX / 1000);
    return good ? (int)number : SCT_START_SECONDS;
}

sct_patience sct_patience_begin(void) {
    int seconds = find_limit();
    return (sct_patience){seconds, now_ms() + seconds * INT64_C(1000)};
}

int sct_patience_left_ms(const sct_patience *patience) {
    int64_t left = patience->end_ms - now_ms();
    if (patience->seconds == 0)
        return -1;
    return left > 0 ? (int)left : 0;
}

sct_status sct_patience_failure(const sct_patience *patience) {
    return sct_fail(
        SCT_FAILED,
        "not all ranks have come within %d s, as SECTILE_START_SECONDS limits the start",
        patience->seconds);
}
