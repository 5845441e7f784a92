/* one_of_many.c - what one rank of a large world keeps and sends, where the others are imitated
 * (support/mirrored_ranks.h): bytes of its world, matrices and jobs, and messages of its calls, as
 * functions of the number of ranks. It has nothing to move.
 *
 * Prints the figures, with times and the memory of the process; for RANKS RANK, if these are given.
 */
#include "api/world.h"
#include "support/check.h"
#include "whole/support/alloc_faults.h"
#include "whole/support/mirrored_ranks.h"

#include <sectile/sectile_engine.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS_PER_HOST = 16, SIZE = 16 };

/* Bytes for each other rank, each host, and each rank that it is connected to; and those of the
 * allocator for a few large blocks. */
enum { OF_RANK = 8, OF_HOST = 16, OF_PARTNER = 144, ROUNDING = 1 << 14 };
enum { MOST = 16 << 20, MOST_OF_PLAN = 64 << 20 };

/* ---- Figures ---- */

/* Of one call: bytes that it has added, and needed at a time; messages that it has sent. */
typedef struct figures {
    long held, peak, messages;
    double seconds;
} figures;

/* What is compared for several numbers of ranks. */
typedef struct tried {
    int ranks, partners;
    figures world, matrix, wrapped, missing, product, ordered, job;
} tried;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A line of the system's about this process, in KiB. */
static long kib_of(const char *name) {
    char line[128];
    long found = 0;
    FILE *lines = fopen("/proc/self/status", "r");
    while (lines && fgets(line, sizeof line, lines))
        if (strncmp(line, name, strlen(name)) == 0)
            found = strtol(line + strlen(name), NULL, 10);
    if (lines)
        fclose(lines);
    return found;
}

static figures begin(const mirrored_ranks *others) {
    alloc_peak = alloc_held;
    return (figures){alloc_held, alloc_held, mirrored_messages(others), seconds()};
}

static figures end(const char *what, const mirrored_ranks *others, figures since) {
    const figures made = {alloc_held - since.held, alloc_peak - since.peak,
                          mirrored_messages(others) - since.messages, seconds() - since.seconds};
    printf("  %-28s %9ld bytes, at most %9ld; %3ld messages; %8.3f ms; VmRSS %6ld KiB\n", what,
           made.held, made.peak, made.messages, 1e3 * made.seconds, kib_of("VmRSS:"));
    return made;
}

/* ---- Calls ---- */

static sct_layout *parse(const char *text, int64_t rows, int64_t cols, int ranks) {
    sct_layout *layout = NULL;
    CHECK_CASE(sct_layout_parse(text, rows, cols, ranks, &layout) == SCT_OK, "%s",
               sct_last_reason());
    return layout;
}

static sct_matrix *create(sct_world *world, const char *text, int64_t rows, int64_t cols) {
    sct_layout *layout = parse(text, rows, cols, sct_world_size(world));
    sct_matrix *matrix = NULL;
    CHECK_CASE(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK, "%s",
               sct_last_reason());
    sct_layout_destroy(layout);
    return matrix;
}

static figures wrap(sct_world *world, const mirrored_ranks *others, const char *what,
                    double *memory) {
    int ranks = sct_world_size(world);
    sct_layout *layout = parse("row", ranks, SIZE, ranks);
    sct_matrix *matrix = NULL;
    figures since = begin(others);
    CHECK_CASE(sct_matrix_wrap(world, SCT_F64, layout, memory, 0, &matrix) == SCT_OK, "%s",
               sct_last_reason());
    figures made = end(what, others, since);
    sct_matrix_destroy(matrix);
    sct_layout_destroy(layout);
    return made;
}

/* If rank 0 wraps NULL, it keeps of each rank whether that does so, too. */
static void wrap_all(sct_world *world, const mirrored_ranks *others, tried *t) {
    double memory[SIZE];
    wrap(world, others, "sct_matrix_wrap, first time", memory);
    t->wrapped = wrap(world, others, "sct_matrix_wrap, again", memory);
    t->missing = wrap(world, others, "sct_matrix_wrap of NULL", NULL);
}

static void multiply(sct_matrix *const x[3], const sct_options *options) {
    const double one = 1, zero = 0;
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(x[0]), sct_whole(x[1]), &zero,
                            sct_whole(x[2]), options) == SCT_OK,
               "%s", sct_last_reason());
}

