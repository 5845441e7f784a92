/* trial.c - runs a trial in a world of its own: as one call, then as a job that runs twice. */
#include "whole/support/trial.h"

#include "whole/support/elements.h"
#include "whole/support/guarded_matrix.h"
#include "whole/support/trial_plan.h"
#include "whole/support/trial_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, GAP = 3, FINDING = 160, TURNS = 3, LINE = 1000 };

/* The first thing that a rank found wrong, and the options with which it ran. */
typedef struct finding {
    char text[FINDING];
    sct_options options;
} finding;

typedef struct run {
    trial trial;
    sct_layout *layout[TRIAL_MATRICES], *work;
    sct_slice view[TRIAL_MATRICES];
    sct_problem problem;
    element *product; /* op(A) op(B), m x n */
    finding *found;   /* by rank */
} run;

/* The state of one rank. */
typedef struct rank_state {
    const run *run;
    sct_world *world;
    sct_matrix *matrix[TRIAL_MATRICES];
    guarded own[TRIAL_MATRICES];
    sct_view view[TRIAL_MATRICES];
    sct_options *options; /* in the rank's finding */
    sct_plan *plan;
    sct_cost cost;
    sct_job *job;
} rank_state;

void trial_stored(const trial *t, int matrix, int64_t *rows, int64_t *cols) {
    bool turned = matrix != TRIAL_C && t->op[matrix] != SCT_N;
    int64_t height = matrix == TRIAL_B ? t->k : t->m, width = matrix == TRIAL_A ? t->k : t->n;
    *rows = turned ? width : height;
    *cols = turned ? height : width;
}

void trial_work_size(const trial *t, int64_t *rows, int64_t *cols) {
    *rows = t->options.stay == SCT_STAY_B ? t->k : t->m;
    *cols = t->options.stay == SCT_STAY_A ? t->k : t->n;
}

sct_type trial_type(const trial *t, int matrix) {
    return matrix == TRIAL_C && t->sum_c ? sct_type_sum(t->type) : t->type;
}

static bool is_wrapped(const trial *t, int matrix) {
    return t->wrapped >> matrix & 1;
}

/* For sct_problem. */
static int ranks_per_node(const trial *t, int matrix) {
    return t->emulated.wrapped_alone && is_wrapped(t, matrix) ? 1 : 0;
}

static source source_of(const trial *t, int matrix) {
    return (source){t->seed * TRIAL_MATRICES + (uint64_t)matrix, MOST};
}

/* Element (i, j) of op(matrix), within the matrix's view. */
static element operand(const run *r, int matrix, int64_t i, int64_t j) {
    const trial *t = &r->trial;
    sct_op op = matrix == TRIAL_C ? SCT_N : t->op[matrix];
    const sct_slice *view = &r->view[matrix];
    int64_t row = op == SCT_N ? i : j, col = op == SCT_N ? j : i;
    element e =
        source_element(t->type, source_of(t, matrix), view->rows.lo + row, view->cols.lo + col);
    return op == SCT_C ? element_conjugate(e) : e;
}

/* Generates each element of op(B) once and each of op(A) once: generating takes longer than
 * multiplying. */
static void multiply_naively(run *r) {
    const trial *t = &r->trial;
    element *row = malloc(((size_t)t->n + 1) * sizeof *row); /* of op(B) */
    for (int64_t l = 0; l < t->k; l++) {
        for (int64_t j = 0; j < t->n; j++)
            row[j] = operand(r, TRIAL_B, l, j);
        for (int64_t i = 0; i < t->m; i++) {
            element of_a = operand(r, TRIAL_A, i, l), *sum = &r->product[i * t->n];
            for (int64_t j = 0; j < t->n; j++)
                sum[j] = element_plus(sum[j], element_times(of_a, row[j]));
        }
    }
    free(row);
}

/* The last turn uses another alpha, and a beta that is 0 if it was not and 2 if it was. */
static element alpha_of(const trial *t, int turn) {
    return turn < TURNS - 1 ? t->alpha : (element){-2 * t->alpha.re, t->alpha.im};
}

