/* check.h - checks that count themselves, and seeded random numbers: used by every test program.
 *
 * A failed check prints its place and the program goes on; check_report() gives the exit code.
 * Checks may be made on any thread. */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, "%s", #condition)

/* Like CHECK, with a message that says which case failed. */
#define CHECK_CASE(condition, ...) check_that((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Returns `held`. */
bool check_that(bool held, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* How many checks have failed so far. */
long check_failures(void);

/* Whether SECTILE_TEST_LINES is set. */
bool check_prints_lines(void);

/* If SECTILE_TEST_LINES is set, prints the command line that repeats a case. Called before the case
 * runs, so that the line is there even if the case crashes or hangs. */
void check_line(const char *line);

/* Prints "NAME: N checks, M failed" and returns the exit code: nonzero if any failed or none was
 * made. */
int check_report(const char *name);

/* The seed of this run: the environment's SECTILE_TEST_SEED, or `fallback`. Prints it. */
uint64_t check_seed(uint64_t fallback);

/* How many random cases a test tries: `most`, or the environment's SECTILE_TEST_CASES if that is
 * less.
 */
int check_cases(int most);

/* The next number of a sequence, and one in [lo, hi]. */
uint64_t check_random(uint64_t *state);
int64_t check_between(uint64_t *state, int64_t lo, int64_t hi);

#endif
