/* settings.c - reads the environment, counts calls, and prints the counts at exit if asked.
 *
 *   SECTILE_SCALAPACK=off              pass on every call
 *   SECTILE_SCALAPACK_THRESHOLD=ORDER  see sct_scalapack_set_threshold
 *   SECTILE_SCALAPACK_STATS=1 | all    at exit, a line of process 0 of the job, or of each process
 *
 * A value that makes no sense is reported once, and the default holds. */
#include "scalapack/settings.h"

#include "base/clock.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smaller products are passed on to ScaLAPACK. From this order on, products that were not called
 * before gain, on 2 processes with a core each: docs/results/scalapack.md. */
static const double usual_threshold = 320;
/* So are products whose k is below this share of the threshold, as in a factorisation by panels:
 * ScaLAPACK sends such panels as a whole, and is not slower. */
static const double thin = 0.5;

static struct {
    bool read, off, prints;
    double threshold;
    int rank; /* of the job */
    sct_scalapack_calls calls;
    uint64_t passed[SCT_PASSINGS];
    char reason[200]; /* of the first call that could not be served */
} state;

static void complain(const char *name, const char *value, const char *allowed) {
    fprintf(stderr, "sectile: %s=%s: must be %s\n", name, value, allowed);
}

static double read_threshold(void) {
    static const char name[] = "SECTILE_SCALAPACK_THRESHOLD";
    const char *text = getenv(name);
    if (!text || !*text)
        return usual_threshold;
    char *end;
    double value = strtod(text, &end);
    if (*end == '\0' && value >= 0)
        return value;
    complain(name, text, "a number, 0 or more");
    return usual_threshold;
}

static bool read_off(void) {
    static const char name[] = "SECTILE_SCALAPACK";
    const char *text = getenv(name);
    if (!text || !*text || !strcmp(text, "on"))
        return false;
    if (strcmp(text, "off") != 0)
        complain(name, text, "on or off");
    return !strcmp(text, "off");
}

static void print_counts(void) {
    static const char *const names[SCT_PASSINGS] = {"", "switched off", "too small",
                                                    "overlapping operands", "not possible"};
    const sct_scalapack_calls *calls = &state.calls;
    char why[200] = "";
    for (int i = 1; i < SCT_PASSINGS; i++)
        if (state.passed[i]) {
            size_t used = strlen(why);
            snprintf(why + used, sizeof why - used, "%s%llu %s", used ? ", " : " (",
                     (unsigned long long)state.passed[i], names[i]);
        }
    fprintf(stderr,
            "sectile: process %d: %llu call%s served in %.3f s, %llu passed on in %.3f s%s%s, "
            "%llu with bad arguments%s%s\n",
            state.rank, (unsigned long long)calls->served, calls->served == 1 ? "" : "s",
            calls->seconds_served, (unsigned long long)calls->passed_on, calls->seconds_passed_on,
            why, *why ? ")" : "", (unsigned long long)calls->bad,
            *state.reason ? "; not possible: " : "", state.reason);
}

static void read_all(void) {
    if (state.read)
        return;
    state.read = true;
    state.off = read_off();
    state.threshold = read_threshold();
    MPI_Comm_rank(MPI_COMM_WORLD, &state.rank);
    const char *stats = getenv("SECTILE_SCALAPACK_STATS");
    if (!stats || !*stats || !strcmp(stats, "0"))
        return;
    bool all = !strcmp(stats, "all"), first = !strcmp(stats, "1");
    if (!all && !first)
        complain("SECTILE_SCALAPACK_STATS", stats, "0, 1 or all");
    state.prints = all || (first && state.rank == 0);
    if (state.prints)
        atexit(print_counts);
}

/* A negative size is one of bad arguments, which are reported here. */
static sct_passing passing(double size, double least) {
    bool small = size >= 0 && size < least;
    return state.off ? SCT_SWITCHED_OFF : small ? SCT_TOO_SMALL : SCT_NOT_PASSED;
}

sct_passing sct_settings_passing(double m, double n, double k) {
    read_all();
    double least = state.threshold;
    sct_passing why = passing(m * n * k, least * least * least);
    return why ? why : passing(k, thin * least);
}

sct_passing sct_settings_passing_copy(double m, double n) {
    read_all();
    return passing(m * n, state.threshold * state.threshold);
}

void sct_scalapack_set_threshold(double order) {
    read_all();
    state.threshold = order;
}

double sct_scalapack_threshold(void) {
    read_all();
    return state.threshold;
}

sct_scalapack_calls sct_scalapack_count(void) {
    return state.calls;
}

static double now(void) {
    return 1e-9 * (double)sct_now_ns();
}

static bool is_timed(sct_passing why) {
    return !why || state.prints;
}

double sct_call_start(sct_passing why) {
    return is_timed(why) ? now() : 0;
}

void sct_tally(sct_passing why, double start) {
    double took = is_timed(why) ? now() - start : 0;
    state.passed[why]++;
    if (why) {
        state.calls.passed_on++;
        state.calls.seconds_passed_on += took;
    } else {
        state.calls.served++;
        state.calls.seconds_served += took;
    }
    if (why == SCT_CANNOT && !*state.reason)
        snprintf(state.reason, sizeof state.reason, "%s", sct_last_reason());
}

void sct_tally_bad(void) {
    read_all();
    state.calls.bad++;
}