static element beta_of(const trial *t, int turn) {
    bool zero = t->beta.re == 0 && t->beta.im == 0;
    return turn < TURNS - 1 ? t->beta : (element){zero ? 2 : 0, 0};
}

static void note(const rank_state *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(const rank_state *s, const char *format, ...) {
    finding *found = &s->run->found[sct_world_rank(s->world)];
    if (found->text[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found->text, sizeof found->text, format, arguments);
    va_end(arguments);
}

/* Whether a call succeeded; notes a failure. */
static bool done(const rank_state *s, const char *what, sct_status status) {
    if (status)
        note(s, "%s: %s", what, sct_last_reason());
    return status == SCT_OK;
}

static bool make_matrices(rank_state *s) {
    const run *r = s->run;
    for (int i = 0; i < TRIAL_MATRICES; i++) {
        sct_type type = trial_type(&r->trial, i);
        sct_status status =
            is_wrapped(&r->trial, i)
                ? guarded_create(s->world, type, r->layout[i], GAP, &s->own[i], &s->matrix[i])
                : sct_matrix_create(s->world, type, r->layout[i], &s->matrix[i]);
        if (!done(s, "matrix", status) ||
            !done(s, "view", sct_matrix_view(s->matrix[i], r->view[i], &s->view[i])))
            return false;
    }
    for (int i = TRIAL_A; i <= TRIAL_B; i++)
        matrix_fill(s->world, s->matrix[i], source_of(&r->trial, i));
    return true;
}

/* A visit of this rank's elements of C. */
typedef struct c_walk {
    const rank_state *rank_state;
    int turn;
    bool inside, outside; /* which elements to look at: those of the view, all others */
    int64_t wrong_inside, wrong_outside;
} c_walk;

/* Initializes C, with NaN where it must not be read. */
static void put_c(void *context, int64_t row, int64_t col, void *at) {
    const c_walk *walk = context;
    const trial *t = &walk->rank_state->run->trial;
    element beta = beta_of(t, walk->turn);
    bool unread = beta.re == 0 && beta.im == 0;
    element value = source_element(t->type, source_of(t, TRIAL_C), row, col);
    if (unread && slice_has(&walk->rank_state->run->view[TRIAL_C], row, col))
        value = (element){NAN, NAN};
    element_put(trial_type(t, TRIAL_C), at, 0, value);
}

static element expected(const run *r, int turn, int64_t i, int64_t j) {
    const trial *t = &r->trial;
    element before = element_times(beta_of(t, turn), operand(r, TRIAL_C, i, j));
    element sum = element_plus(element_times(alpha_of(t, turn), r->product[i * t->n + j]), before);
    return element_rounded(trial_type(t, TRIAL_C), sum);
}

static void compare_c(void *context, int64_t row, int64_t col, void *at) {
    c_walk *walk = context;
    const run *r = walk->rank_state->run;
    const sct_slice *view = &r->view[TRIAL_C];
    bool inside = slice_has(view, row, col);
    if (inside ? !walk->inside : !walk->outside)
        return;
    element is = element_get(trial_type(&r->trial, TRIAL_C), at, 0);
    element want = inside ? expected(r, walk->turn, row - view->rows.lo, col - view->cols.lo)
                          : source_element(r->trial.type, source_of(&r->trial, TRIAL_C), row, col);
    bool right = is.re == want.re && is.im == want.im;
    walk->wrong_inside += inside && !right;
    walk->wrong_outside += !inside && !right;
}

static void fill_c(const rank_state *s, int turn) {
    c_walk walk = {.rank_state = s, .turn = turn};
    matrix_write(s->world, s->matrix[TRIAL_C], put_c, &walk);
}

static void check_c(const rank_state *s, int turn) {
    sct_result result = s->run->trial.options.result;
    bool origin = sct_matrix_my_replica(s->matrix[TRIAL_C]) == 0;
    c_walk walk = {.rank_state = s, .turn = turn, .outside = true};
    walk.inside = result == SCT_RESULT_ALL || (result == SCT_RESULT_ORIGIN && origin);
    matrix_read(s->world, s->matrix[TRIAL_C], compare_c, &walk);
    if (result == SCT_RESULT_PARTIAL) {
        done(s, "reduce", sct_matrix_reduce_replicas(s->matrix[TRIAL_C], 0));
        walk.outside = false;
        walk.inside = origin;
        matrix_read(s->world, s->matrix[TRIAL_C], compare_c, &walk);
    }
    if (walk.wrong_inside)
        note(s, "turn %d: %lld elements of C are wrong", turn, (long long)walk.wrong_inside);
    if (walk.wrong_outside)
        note(s, "turn %d: %lld elements outside C's view have changed", turn,
             (long long)walk.wrong_outside);
}

static void check_traffic(const rank_state *s, sct_traffic before) {
    sct_traffic after = sct_world_traffic(s->world);
    uint64_t moved[] = {after.bytes_got - before.bytes_got,
                        after.bytes_accumulated - before.bytes_accumulated,
                        after.bytes_in_place - before.bytes_in_place};
    uint64_t planned[] = {s->cost.bytes_got, s->cost.bytes_accumulated, s->cost.bytes_in_place};
    static const char *const how[] = {"got", "accumulated", "in place"};
    for (int i = 0; i < 3; i++)
        if (moved[i] != planned[i])
            note(s, "%llu bytes %s, the plan has %llu", (unsigned long long)moved[i], how[i],
                 (unsigned long long)planned[i]);
}

static sct_status multiply(const rank_state *s, int turn) {
    const trial *t = &s->run->trial;
    sct_type sum = sct_type_sum(t->type);
    sct_scalar alpha = element_scalar(sum, alpha_of(t, turn));
    sct_scalar beta = element_scalar(sum, beta_of(t, turn));
    if (turn == 0)
        return sct_multiply(t->op[TRIAL_A], t->op[TRIAL_B], &alpha, s->view[TRIAL_A],
                            s->view[TRIAL_B], &beta, s->view[TRIAL_C], s->options);
    sct_status status = sct_job_start(s->job, &alpha, &beta);
    return status ? status : sct_job_wait(s->job);
}

/* Initializes C, multiplies and checks C. Turn 0 is one call; the others run the job. */
static bool take_turn(rank_state *s, int turn) {
    fill_c(s, turn);
    sct_traffic before = sct_world_traffic(s->world);
    if (!done(s, turn == 0 ? "multiply" : "job", multiply(s, turn)))
        return false;
    check_traffic(s, before);
    check_c(s, turn);
    return true;
}

static void say_line(const rank_state *s) {
    char text[LINE];
    trial settled = s->run->trial;
    settled.options = *s->options;
    trial_text(&settled, text, sizeof text);
    check_line(text);
}

static bool make_job(rank_state *s) {
    const run *r = s->run;
    sct_problem problem = r->problem;
    problem.gpus = sct_world_gpus(s->world);
    if (!trial_plan(s->world, &problem, r->trial.tight, s->options, &s->plan)) {
        note(s, "plan: %s", s->plan ? "another rank has none" : sct_last_reason());
        return false;
    }
    done(s, "cost", sct_plan_cost(s->plan, &s->cost));
    if (sct_world_rank(s->world) == 0) {
        say_line(s);
        done(s, "check", sct_plan_check(&problem, s->options));
    }
    size_t limit = s->options->workspace;
    if (limit && s->cost.workspace > limit)
        note(s, "workspace of %llu bytes", (unsigned long long)s->cost.workspace);
    return done(s, "job",
                sct_job_create(s->world, s->plan, s->view[TRIAL_A], s->view[TRIAL_B],
                               s->view[TRIAL_C], &s->job));
}

static void check_rest(const rank_state *s) {
    for (int i = 0; i < TRIAL_MATRICES; i++) {
        if (is_wrapped(&s->run->trial, i) && !guarded_intact(&s->own[i]))
            note(s, "guard bytes of %c have changed", 'A' + i);
        if (i != TRIAL_C &&
            matrix_count_wrong(s->world, s->matrix[i], source_of(&s->run->trial, i)))
            note(s, "%c has changed", 'A' + i);
    }
}

static int rank_main(sct_world *world, void *arg) {
    run *r = arg;
    rank_state s = {.run = r, .world = world, .options = &r->found[sct_world_rank(world)].options};
    *s.options = r->trial.options;
    if (make_matrices(&s) && make_job(&s)) {
        for (int turn = 0; turn < TURNS; turn++)
            if (!take_turn(&s, turn))
                break;
        check_rest(&s);
    }
    sct_job_destroy(s.job);
    sct_plan_destroy(s.plan);
    for (int i = 0; i < TRIAL_MATRICES; i++) {
        sct_matrix_destroy(s.matrix[i]);
        guarded_free(&s.own[i]);
    }
    return 0;
}

/* Makes the layouts, the views and the problem; false if a layout text is bad. */
static bool make_problem(run *r) {
    const trial *t = &r->trial;
    bool right = true;
    for (int i = 0; i < TRIAL_MATRICES; i++) {
        margin around = t->margin[i];
        int64_t rows, cols;
        trial_stored(t, i, &rows, &cols);
        r->view[i] = margin_view(around, rows, cols);
        r->layout[i] =
            layout_of(t->layout[i], margin_rows(around, rows), margin_cols(around, cols), t->ranks);
        right &= r->layout[i] != NULL;
    }
    if (t->work[0]) {
        int64_t rows, cols;
        trial_work_size(t, &rows, &cols);
        r->trial.options.work = r->work = layout_of(t->work, rows, cols, t->ranks);
        right &= r->work != NULL;
    }
    r->problem = (sct_problem){.size = sizeof r->problem,
                               .type = t->type,
                               .sum_c = t->sum_c,
                               .op_a = t->op[TRIAL_A],
                               .op_b = t->op[TRIAL_B],
                               .a = r->layout[TRIAL_A],
                               .b = r->layout[TRIAL_B],
                               .c = r->layout[TRIAL_C],
                               .view_a = &r->view[TRIAL_A],
                               .view_b = &r->view[TRIAL_B],
                               .view_c = &r->view[TRIAL_C],
                               .ranks = t->ranks,
                               .ranks_per_node = t->emulated.ranks_per_node,
                               .ranks_per_node_a = ranks_per_node(t, TRIAL_A),
                               .ranks_per_node_b = ranks_per_node(t, TRIAL_B),
                               .ranks_per_node_c = ranks_per_node(t, TRIAL_C)};
    return right;
}

static sct_world_options world_of(trial *t) {
    t->emulated.host = !t->on_devices;
    sct_world_options world = emulated_world(&t->emulated);
    if (t->engine) {
        world.engine = t->engine;
        world.engine_options = &t->devices;
        t->devices.size =
            strcmp(t->engine, "cuda") ? sizeof(sct_opencl_options) : sizeof t->devices;
        t->devices.ranks_per_node = t->emulated.ranks_per_node;
    }
    return world;
}

static void run_problem(run *r) {
    trial *t = &r->trial;
    char text[LINE];
    multiply_naively(r);
    const sct_world_options world = world_of(t);
    sct_status status = sct_run(t->ranks, &world, rank_main, r);
    const char *found = status ? sct_last_reason() : "";
    for (int rank = t->ranks - 1; rank >= 0 && !status; rank--)
        if (r->found[rank].text[0]) {
            found = r->found[rank].text;
            t->options = r->found[rank].options;
        }
    trial_text(t, text, sizeof text);
    CHECK_CASE(!found[0], "%s: %s", text, found);
}

void trial_run(const trial *t) {
    run r = {.trial = *t};
    r.trial.options.size = sizeof r.trial.options;
    r.product = calloc((size_t)(t->m * t->n) + 1, sizeof *r.product);
    r.found = calloc((size_t)t->ranks, sizeof *r.found);
    if (make_problem(&r))
        run_problem(&r);
    for (int i = 0; i < TRIAL_MATRICES; i++)
        sct_layout_destroy(r.layout[i]);
    sct_layout_destroy(r.work);
    free(r.product);
    free(r.found);
}