/* A product of rows with a copy of B on each rank. Debug builds compare these, by an allgather. */
static void multiply_own(sct_world *world, const mirrored_ranks *others, tried *t) {
    char copies[32];
    snprintf(copies, sizeof copies, "row@1*%d", t->ranks);
    figures since = begin(others);
    sct_matrix *x[3] = {create(world, "row", t->ranks, SIZE)};
    t->matrix = end("sct_matrix_create", others, since);
    x[1] = create(world, copies, SIZE, SIZE);
    x[2] = create(world, "row", t->ranks, SIZE);
    for (int i = 0; i < 2 && !SCT_DEBUG; i++) {
        since = begin(others);
        multiply(x, NULL);
        t->product = end(i ? "sct_multiply, again" : "sct_multiply, first time", others, since);
    }
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

/* An ordered product of matrices on ranks 0 and 1: the last rank has no work, but takes part in the
 * rounds. */
static void multiply_elsewhere(sct_world *world, const mirrored_ranks *others, tried *t) {
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_A, .ordered = 1};
    sct_matrix *const x[3] = {create(world, "col@2", SIZE, SIZE),
                              create(world, "row@2", SIZE, SIZE),
                              create(world, "row@2", SIZE, SIZE)};
    figures since = begin(others);
    multiply(x, &options);
    t->ordered = end("sct_multiply, elsewhere", others, since);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

/* Plans a product with work for each rank, and binds it. It does not run. */
static void prepare_work(sct_world *world, const mirrored_ranks *others, tried *t) {
    static const char *const texts[3] = {"row", "col", "2d"};
    sct_problem problem = {
        .size = sizeof problem, .type = SCT_F64, .ranks = t->ranks, .ranks_per_node = 1};
    const sct_layout **layout[3] = {&problem.a, &problem.b, &problem.c};
    sct_matrix *x[3];
    sct_plan *plan = NULL;
    sct_job *job = NULL;
    for (int i = 0; i < 3; i++) {
        x[i] = create(world, texts[i], t->ranks, t->ranks);
        *layout[i] = sct_matrix_layout(x[i]);
    }
    figures since = begin(others);
    CHECK_CASE(sct_plan_create(&problem, sct_world_rank(world), NULL, &plan) == SCT_OK, "%s",
               sct_last_reason());
    figures made = end("sct_plan_create", others, since);
    CHECK_CASE(made.peak <= MOST_OF_PLAN, "a plan among %d ranks takes %ld bytes", t->ranks,
               made.peak);
    since = begin(others);
    CHECK_CASE(sct_job_create(world, plan, sct_whole(x[0]), sct_whole(x[1]), sct_whole(x[2]),
                              &job) == SCT_OK,
               "%s", sct_last_reason());
    t->job = end("sct_job_create", others, since);
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

static tried try(int rank, int ranks, int wait_seconds) {
    tried t = {.ranks = ranks};
    mirrored_ranks *others = mirrored_begin(rank, ranks, RANKS_PER_HOST);
    sct_bootstrap bootstrap = mirrored_bootstrap(others);
    const sct_world_options options = {
        .size = sizeof options, .engine = "processes", .wait_seconds = wait_seconds};
    sct_world *world = NULL;
    printf("rank %d of %d%s\n", rank, ranks, wait_seconds ? ", with a limit on waiting" : "");
    figures since = begin(others);
    CHECK_CASE(sct_world_create(&bootstrap, &options, &world) == SCT_OK, "%s", sct_last_reason());
    t.world = end("sct_world_create", others, since);
    t.partners = mirrored_partners(others);
    if (world) {
        multiply_own(world, others, &t);
        (rank == 0 ? wrap_all : multiply_elsewhere)(world, others, &t);
        prepare_work(world, others, &t);
    }
    sct_world_destroy(world);
    mirrored_end(others);
    return t;
}

/* ---- What they may be ---- */

static int rounds_of(int ranks) {
    int rounds = 0;
    while (ranks > 1 << rounds)
        rounds++;
    return rounds;
}

static void check_growth(const char *what, figures few, figures many, long most) {
    CHECK_CASE(many.held - few.held <= most + ROUNDING, "%s: %ld bytes more, not %ld", what,
               many.held - few.held, most);
}

static void check_messages(const char *what, figures made, int ranks, int reductions) {
    CHECK_CASE(made.messages == (long)reductions * rounds_of(ranks),
               "%s among %d ranks: %ld messages", what, ranks, made.messages);
}

static void check(const tried *few, const tried *many) {
    long ranks = many->ranks - few->ranks, hosts = ranks / RANKS_PER_HOST + 1;
    long partners = many->partners - few->partners;
    check_growth("a world", few->world, many->world,
                 OF_RANK * ranks + OF_HOST * hosts + OF_PARTNER * partners);
    check_growth("a matrix", few->matrix, many->matrix, 0);
    check_growth("a wrapped matrix", few->wrapped, many->wrapped, 0);
    check_growth("a matrix of NULL", few->missing, many->missing, ranks);
    check_growth("an ordered product", few->ordered, many->ordered, ranks / CHAR_BIT);
    CHECK_CASE(many->world.peak <= MOST, "a world of %d ranks takes %ld bytes", many->ranks,
               many->world.peak);
    CHECK(few->product.peak == 0 && many->product.peak == 0);
    check_messages("a world", many->world, many->ranks, 1);
    check_messages("a matrix", many->matrix, many->ranks, 3);
    check_messages("a product", many->product, many->ranks, SCT_DEBUG ? 0 : 2);
    check_messages("a job", many->job, many->ranks, 1);
}

static void compare(bool last, int wait_seconds) {
    static const int ranks[] = {1000, 10000, 100000};
    tried all[3];
    for (int i = 0; i < 3; i++) {
        all[i] = try(last ? ranks[i] - 1 : 0, ranks[i], wait_seconds);
        check(&all[0], &all[i]);
    }
}

int main(int argc, char **argv) {
    if (argc == 3) {
        try(atoi(argv[2]), atoi(argv[1]), 0);
        return check_report("one_of_many");
    }
    compare(false, 0);
    compare(true, 0);
    compare(true, 60);
    return check_report("one_of_many");
}
