/* errors_check.c - a rank that makes sct_world_check instead of another collective call: that fails
 * on all ranks, with what the rank says, and the world works as before. */
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

enum { N = 12 };

static const double one = 1;

typedef struct fixture {
    sct_world *world;
    sct_layout *layout;
    sct_view a, b, c;
    sct_plan *plan;
    sct_job *job;
} fixture;

typedef sct_status call(fixture *f);

static sct_status check(fixture *f) {
    return sct_world_check(f->world, SCT_OK, NULL);
}

static sct_status create(fixture *f) {
    sct_matrix *made = NULL;
    sct_status status = sct_matrix_create(f->world, SCT_F64, f->layout, &made);
    sct_matrix_destroy(made);
    return status;
}

static sct_status wrap(fixture *f) {
    double elements[N * N];
    sct_matrix *made = NULL;
    sct_status status = sct_matrix_wrap(f->world, SCT_F64, f->layout, elements, 0, &made);
    sct_matrix_destroy(made);
    return status;
}

static sct_status multiply(fixture *f) {
    return sct_multiply(SCT_N, SCT_N, &one, f->a, f->b, &one, f->c, NULL);
}

static sct_status copy(fixture *f) {
    return sct_copy(SCT_T, f->a, f->b, NULL);
}

static sct_status copy_start(fixture *f) {
    sct_copying *copying;
    sct_status status = sct_copy_start(SCT_N, f->a, f->b, NULL, &copying);
    return status ? status : sct_copy_wait(copying);
}

static sct_status create_job(fixture *f) {
    sct_job *made = NULL;
    sct_status status = sct_job_create(f->world, f->plan, f->a, f->b, f->c, &made);
    sct_job_destroy(made);
    return status;
}

static sct_status run_job(fixture *f) {
    sct_status status = sct_job_start(f->job, &one, &one);
    return status ? status : sct_job_wait(f->job);
}

static sct_status broadcast(fixture *f) {
    return sct_matrix_broadcast_replica(f->c.matrix, 0);
}

static sct_status gather_few(fixture *f) {
    int mine = 0, all[ERROR_RANKS];
    return sct_world_gather(f->world, &mine, sizeof mine, all);
}

static sct_status gather_many(fixture *f) {
    double mine[64] = {0}, all[64 * ERROR_RANKS];
    return sct_world_gather(f->world, mine, sizeof mine, all);
}

static const struct {
    const char *name;
    call *make;
} calls[] = {{"check", check},
             {"create", create},
             {"wrap", wrap},
             {"multiply", multiply},
             {"copy", copy},
             {"copy_start", copy_start},
             {"job_create", create_job},
             {"job_start", run_job},
             {"broadcast_replica", broadcast},
             {"gather_few", gather_few},
             {"gather_many", gather_many}};
enum { CALLS = sizeof calls / sizeof *calls };

static sct_status refuse(fixture *f, sct_status status, const char *reason) {
    return sct_world_check(f->world, status, reason);
}

static void try_refusing(fixture *f, int which, const culprit *who) {
    static const outcome expected = {SCT_TOO_LARGE, SCT_TOO_LARGE, "a file of 12 rows"};
    sct_status status =
        is_culprit(f->world, who)
            ? refuse(f, SCT_TOO_LARGE, "a file of 12 rows: 100 % of it is too large")
            : calls[which].make(f);
    check_outcome(f->world, calls[which].name, who, status, expected);
    CHECK_CASE(calls[which].make(f) == SCT_OK, "after %s: %s", calls[which].name,
               sct_last_reason());
}

/* A call of one rank where the others make another, without a failure. */
static void try_differing(fixture *f, int which, int other) {
    static const culprit second = {"rank 2 alone", 2};
    static const outcome expected = {SCT_OK, SCT_DISAGREE, "rank 2"};
    int mine = is_culprit(f->world, &second) ? other : which;
    check_outcome(f->world, calls[which].name, &second, calls[mine].make(f), expected);
}

/* Ranks that check different things. */
static void try_naming(fixture *f) {
    static const culprit second = {"rank 2 alone", 2};
    static const outcome expected = {SCT_OK, SCT_DISAGREE, "rank 2 asks for call=an-end"};
    const char *said = is_culprit(f->world, &second) ? "an-end" : "a-start";
    check_outcome(f->world, "names", &second, sct_world_check(f->world, SCT_OK, said), expected);
    check_status(sct_world_check(f->world, SCT_OK, "a-start"), SCT_OK, "");
}

static void try_reasons(fixture *f) {
    check_status(refuse(f, SCT_NO_MEMORY, NULL), SCT_NO_MEMORY, sct_status_name(SCT_NO_MEMORY));
    check_status(refuse(f, (sct_status)99, "no"), SCT_BAD_ARGUMENT, "there is no status 99");
    check_status(refuse(f, (sct_status)-1, "no"), SCT_BAD_ARGUMENT, "there is no status -1");
    check_status(refuse(f, SCT_FAILED, sct_last_reason()), SCT_FAILED, "there is no status -1");
}

static sct_view make(fixture *f) {
    sct_matrix *matrix = NULL;
    CHECK(sct_matrix_create(f->world, SCT_F64, f->layout, &matrix) == SCT_OK);
    matrix_set(f->world, matrix, (element){1, 0});
    return sct_whole(matrix);
}

static int rank_main(sct_world *world, void *arg) {
    fixture f = {.world = world, .layout = layout_of("2d*2", N, N, ERROR_RANKS)};
    f.a = make(&f);
    f.b = make(&f);
    f.c = make(&f);
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = f.layout,
                           .b = f.layout,
                           .c = f.layout,
                           .ranks = ERROR_RANKS,
                           .ranks_per_node = *(int *)arg};
    CHECK(sct_plan_create(&problem, sct_world_rank(world), NULL, &f.plan) == SCT_OK);
    CHECK(sct_job_create(world, f.plan, f.a, f.b, f.c, &f.job) == SCT_OK);
    for (int i = 0; i < CALLS; i++)
        for (int who = 0; who < CULPRITS; who++)
            try_refusing(&f, i, &culprits[who]);
    for (int i = 1; i < CALLS; i++) {
        try_differing(&f, i, i - 1);
        try_differing(&f, i - 1, i);
    }
    try_naming(&f);
    try_reasons(&f);
    CHECK(multiply(&f) == SCT_OK && run_job(&f) == SCT_OK);
    sct_job_destroy(f.job);
    sct_plan_destroy(f.plan);
    sct_view all[] = {f.a, f.b, f.c};
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(all[i].matrix);
    sct_layout_destroy(f.layout);
    return 0;
}

int main(void) {
    run_error_ranks(2, rank_main);
    return check_report("errors_check");
}
