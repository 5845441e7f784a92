/* errors_job.c - jobs with a plan for another problem, and jobs started or waited for with bad
 * factors or in the wrong order. */
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

enum { M = 9, N = 8, K = 7 };

static const double one = 1, two = 2, three = 3;

typedef struct fixture {
    sct_world *world;
    sct_layout *a, *b, *c, *other;
    sct_view view_a, view_b, view_c, view_d;
    int ranks_per_node;
} fixture;

/* The arguments from which a job is created. */
typedef struct binding {
    const fixture *f;
    sct_problem problem;
    sct_options options;
    int rank;
    sct_view a, b, c;
    bool planless;
} binding;

typedef void spoil(binding *x);

/* ---- Creating ---- */

static binding bind(const fixture *f) {
    return (binding){.f = f,
                     .problem = {.size = sizeof(sct_problem),
                                 .type = SCT_F64,
                                 .a = f->a,
                                 .b = f->b,
                                 .c = f->c,
                                 .ranks = ERROR_RANKS,
                                 .ranks_per_node = f->ranks_per_node},
                     .options = {.size = sizeof(sct_options), .stay = SCT_STAY_C},
                     .rank = sct_world_rank(f->world),
                     .a = f->view_a,
                     .b = f->view_b,
                     .c = f->view_c};
}

static sct_status create(const fixture *f, const binding *x, sct_job **job) {
    sct_plan *plan = NULL;
    if (!x->planless)
        CHECK_CASE(sct_plan_create(&x->problem, x->rank, &x->options, &plan) == SCT_OK, "%s",
                   sct_last_reason());
    sct_status status = sct_job_create(f->world, plan, x->a, x->b, x->c, job);
    sct_plan_destroy(plan);
    return status;
}

static void no_plan(binding *x) {
    x->planless = true;
}

static void plan_of_another_rank(binding *x) {
    x->rank = (sct_world_rank(x->f->world) + 1) % ERROR_RANKS;
}

static void plan_of_another_world(binding *x) {
    x->problem.ranks = ERROR_RANKS + 1;
}

static void plan_of_other_nodes(binding *x) {
    x->problem.ranks_per_node = x->f->ranks_per_node == 2 ? 3 : 2;
}

static void plan_of_other_reach(binding *x) {
    x->problem.ranks_per_node_b = x->f->ranks_per_node == 2 ? 3 : 2;
}

static void plan_of_another_layout(binding *x) {
    x->problem.c = x->f->other;
}

static void plan_of_another_type(binding *x) {
    x->problem.type = SCT_F32;
}

static void job_of_a_view(binding *x) {
    x->c.slice.rows.hi = x->a.slice.rows.hi = sct_layout_rows(x->f->c) - 1;
}

static void view_outside(binding *x) {
    x->c.slice.rows.hi = sct_layout_rows(x->f->c) + 1;
}

static void no_b(binding *x) {
    x->b = (sct_view){.slice = x->f->view_b.slice};
}

static void c_is_a(binding *x) {
    x->c = x->f->view_a;
}

static void another_stay(binding *x) {
    x->options.stay = SCT_STAY_A;
}

static void another_order(binding *x) {
    x->options.schedule = SCT_GREEDY;
}

static void another_start(binding *x) {
    x->options.start = SCT_START_ALIKE;
}

static const struct row {
    const char *name;
    spoil *spoils;
    outcome expected;
} rows[] = {
    {"no plan", no_plan, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "plan"}},
    {"another rank", plan_of_another_rank, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "for rank"}},
    {"more ranks", plan_of_another_world, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "of 5"}},
    {"other nodes", plan_of_other_nodes, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "per node"}},
    {"other reach", plan_of_other_reach, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "node, but B has"}},
    {"another layout", plan_of_another_layout, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "of C"}},
    {"another type", plan_of_another_type, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "f32"}},
    {"a view", job_of_a_view, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "view of A"}},
    {"a view outside", view_outside, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "C: "}},
    {"no B", no_b, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "B: "}},
    {"C is A", c_is_a, {SCT_ALIASED, SCT_ALIASED, "A"}},
    {"another stay", another_stay, {SCT_OK, SCT_DISAGREE, "rank"}},
    {"another order", another_order, {SCT_OK, SCT_DISAGREE, "rank"}},
    {"another start", another_start, {SCT_OK, SCT_DISAGREE, "rank"}},
};

static void try_creating(const fixture *f) {
    for (size_t i = 0; i < CULPRITS * sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i / CULPRITS];
        const culprit *who = &culprits[i % CULPRITS];
        binding x = bind(f);
        sct_job *job = NULL;
        if (is_culprit(f->world, who))
            row->spoils(&x);
        sct_status status = create(f, &x, &job);
        CHECK_CASE(!status == (job != NULL), "%s: written though it failed", row->name);
        check_outcome(f->world, row->name, who, status, row->expected);
        sct_job_destroy(job);
    }
}

/* ---- Running: A and B are all 1, C is all 10 ---- */

static void check_matrix(const fixture *f, sct_view view, const char *when, double value) {
    int64_t wrong = matrix_count_other(f->world, view.matrix, (element){value, 0});
    CHECK_CASE(wrong == 0, "%s: %lld elements are not %g", when, (long long)wrong, value);
}

static void check_c(const fixture *f, const char *when, double value) {
    check_matrix(f, f->view_c, when, value);
}

