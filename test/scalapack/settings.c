/* settings.c - what the drop-in makes of its variables, and the line of counts at exit. Each case
 * is a process of its own, since the variables are read once. Needs neither MPI nor ScaLAPACK. */
#include "scalapack/settings.h"
#include "support/check.h"

#include "base/status.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

int MPI_Comm_rank(MPI_Comm comm, int *found) {
    (void)comm;
    *found = rank;
    return 0;
}

typedef struct setting {
    const char *on, *threshold, *stats;
    int rank;
    const char *says;
} setting;

static const setting settings[] = {
    {NULL, NULL, NULL, 0, ""},
    {"on", "", "0", 0, ""},
    {NULL, NULL, "1", 1, ""},
    {"", NULL, "1", 0,
     "sectile: process 0: 1 call served, 3 passed on (1 too small, 1 overlapping operands, "
     "1 not possible), 1 with bad arguments; not possible: no world\n"},
    {"off", NULL, "all", 1,
     "sectile: process 1: 0 calls served, 4 passed on (2 switched off, 1 overlapping operands, "
     "1 not possible), 1 with bad arguments; not possible: no world\n"},
    {NULL, "0", "1", 0,
     "sectile: process 0: 2 calls served, 2 passed on (1 overlapping operands, "
     "1 not possible), 1 with bad arguments; not possible: no world\n"},
    {"maybe", "-1", "2", 0,
     "sectile: SECTILE_SCALAPACK=maybe: must be on or off\n"
     "sectile: SECTILE_SCALAPACK_THRESHOLD=-1: must be a number, 0 or more\n"
     "sectile: SECTILE_SCALAPACK_STATS=2: must be 0, 1 or all\n"},
    {"maybe", NULL, "1", 0,
     "sectile: SECTILE_SCALAPACK=maybe: must be on or off\n"
     "sectile: process 0: 1 call served, 3 passed on (1 too small, 1 overlapping operands, "
     "1 not possible), 1 with bad arguments; not possible: no world\n"},
    {NULL, "3x", "1", 0,
     "sectile: SECTILE_SCALAPACK_THRESHOLD=3x: must be a number, 0 or more\n"
     "sectile: process 0: 1 call served, 3 passed on (1 too small, 1 overlapping operands, "
     "1 not possible), 1 with bad arguments; not possible: no world\n"},
};

static void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void call(sct_passing why) {
    double start = sct_call_start(why);
    usleep(1);
    sct_tally(why, start);
}

/* A large product, a small one, and one of each other kind. Those passed on are timed only if the
 * counts are printed. */
static _Noreturn void make_calls(const setting *one, int to) {
    dup2(to, STDERR_FILENO);
    set("SECTILE_SCALAPACK", one->on);
    set("SECTILE_SCALAPACK_THRESHOLD", one->threshold);
    set("SECTILE_SCALAPACK_STATS", one->stats);
    rank = one->rank;
    call(sct_settings_passing(400, 400, 400));
    call(sct_settings_passing(2, 2, 2));
    call(SCT_OVERLAPS);
    (void)sct_fail(SCT_NO_ENGINE, "no world");
    call(SCT_CANNOT);
    sct_tally_bad();
    sct_scalapack_calls calls = sct_scalapack_count();
    bool prints = strstr(one->says, " passed on ");
    bool right =
        (calls.served > 0) == (calls.seconds_served > 0) && prints == (calls.seconds_passed_on > 0);
    exit(!right);
}

/* Leaves out the times, such as " in 0.001 s". */
static void leave_out_times(char *text) {
    for (char *from; (from = strstr(text, " in "));) {
        char *to = strstr(from, " s");
        if (!to)
            return;
        memmove(from, to + 2, strlen(to + 2) + 1);
    }
}

static void try(const setting *one) {
    char said[1000] = "";
    size_t length = 0;
    int pipes[2], status = -1;
    fflush(NULL);
    if (!CHECK(pipe(pipes) == 0))
        return;
    pid_t child = fork();
    if (child == 0)
        make_calls(one, pipes[1]);
    close(pipes[1]);
    for (ssize_t got; (got = read(pipes[0], said + length, sizeof said - 1 - length)) > 0;)
        length += (size_t)got;
    close(pipes[0]);
    waitpid(child, &status, 0);
    leave_out_times(said);
    CHECK_CASE(status == 0 && strcmp(said, one->says) == 0, "status %d, said: %s, not: %s", status,
               said, one->says);
}

int main(void) {
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        try(&settings[i]);
    return check_report("settings");
}
