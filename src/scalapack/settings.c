/* settings.c - reads the environment, counts calls, and prints the counts at exit if asked.
 *
 *   SECTILE_SCALAPACK=off              pass on every call
 *   SECTILE_SCALAPACK_THRESHOLD=ORDER  see sct_scalapack_set_threshold
 *   SECTILE_SCALAPACK_STATS=1 | all    at exit, a line of process 0 of the job, or of each process
 *   SECTILE_LOG                        see sct_log_from_environment
 *
 * A value that makes no sense is reported once for each job. */
#include "scalapack/settings.h"

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/setting.h"
#include "scalapack/blas_memory.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Smaller products are passed on to ScaLAPACK. From this order on, products that were not called
 * before gain, on 2 processes with a core each: docs/results/scalapack.md. */
static const int64_t usual_threshold = 320;
/* So are products whose k is below this share of the threshold, as in a factorisation by panels:
 * ScaLAPACK sends such panels as a whole, and is not slower. */
static const double thin = 0.5;

enum { MOST_COMPLAINTS = 5, COMPLAINT = 240 }; /* one about each variable */

static struct {
    bool read, prints;
    sct_settings own;
    int rank;       /* of the job; -1: unknown */
    int complaints; /* about variables, until the rank is known */
    char complaint[MOST_COMPLAINTS][COMPLAINT];
    sct_scalapack_calls calls;
    uint64_t passed[SCT_PASSINGS];
    double threshold;       /* of the last call; that of a context may be another process's */
    sct_call_shape largest; /* passed on, `why`, with `largest_threshold` */
    double largest_threshold;
    sct_passing why;
    char reason[200]; /* of the first call that could not be served */
} state;

/* ---- Reading ---- */

/* Adds to a text of so many bytes. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t bytes,
                                                         const char *format, ...) {
    size_t used = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + used, bytes - used, format, values);
    va_end(values);
}

/* Variables are read before the rank is known, and some of them before the log may be used. */
static void complain(const char *text) {
    if (state.complaints < MOST_COMPLAINTS)
        snprintf(state.complaint[state.complaints++], COMPLAINT, "%s", text);
}

static void complain_about(const char *name, const char *value, const char *allowed) {
    char text[COMPLAINT];
    snprintf(text, sizeof text, "%s: '%.40s' must be %s", name, value, allowed);
    complain(text);
}