/* A start that fails leaves C unchanged and the job usable. */
static void try_start(const fixture *f, sct_job *job, const culprit *who) {
    outcome bad = {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "' is NULL"};
    outcome different = {SCT_OK, SCT_DISAGREE, "alpha or beta"};
    bool odd = is_culprit(f->world, who);
    matrix_set(f->world, f->view_c.matrix, (element){10, 0});
    check_outcome(f->world, "no alpha", who, sct_job_start(job, odd ? NULL : &one, &one), bad);
    check_outcome(f->world, "no beta", who, sct_job_start(job, &one, odd ? NULL : &one), bad);
    check_c(f, "no factors", 10);
    sct_status status = sct_job_start(job, odd ? &two : &one, odd ? &three : &one);
    check_outcome(f->world, "other factors", who, status, different);
    if (!status)
        CHECK(sct_job_wait(job) == SCT_OK);
    check_c(f, "other factors", status ? 10 : 3 * 10 + 2 * K);
}

/* All ranks make the same calls in the wrong order. */
static void try_turns(const fixture *f, sct_job *job) {
    const culprit *all = &culprits[0];
    outcome idle = {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "not running"};
    outcome busy = {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "is running"};
    outcome fine = {SCT_OK, SCT_OK, ""};
    matrix_set(f->world, f->view_c.matrix, (element){10, 0});
    check_outcome(f->world, "wait first", all, sct_job_wait(job), idle);
    check_outcome(f->world, "start", all, sct_job_start(job, &two, &one), fine);
    check_outcome(f->world, "start again", all, sct_job_start(job, &one, &three), busy);
    check_outcome(f->world, "observe", all, sct_job_observe(job, NULL), busy);
    check_outcome(f->world, "wait", all, sct_job_wait(job), fine);
    check_c(f, "in turn", 10 + 2 * K);
    check_outcome(f->world, "wait again", all, sct_job_wait(job), idle);
    check_c(f, "in turn", 10 + 2 * K);
}

/* Two jobs of one plan, into C and into D. If one rank alone starts the other job, all ranks are
 * told, and C and D are unchanged. */
static void try_starting(const fixture *f, sct_job *const job[2], const culprit *who) {
    int mine = is_culprit(f->world, who);
    outcome different = {SCT_OK, SCT_DISAGREE, "different job"};
    matrix_set(f->world, f->view_c.matrix, (element){10, 0});
    matrix_set(f->world, f->view_d.matrix, (element){10, 0});
    sct_status status = sct_job_start(job[mine], &one, &one);
    check_outcome(f->world, "start of another job", who, status, different);
    if (!status)
        CHECK(sct_job_wait(job[mine]) == SCT_OK);
    check_c(f, "the other job's C", 10);
    check_matrix(f, f->view_d, "the job's C", status ? 10 : 10 + K);
}

/* Both jobs run, and one rank waits for them in another order than the rest. */
static void try_waiting(const fixture *f, sct_job *const job[2], const culprit *who) {
    int mine = is_culprit(f->world, who);
    outcome different = {SCT_OK, SCT_DISAGREE, "different job"};
    for (int i = 0; i < 2; i++)
        CHECK(sct_job_start(job[i], &one, &one) == SCT_OK);
    check_outcome(f->world, "wait for another job", who, sct_job_wait(job[mine]), different);
    check_outcome(f->world, "wait for the rest", who, sct_job_wait(job[!mine]), different);
}

static void try_two(const fixture *f) {
    sct_job *job[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        binding x = bind(f);
        x.c = i ? f->view_d : f->view_c;
        x.options.stay = SCT_STAY_A;
        CHECK(create(f, &x, &job[i]) == SCT_OK);
    }
    for (int i = 0; i < CULPRITS; i++) {
        try_starting(f, job, &culprits[i]);
        try_waiting(f, job, &culprits[i]);
    }
    for (int i = 0; i < 2; i++)
        sct_job_destroy(job[i]);
}

static void try_running(const fixture *f) {
    binding x = bind(f);
    sct_job *job = NULL;
    CHECK(create(f, &x, &job) == SCT_OK);
    try_turns(f, job);
    for (int i = 0; i < CULPRITS; i++)
        try_start(f, job, &culprits[i]);
    try_turns(f, job);
    sct_job_destroy(job);
}

static sct_view make(sct_world *world, const sct_layout *layout, element value) {
    sct_matrix *matrix = NULL;
    CHECK(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK);
    matrix_set(world, matrix, value);
    return sct_whole(matrix);
}

static int rank_main(sct_world *world, void *arg) {
    const int *ranks_per_node = arg;
    fixture f = {.world = world,
                 .a = layout_of("row", M, K, ERROR_RANKS),
                 .b = layout_of("cyclic:2x2", K, N, ERROR_RANKS),
                 .c = layout_of("col*2", M, N, ERROR_RANKS),
                 .other = layout_of("col*2/f", M, N, ERROR_RANKS),
                 .ranks_per_node = *ranks_per_node};
    f.view_a = make(world, f.a, (element){1, 0});
    f.view_b = make(world, f.b, (element){1, 0});
    f.view_c = make(world, f.c, (element){10, 0});
    f.view_d = make(world, f.c, (element){10, 0});
    try_creating(&f);
    try_running(&f);
    try_two(&f);
    sct_matrix_destroy(f.view_a.matrix);
    sct_matrix_destroy(f.view_b.matrix);
    sct_matrix_destroy(f.view_c.matrix);
    sct_matrix_destroy(f.view_d.matrix);
    sct_layout *layouts[] = {f.a, f.b, f.c, f.other};
    for (int i = 0; i < 4; i++)
        sct_layout_destroy(layouts[i]);
    return 0;
}

int main(void) {
    run_error_ranks(2, rank_main);
    return check_report("errors_job");
}
