/* mixed.c - processes that ask for different things of the drop-in do the same in a context, so
 * that none waits for another; one of them says what differs, and one that waits for a late process
 * says so. Runs on 2 processes, with an argument: off, threshold, late,
 * stuck or limits. The BLACS and ScaLAPACK
 * are stand-ins. */
#include "scalapack/stand_in.h"
#include "support/check.h"

#include <mpi.h>
#include <sectile/sectile.h>
#include <sectile/sectile_scalapack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDER = 4, RANKS = 2 };
static int rank;

static char said[500];

static void note(void *context, sct_log_level level, int of, const char *text) {
    (void)context;
    (void)level;
    (void)of;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", text);
}

static int new_context(void) {
    return stand_in_context((stand_in_grid){1, RANKS, 0, rank});
}

/* Whether ScaLAPACK has made the call. */
static bool is_passed_on(int context) {
    static const int order = ORDER, one = 1;
    static const double alpha = 1, beta = 0;
    const int desc[9] = {1, context, ORDER, ORDER, ORDER, 1, 0, 0, ORDER};
    double a[ORDER * ORDER] = {0}, b[ORDER * ORDER] = {0}, c[ORDER * ORDER];
    stand_in.passed_on = 0;
    sectile_pdgemm_("N", "N", &order, &order, &order, &alpha, a, &one, &one, desc, b, &one, &one,
                    desc, &beta, c, &one, &one, desc);
    return stand_in.passed_on > 0;
}

/* What process 0 says, once. */
static void expect_said(const char *text) {
    bool right = rank == 0 ? strncmp(said, text, strlen(text)) == 0 : *said == '\0';
    const char *end = strchr(said, '\n');
    CHECK_CASE(right && (!end || end[1] == '\0'), "process %d has said: %s", rank, said);
}

static void off(void) {
    sct_scalapack_set_threshold(0);
    int context = new_context();
    CHECK(is_passed_on(context) && is_passed_on(context));
    CHECK(is_passed_on(new_context()));
    expect_said("SECTILE_SCALAPACK is off in process 1 of a context, and on in others: all calls");
}

static void threshold(void) {
    int other = new_context();
    sct_scalapack_set_threshold(rank == 0 ? 0 : ORDER + 1);
    int context = new_context();
    CHECK(is_passed_on(context) && is_passed_on(context));
    sct_scalapack_set_threshold(0);
    CHECK(is_passed_on(context) && !is_passed_on(other) && !is_passed_on(new_context()));
    expect_said(
        "SECTILE_SCALAPACK_THRESHOLD is from 0 to 5 in the processes of a context: the largest");
}

static void late(void) {
    sct_scalapack_set_threshold(0);
    int context = new_context();
    if (rank == 1)
        sleep(7);
    CHECK(!is_passed_on(context) && !is_passed_on(context));
    expect_said(
        "process 0 of a context has waited 5 s in the first call on it: others are late, or");
}

/* A limit on waiting counts in later calls. */
static void stuck(void) {
    setenv("SECTILE_WAIT_SECONDS", "1", 1);
    sct_scalapack_set_threshold(0);
    int context = new_context();
    CHECK(!is_passed_on(context));
    if (rank == 1)
        sleep(3);
    CHECK(!is_passed_on(context));
    expect_said("process 0 of a context has waited 1 s (SECTILE_WAIT_SECONDS) for others to make");
}

/* No world is made, which each process says once. */
static void limits(void) {
    setenv("SECTILE_WAIT_SECONDS", rank == 0 ? "5" : "6", 1);
    sct_scalapack_set_threshold(0);
    int context = new_context();
    CHECK(is_passed_on(context) && is_passed_on(context));
    CHECK_CASE(strstr(said, " is passed on to ScaLAPACK: ") && strstr(said, "wait_seconds") &&
                   strchr(said, '\n')[1] == '\0',
               "process %d has said: %s", rank, said);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {{"off", off},
                 {"threshold", threshold},
                 {"late", late},
                 {"stuck", stuck},
                 {"limits", limits}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    stand_in.communicators = stand_in.grids = true;
    if (argc != 2 ||
        (rank == 1 && strcmp(argv[1], "off") == 0 && setenv("SECTILE_SCALAPACK", "off", 1) != 0))
        return 2;
    sct_log(SCT_LOG_WARNING, note, NULL);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (strcmp(argv[1], tests[i].name) == 0)
            tests[i].run();
    MPI_Finalize();
    return check_report("mixed");
}