/* The value of a variable; NULL if it has none. */
static const char *value_of(const char *name) {
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static double read_threshold(void) {
    static const char name[] = "SECTILE_SCALAPACK_THRESHOLD";
    int64_t order = usual_threshold;
    char text[COMPLAINT];
    if (value_of(name) && sct_setting(name, 0, INT_MAX, usual_threshold, &order)) {
        snprintf(text, sizeof text, "%s; it is %lld", sct_last_reason(), (long long)order);
        complain(text);
    }
    return (double)order;
}

enum { WORDS = 4 };
static const char *const words_for_on[WORDS] = {"on", "1", "yes", "true"};
static const char *const words_for_off[WORDS] = {"off", "0", "no", "false"};

/* Whether a text is one of these words, in letters of any case. */
static bool is_one_of(const char *text, const char *const words[WORDS]) {
    bool found = false;
    for (int i = 0; i < WORDS; i++)
        found |= strcasecmp(text, words[i]) == 0;
    return found;
}

/* A value that cannot be read is a wish for something else than usual: off is always safe. */
static bool read_off(void) {
    static const char name[] = "SECTILE_SCALAPACK";
    const char *text = value_of(name);
    if (!text || is_one_of(text, words_for_on))
        return false;
    if (!is_one_of(text, words_for_off))
        complain_about(name, text, "on or off; now it is off");
    return true;
}

/* Off, unless there is memory to work with. */
static bool lacks_memory(void) {
    if (sct_blas_memory_take())
        return false;
    complain(
        "there is no memory for the BLAS beside Sectile: all calls are passed on to ScaLAPACK");
    return true;
}

static void read_variables(void) {
    if (state.read)
        return;
    state.read = true;
    state.rank = -1;
    state.own = (sct_settings){.off = read_off(), .threshold = read_threshold()};
    state.own.off = state.own.off || lacks_memory();
}

/* ---- Printing ---- */

/* Why a call was passed on; of what is too small, which dimensions are below the threshold. */
static const char *explain(sct_passing why, const sct_call_shape *x, double threshold,
                           char text[64]) {
    static const char *const names[SCT_PASSINGS] = {
        "", "switched off", "too small", "overlapping operands", "after a failure", "not possible",
        ""};
    const int size[] = {x->m, x->n, x->k};
    int dims = x->k == SCT_COPIED ? 2 : 3, small = 0;
    if (why != SCT_TOO_SMALL)
        return names[why];
    *text = '\0';
    for (int i = 0; i < dims; i++)
        if (size[i] < threshold)
            append(text, 64, "%s%c", small++ ? ", " : "", "mnk"[i]);
    append(text, 64, "%stoo small", small ? " " : "");
    return text;
}

static void print_passed(char *text, size_t bytes) {
    char why[64];
    const sct_call_shape *x = &state.largest, none = {0, 0, 0};
    *text = '\0';
    for (int i = 1; i < SCT_BAD; i++)
        if (state.passed[i])
            append(text, bytes, "%s%llu %s", *text ? ", " : " (",
                   (unsigned long long)state.passed[i],
                   i == SCT_TOO_SMALL ? "too small" : explain(i, &none, 0, why));
    if (!*text)
        return;
    append(text, bytes, x->k == SCT_COPIED ? "; largest %dx%d" : "; largest %dx%dx%d", x->m, x->n,
           x->k);
    bool is_said = state.why != SCT_TOO_SMALL && state.passed[state.why] == state.calls.passed_on;
    append(text, bytes, "%s%s)", is_said ? "" : ": ",
           is_said ? "" : explain(state.why, x, state.largest_threshold, why));
}

static void print_counts(void) {
    const sct_scalapack_calls *calls = &state.calls;
    char passed[300], process[32] = "";
    print_passed(passed, sizeof passed);
    if (state.rank >= 0)
        snprintf(process, sizeof process, "process %d: ", state.rank);
    const sct_c_locale locale = sct_c_locale_begin();
    fprintf(stderr,
            "sectile: %s%llu call%s served in %.3f s, %llu passed on in %.3f s%s, "
            "%llu with bad arguments%s%s\n",
            process, (unsigned long long)calls->served, calls->served == 1 ? "" : "s",
            calls->seconds_served, (unsigned long long)calls->passed_on, calls->seconds_passed_on,
            passed, (unsigned long long)calls->bad, *state.reason ? "; reason: " : "",
            state.reason);
    sct_c_locale_end(locale);
}

/* In the first call of a routine: who prints what. */
static void begin(const sct_program *program) {
    static bool begun;
    if (begun)
        return;
    begun = true;
    read_variables();
    state.rank = sct_program_rank(program);
    const char *stats = value_of("SECTILE_SCALAPACK_STATS");
    bool none = !stats || is_one_of(stats, words_for_off);
    bool all = stats && strcasecmp(stats, "all") == 0;
    if (!none && !all && !is_one_of(stats, words_for_on))
        complain_about("SECTILE_SCALAPACK_STATS", stats, "on, off or all");
    else
        state.prints = all || (!none && state.rank <= 0);
    if (sct_log_from_environment() != SCT_OK)
        complain(sct_last_reason());
    for (int i = 0; i < state.complaints && state.rank <= 0; i++)
        sct_log_write(SCT_LOG_WARNING, state.rank, "%s", state.complaint[i]);
    if (state.prints)
        atexit(print_counts);
}

/* ---- What becomes of a call ---- */

/* A negative size is one of bad arguments, which are looked at later. */
static bool is_below(double size, double least) {
    return size >= 0 && size < least;
}

static bool is_small(double least, const sct_call_shape *x) {
    double area = (double)x->m * x->n;
    if (x->k == SCT_COPIED)
        return is_below(area, least * least);
    return is_below(area * x->k, least * least * least) || is_below(x->k, thin * least);
}

sct_settings sct_settings_own(const sct_program *program) {
    begin(program);
    return state.own;
}

sct_passing sct_settings_passing(const sct_settings *settings, const sct_call_shape *shape) {
    state.threshold = settings->threshold;
    return settings->off                          ? SCT_SWITCHED_OFF
           : is_small(settings->threshold, shape) ? SCT_TOO_SMALL
                                                  : SCT_NOT_PASSED;
}

void sct_scalapack_set_threshold(double order) {
    read_variables();
    state.own.threshold = order;
}

double sct_scalapack_threshold(void) {
    read_variables();
    return state.own.threshold;
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

/* The work of a product, or the elements of a copy. */
static double size_of(const sct_call_shape *x) {
    return (double)x->m * x->n * (x->k == SCT_COPIED ? 1 : x->k);
}

sct_passing sct_passing_after(sct_status status) {
    return status == SCT_OK ? SCT_NOT_PASSED : status == SCT_ALIASED ? SCT_OVERLAPS : SCT_UNSERVED;
}

static bool has_reason(sct_passing why) {
    return why == SCT_UNSERVED || why == SCT_CANNOT;
}

/* A call that cannot be served is of interest; that small ones are passed on is the rule. After a
 * failure ScaLAPACK may wait for ever, so the user must learn of the first one. */
static sct_log_level level_of(sct_passing why) {
    bool first = state.passed[SCT_UNSERVED] == 1;
    return why == SCT_UNSERVED && first ? SCT_LOG_WARNING
           : has_reason(why)            ? SCT_LOG_INFO
                                        : SCT_LOG_DEBUG;
}

static void log_passed(sct_passing why, const sct_call_shape *x) {
    char text[64];
    sct_log_level level = level_of(why);
    if (!sct_log_wants(level, state.rank))
        return;
    char size[48];
    snprintf(size, sizeof size, x->k == SCT_COPIED ? "%dx%d" : "%dx%dx%d", x->m, x->n, x->k);
    sct_log_write(level, state.rank, "a call of size %s is passed on to ScaLAPACK: %s", size,
                  has_reason(why) ? sct_last_reason() : explain(why, x, state.threshold, text));
}

static void tally_passed(sct_passing why, double took, const sct_call_shape *shape) {
    log_passed(why, shape);
    state.calls.passed_on++;
    state.calls.seconds_passed_on += took;
    if (!state.why || size_of(shape) > size_of(&state.largest)) {
        state.largest = *shape;
        state.largest_threshold = state.threshold;
        state.why = why;
    }
    if (has_reason(why) && !*state.reason)
        snprintf(state.reason, sizeof state.reason, "%s", sct_last_reason());
}

void sct_tally(sct_passing why, double start, const sct_call_shape *shape) {
    double took = is_timed(why) ? now() - start : 0;
    state.passed[why]++;
    if (why == SCT_BAD) {
        state.calls.bad++;
    } else if (why) {
        tally_passed(why, took, shape);
    } else {
        state.calls.served++;
        state.calls.seconds_served += took;
    }
}
