/* check.c - counts checks and prints those that fail. */
#include "support/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PRINTED = 20 };

static atomic_long made, failed;

bool check_that(bool held, const char *file, int line, const char *format, ...) {
    atomic_fetch_add(&made, 1);
    if (held)
        return true;
    if (atomic_fetch_add(&failed, 1) >= MOST_PRINTED)
        return false;
    char text[1600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
    return false;
}

long check_failures(void) {
    return atomic_load(&failed);
}

bool check_prints_lines(void) {
    return getenv("SECTILE_TEST_LINES") != NULL;
}

void check_line(const char *line) {
    if (!check_prints_lines())
        return;
    printf("%s\n", line);
    fflush(stdout);
}

int check_report(const char *name) {
    printf("%s: %ld checks, %ld failed\n", name, atomic_load(&made), atomic_load(&failed));
    return atomic_load(&failed) != 0 || atomic_load(&made) == 0;
}

uint64_t check_seed(uint64_t fallback) {
    const char *text = getenv("SECTILE_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : fallback;
    printf("seed %" PRIu64 "\n", seed);
    return seed;
}

int check_cases(int most) {
    const char *text = getenv("SECTILE_TEST_CASES");
    return text && atoi(text) < most ? atoi(text) : most;
}

/* splitmix64 */
uint64_t check_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t check_between(uint64_t *state, int64_t lo, int64_t hi) {
    return lo + (int64_t)(check_random(state) % (uint64_t)(hi - lo + 1));
}
