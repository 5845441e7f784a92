/* log.c - what is logged: versions once, each plan once and what it could gain, and by which ranks.
 */
#include "support/check.h"

#include <sectile/sectile.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, ORDER = 64, KINDS = 3 };

/* How the messages begin, and of which level they are. */
static const struct {
    const char *begin;
    sct_log_level level;
} kinds[KINDS] = {
    {"sectile ", SCT_LOG_INFO},
    {"plan for 64x64x64 f64, A row@2, B col@2, C row@2: C stays, direct order, ", SCT_LOG_INFO},
    {"a product runs by the job of an earlier one", SCT_LOG_DEBUG}};

static int counts[KINDS][RANKS];

static void count(void *context, sct_log_level level, int rank, const char *text) {
    int kind = 0;
    while (kind < KINDS && strncmp(text, kinds[kind].begin, strlen(kinds[kind].begin)) != 0)
        kind++;
    CHECK(context == counts && !strchr(text, '\n') && rank >= 0 && rank < RANKS);
    if (CHECK_CASE(kind < KINDS, "%s", text) && CHECK(level == kinds[kind].level))
        counts[kind][rank]++;
}

static int multiply_twice(sct_world *world, void *arg) {
    double one = 1, zero = 0;
    sct_layout *rows, *cols;
    sct_matrix *a, *b, *c;
    (void)arg;
    CHECK(sct_layout_create_row(ORDER, ORDER, RANKS, &rows) == SCT_OK);
    CHECK(sct_layout_create_col(ORDER, ORDER, RANKS, &cols) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, rows, &a) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, cols, &b) == SCT_OK);
    CHECK(sct_matrix_create(world, SCT_F64, rows, &c) == SCT_OK);
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
    for (int i = 0; i < 2; i++)
        CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c),
                           &options) == SCT_OK);
    sct_matrix_destroy(c);
    sct_matrix_destroy(b);
    sct_matrix_destroy(a);
    sct_layout_destroy(cols);
    sct_layout_destroy(rows);
    return 0;
}

/* INFO is of rank 0, DEBUG of all. */
static void try_level(sct_log_level level) {
    memset(counts, 0, sizeof counts);
    CHECK(sct_log(level, count, counts) == SCT_OK);
    CHECK(sct_run(RANKS, NULL, multiply_twice, NULL) == SCT_OK);
    CHECK(sct_log(SCT_LOG_WARNING, NULL, NULL) == SCT_OK);
    for (int kind = 0; kind < KINDS; kind++)
        for (int r = 0; r < RANKS; r++) {
            bool wanted = kinds[kind].level <= level && (r == 0 || level == SCT_LOG_DEBUG);
            CHECK_CASE(counts[kind][r] == wanted, "level %d, rank %d: %d times %s", (int)level, r,
                       counts[kind][r], kinds[kind].begin);
        }
}

static void count_gains(void *context, sct_log_level level, int rank, const char *text) {
    static const char begin[] = "without a limit on workspace, 344064 bytes would be moved, not ";
    CHECK(level <= SCT_LOG_INFO);
    if (strncmp(text, "without", 7) == 0 &&
        CHECK_CASE(rank == 0 && strncmp(text, begin, strlen(begin)) == 0, "%s", text))
        ++*(int *)context;
}

static int multiply_within(sct_world *world, void *workspace) {
    static const char *const text[] = {"row", "col", "2d"};
    static const int64_t size[][2] = {{128, 1024}, {1024, 128}, {128, 128}};
    const sct_options options = {.size = sizeof options, .workspace = *(size_t *)workspace};
    double one = 1, zero = 0;
    sct_layout *layout[3];
    sct_matrix *x[3];
    for (int i = 0; i < 3; i++) {
        CHECK(sct_layout_parse(text[i], size[i][0], size[i][1], 8, &layout[i]) == SCT_OK);
        CHECK(sct_matrix_create(world, SCT_F64, layout[i], &x[i]) == SCT_OK);
    }
    CHECK(sct_multiply(SCT_N, SCT_N, &one, sct_whole(x[0]), sct_whole(x[1]), &zero, sct_whole(x[2]),
                       &options) == SCT_OK);
    for (int i = 0; i < 3; i++) {
        sct_matrix_destroy(x[i]);
        sct_layout_destroy(layout[i]);
    }
    return 0;
}

/* A limit that costs bytes, and those that cost none. */
static void try_limits(void) {
    static const size_t limits[] = {1 << 16, 0, SCT_NO_LIMIT};
    const sct_threads_options alone = {.size = sizeof alone, .ranks_per_node = 1};
    const sct_world_options apart = {.size = sizeof apart, .engine_options = &alone};
    for (int i = 0; i < 3; i++) {
        size_t workspace = limits[i];
        int gains = 0;
        CHECK(sct_log(SCT_LOG_INFO, count_gains, &gains) == SCT_OK);
        CHECK(sct_run(8, &apart, multiply_within, &workspace) == SCT_OK);
        CHECK(sct_log(SCT_LOG_WARNING, NULL, NULL) == SCT_OK);
        CHECK_CASE(gains == (i == 0), "limit %zu: %d gains", limits[i], gains);
    }
}

static void try_environment(void) {
    static const char *const refused[] = {"all", "INFO", "1", "debug "};
    for (int i = 0; i < 4; i++) {
        setenv("SECTILE_LOG", refused[i], 1);
        CHECK(sct_log_from_environment() == SCT_BAD_ARGUMENT);
        CHECK(strstr(sct_last_reason(), "is not one of off, warning, info, debug"));
    }
    setenv("SECTILE_LOG", "", 1);
    CHECK(sct_log_from_environment() == SCT_OK);
    setenv("SECTILE_LOG", "warning", 1);
    CHECK(sct_log_from_environment() == SCT_OK);
}

int main(void) {
    for (sct_log_level level = SCT_LOG_OFF; level <= SCT_LOG_DEBUG; level++)
        try_level(level);
    CHECK(sct_log((sct_log_level)(SCT_LOG_DEBUG + 1), count, counts) == SCT_BAD_ARGUMENT);
    CHECK(sct_log((sct_log_level)-1, count, counts) == SCT_BAD_ARGUMENT);
    try_limits();
    try_environment();
    return check_report("log");
}
