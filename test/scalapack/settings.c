/* settings.c - what the drop-in makes of its variables, and the line of counts at exit. Each case
 * is a process of its own, since the variables are read once. Needs neither MPI nor ScaLAPACK. */
#include "scalapack/settings.h"
#include "scalapack/blas_memory.h"
#include "support/arabic.h"
#include "support/check.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;
static bool has_memory;

bool sct_blas_memory_take(void) {
    return has_memory;
}

int sct_program_rank(const sct_program *program) {
    (void)program;
    return rank;
}

typedef struct setting {
    const char *on, *threshold, *stats;
    int rank;
    const char *says, *log;
    bool without_memory;
} setting;

/* What is said of the calls below with the usual threshold, and when all are passed on. */
#define COUNTS                                                                                  \
    "1 call served, 5 passed on (3 too small, 1 overlapping operands, 1 not possible; largest " \
    "500x500x500: not possible), 1 with bad arguments; reason: no world\n"
#define COUNTS_OFF                                                                          \
    "0 calls served, 6 passed on (4 switched off, 1 overlapping operands, 1 not possible; " \
    "largest 500x500x500: not possible), 1 with bad arguments; reason: no world\n"
#define PASSED "is passed on to ScaLAPACK: "
#define MUST_BE "must be on or off; now it is off\n"
#define NUMBER "is not a whole number from 0 to 2147483647; it is 320\n"

static const setting settings[] = {
    {NULL, NULL, NULL, 0, ""},
    {"on", "", "0", 0, ""},
    {"on", "", "Off", 0, ""},
    {"on", "", "Yes", 0, "sectile: process 0: " COUNTS},
    {NULL, NULL, "1", 1, ""},
    {"", NULL, "1", 0, "sectile: process 0: " COUNTS},
    {"On", NULL, "1", 0, "sectile: process 0: " COUNTS},
    {"1", NULL, "1", 0, "sectile: process 0: " COUNTS},
    {"YES", NULL, "1", 0, "sectile: process 0: " COUNTS},
    {"true", NULL, "1", -1, "sectile: " COUNTS},
    {"off", NULL, "all", 1, "sectile: process 1: " COUNTS_OFF},
    {"OFF", NULL, "1", 0, "sectile: process 0: " COUNTS_OFF},
    {"0", NULL, "1", 0, "sectile: process 0: " COUNTS_OFF},
    {"No", NULL, "1", 0, "sectile: process 0: " COUNTS_OFF},
    {"False", NULL, "1", -1, "sectile: " COUNTS_OFF},
    {NULL, "0", "1", 0,
     "sectile: process 0: 4 calls served, 2 passed on (1 overlapping operands, 1 not possible; "
     "largest 500x500x500: not possible), 1 with bad arguments; reason: no world\n"},
    {"maybe", "-1", "2", 0,
     "sectile: warning: SECTILE_SCALAPACK: 'maybe' " MUST_BE
     "sectile: warning: SECTILE_SCALAPACK_THRESHOLD: '-1' " NUMBER
     "sectile: warning: SECTILE_SCALAPACK_STATS: '2' must be on, off or all\n"},
    {"maybe", "3x", "2", 1, ""},
    {"maybe", NULL, "1", 0,
     "sectile: warning: SECTILE_SCALAPACK: 'maybe' " MUST_BE "sectile: process 0: " COUNTS_OFF},
    {.stats = "1",
     .says =
         "sectile: warning: there is no memory for the BLAS beside Sectile: all calls are passed "
         "on to ScaLAPACK\nsectile: process 0: " COUNTS_OFF,
     .without_memory = true},
    {NULL, "320.5", "1", 0,
     "sectile: warning: SECTILE_SCALAPACK_THRESHOLD: '320.5' " NUMBER
     "sectile: process 0: " COUNTS},
    {NULL, NULL, NULL, 0, "sectile: a call of size 500x500x500 " PASSED "no world\n", "info"},
    {NULL, NULL, NULL, 1,
     "sectile: rank 1: a call of size 2x2x2 " PASSED "m, n, k too small\n"
     "sectile: rank 1: a call of size 400x400x159 " PASSED "k too small\n"
     "sectile: rank 1: a call of size 300x330 " PASSED "m too small\n"
     "sectile: rank 1: a call of size 1x1x1 " PASSED "overlapping operands\n"
     "sectile: rank 1: a call of size 500x500x500 " PASSED "no world\n",
     "debug"},
    {NULL, NULL, NULL, 0,
     "sectile: warning: SECTILE_LOG: 'all' is not one of off, warning, info, debug\n", "all"},
};

/* The largest call that is passed on, and which of its dimensions are too small. */
static const struct {
    sct_call_shape shape;
    const char *says;
    double threshold; /* of its context; 0: as of this process */
} shapes[] = {{{2000, 8, 600}, "largest 2000x8x600: n too small)"},
              {{5000, 5000, 100}, "largest 5000x5000x100: k too small)"},
              {{300, 300, 300}, "largest 300x300x300: m, n, k too small)"},
              {{20, 2000, SCT_COPIED}, "largest 20x2000: m too small)"},
              {{500, 2000, 400}, "largest 500x2000x400: m, k too small)", 1000},
              {{2, 2, 1}, "largest 2x2x2: m, n, k too small)"}};

