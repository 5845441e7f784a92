/* clock.c - deadlines, whose limit is the setting SECTILE_START_SECONDS. */
#include "base/clock.h"

#include "base/setting.h"

#include <limits.h>

static int64_t now_ms(void) {
    return sct_now_coarse_ns() / 1000000;
}

static sct_status find_limit(int64_t *seconds) {
    return sct_setting("SECTILE_START_SECONDS", 0, INT_MAX / 1000, SCT_START_SECONDS, seconds);
}

sct_status sct_deadline_check(void) {
    int64_t seconds;
    return find_limit(&seconds);
}

sct_deadline sct_deadline_begin(void) {
    int64_t seconds;
    (void)find_limit(&seconds);
    return sct_deadline_for((int)seconds);
}

sct_deadline sct_deadline_for(int seconds) {
    return (sct_deadline){seconds, now_ms() + (int64_t)seconds * 1000};
}

sct_deadline sct_deadline_within(const sct_deadline *limit, int seconds) {
    const sct_deadline own = sct_deadline_for(seconds);
    return limit->seconds > 0 && limit->end_ms < own.end_ms ? *limit : own;
}

int sct_deadline_left_ms(const sct_deadline *deadline) {
    int64_t left = deadline->end_ms - now_ms();
    if (deadline->seconds == 0)
        return -1;
    return left > 0 ? (int)left : 0;
}

sct_status sct_deadline_failure(const sct_deadline *deadline) {
    return sct_fail(
        SCT_FAILED,
        "not all ranks have come within %d s, as SECTILE_START_SECONDS limits the start",
        deadline->seconds);
}