static void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void call_with(const sct_settings *by, sct_passing why, const sct_call_shape *shape) {
    sct_passing passing = sct_settings_passing(by, shape);
    why = why ? why : passing;
    double start = sct_call_start(why);
    usleep(1);
    sct_tally(why, start, shape);
}

static void call(sct_passing why, int m, int n, int k) {
    const sct_settings own = sct_settings_own(NULL);
    call_with(&own, why, &(sct_call_shape){m, n, k});
}

static void set_all(const char *on, const char *threshold, const char *stats, const char *log,
                    int to) {
    dup2(to, STDERR_FILENO);
    set("SECTILE_SCALAPACK", on);
    set("SECTILE_SCALAPACK_THRESHOLD", threshold);
    set("SECTILE_SCALAPACK_STATS", stats);
    set("SECTILE_LOG", log);
}

/* A large product, two small ones and a small copy, and one of each other kind. Those passed on are
 * timed only if the counts are printed. */
static _Noreturn void make_calls(int number, int to) {
    const setting *one = &settings[number];
    set_all(one->on, one->threshold, one->stats, one->log, to);
    rank = one->rank;
    has_memory = !one->without_memory;
    call(SCT_NOT_PASSED, 400, 400, 400);
    call(SCT_NOT_PASSED, 2, 2, 2);
    call(SCT_NOT_PASSED, 400, 400, 159);
    call(SCT_NOT_PASSED, 300, 330, SCT_COPIED);
    call(SCT_OVERLAPS, 1, 1, 1);
    (void)sct_fail(SCT_NO_ENGINE, "no world");
    call(SCT_CANNOT, 500, 500, 500);
    call(SCT_BAD, 600, 600, -1);
    sct_scalapack_calls calls = sct_scalapack_count();
    bool prints = strstr(one->says, " served, ");
    bool right =
        (calls.served > 0) == (calls.seconds_served > 0) && prints == (calls.seconds_passed_on > 0);
    exit(!right);
}

static _Noreturn void make_small_call(int number, int to) {
    set_all(NULL, NULL, "1", NULL, to);
    has_memory = true;
    call(SCT_NOT_PASSED, 2, 2, 2);
    sct_settings by = sct_settings_own(NULL);
    if (shapes[number].threshold > 0)
        by.threshold = shapes[number].threshold;
    call_with(&by, SCT_NOT_PASSED, &shapes[number].shape);
    exit(0);
}

/* Calls fail, and the first of them says why. */
static _Noreturn void make_broken_calls(int number, int to) {
    (void)number;
    set_all(NULL, NULL, "1", NULL, to);
    rank = 1;
    has_memory = true;
    for (int i = 0; i < 2; i++) {
        (void)sct_fail(SCT_FAILED, "rank 0 has left");
        call(sct_passing_after(SCT_FAILED), 500, 500, 500);
    }
    exit(0);
}

/* Leaves out the times, such as " in 0.001 s", which have a point in every locale. */
static void leave_out_times(char *text) {
    for (char *from; (from = strstr(text, " in "));) {
        char *to = strstr(from, " s");
        if (!to)
            return;
        CHECK_CASE(strspn(from + 4, "0123456789.") == (size_t)(to - from) - 4, "a time: %s", from);
        memmove(from, to + 2, strlen(to + 2) + 1);
    }
}

/* What a process says that makes these calls. */
static int said_by(void (*calls)(int, int), int number, char *said, size_t most) {
    size_t length = 0;
    int pipes[2], status = -1;
    fflush(NULL);
    if (!CHECK(pipe(pipes) == 0))
        return -1;
    pid_t child = fork();
    if (child == 0)
        calls(number, pipes[1]);
    close(pipes[1]);
    for (ssize_t got; (got = read(pipes[0], said + length, most - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(pipes[0]);
    waitpid(child, &status, 0);
    leave_out_times(said);
    return status;
}

int main(void) {
    char said[1000];
    locale_t arabic = arabic_locale();
    if (arabic)
        uselocale(arabic);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int status = said_by(make_calls, (int)i, said, sizeof said);
        CHECK_CASE(status == 0 && strcmp(said, settings[i].says) == 0,
                   "status %d, said: %s, not: %s", status, said, settings[i].says);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        int status = said_by(make_small_call, (int)i, said, sizeof said);
        CHECK_CASE(status == 0 && strstr(said, shapes[i].says), "status %d, said: %s, not: %s",
                   status, said, shapes[i].says);
    }
    CHECK(said_by(make_broken_calls, 0, said, sizeof said) == 0);
    CHECK_CASE(strcmp(said, "sectile: warning: a call of size 500x500x500 " PASSED
                            "rank 0 has left\n") == 0,
               "said: %s", said);
    uselocale(LC_GLOBAL_LOCALE);
    if (arabic)
        freelocale(arabic);
    return check_report("settings");
}
