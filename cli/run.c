/* run.c - the verb run: products of made-up matrices, timed and checked. */
#include "check.h"
#include "product.h"
#include "team.h"
#include "verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* With --check the first executions are compared, each in its way. */
enum { EXACT, BOUND, ROUNDS };
static const char *const round_names[] = {"exact", "bound"};

/* What is kept for a rank from before it runs until after. */
struct slot {
    struct measure *measures; /* of each execution */
    void *scratch;
    struct verdict verdicts[ROUNDS];
};

/* Execution 0 warms up, or multiplies whole numbers for the exact comparison; 1 is on random
 * numbers and compared with the bound; from 1 on all are timed. */
struct run {
    const struct args *args;
    struct problem problem;
    struct product product;
    struct trial whole, random;
    int executions;
    struct slot *slots;   /* of each rank */
    struct measure *sums; /* of each execution */
};

static bool is_small_whole(struct number number) {
    return number.re == floor(number.re) && number.im == floor(number.im) &&
           fabs(number.re) <= 1024 && fabs(number.im) <= 1024;
}

static struct number factor(const struct scalar *scalar, double fallback) {
    return scalar->given ? scalar->number : (struct number){fallback, 0};
}

static struct number whole_factor(const struct scalar *scalar, double fallback) {
    struct number number = factor(scalar, fallback);
    return is_small_whole(number) ? number : (struct number){fallback, 0};
}

static enum code make_trials(struct run *run) {
    const struct args *args = run->args;
    struct source source = {.seed = (uint64_t)args->seed, .type = (sct_type)args->type};
    run->random = (struct trial){&run->problem, source, factor(&args->alpha, args->check ? 2 : 1),
                                 factor(&args->beta, args->check ? 3 : 0)};
    run->whole = (struct trial){&run->problem, source, whole_factor(&args->alpha, 2),
                                whole_factor(&args->beta, 3)};
    run->whole.source.most = check_exact_most(&run->whole);
    if (!args->check || run->whole.source.most > 0)
        return CODE_DONE;
    report_error("--check: with k = %" PRId64 " no product of whole numbers is exact in %s",
                 args->shape.k, sct_type_name(source.type));
    return CODE_USAGE;
}

/* Collective: fills the matrices, multiplies once. */
static sct_status execute(sct_world *world, struct run *run, sct_job *job, int execution,
                          sct_matrix *const matrix[MATRICES]) {
    bool whole = run->args->check && execution == EXACT;
    const struct trial *trial = whole ? &run->whole : &run->random;
    double alpha[2], beta[2];
    sct_type sum = sct_type_sum(trial->source.type);
    element_store(sum, trial->alpha, alpha);
    element_store(sum, trial->beta, beta);
    /* Later ones only repeat the work: C may become anything. */
    sct_status status = execution < ROUNDS ? trial_fill(world, trial, matrix) : SCT_OK;
    if (status == SCT_OK)
        status = product_once(world, job, alpha, beta,
                              &run->slots[sct_world_rank(world)].measures[execution]);
    return status;
}

/* Collective: compares the C of execution 0 or 1. */
static sct_status compare(sct_world *world, struct run *run, int execution, sct_matrix *c) {
    struct slot *slot = &run->slots[sct_world_rank(world)];
    sct_status status = SCT_OK;
    if (run->args->result == SCT_RESULT_PARTIAL)
        status = sct_matrix_reduce_replicas(c, 0);
    bool holds = run->args->result == SCT_RESULT_ALL || sct_matrix_my_replica(c) == 0;
    if (status != SCT_OK || !holds)
        return status;
    struct verdict *verdict = &slot->verdicts[execution];
    return execution == EXACT ? check_exact(world, &run->whole, c, slot->scratch, verdict)
                              : check_bound(world, &run->random, c, verdict);
}

static sct_status execute_all(sct_world *world, struct run *run, sct_job *job,
                              sct_matrix *const matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < run->executions && status == SCT_OK; i++) {
        status = execute(world, run, job, i, matrix);
        if (status == SCT_OK && run->args->check && i < ROUNDS)
            status = compare(world, run, i, matrix[MATRIX_C]);
    }
    return status;
}

static sct_status run_rank(sct_world *world, void *context) {
    struct run *run = context;
    const sct_slice *view = run->problem.view;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_view operand[MATRICES];
    sct_job *job = NULL;
    sct_status status = problem_matrices(world, &run->problem, matrix);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = sct_matrix_view(matrix[i], view[i], &operand[i]);
    if (status == SCT_OK)
        status = sct_job_create(world, run->product.plans[sct_world_rank(world)], operand[MATRIX_A],
                                operand[MATRIX_B], operand[MATRIX_C], &job);
    if (status == SCT_OK)
        status = execute_all(world, run, job, matrix);
    sct_job_destroy(job);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static int by_seconds(const void *x, const void *y) {
    const struct measure *a = x, *b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* The bytes of one execution, and the median time; false if bytes were not as planned. */
static bool sum_up(struct run *run, struct measure *sum) {
    struct number alpha = run->random.alpha;
    /* Then nothing is multiplied, which plans do not know. */
    bool idle = alpha.re == 0 && alpha.im == 0, as_planned = true;
    for (int i = 0; i < run->executions; i++) {
        struct measure each = {.seconds = 0};
        for (int rank = 0; rank < run->product.ranks; rank++)
            measure_add(&each, &run->slots[rank].measures[i]);
        as_planned = as_planned && (idle || product_as_planned(&run->product, &each));
        run->sums[i] = each;
    }
    *sum = run->sums[0];
    qsort(run->sums + 1, (size_t)run->executions - 1, sizeof *run->sums, by_seconds);
    sum->seconds = run->sums[run->executions / 2].seconds;
    return as_planned;
}

/* Adds up what the ranks found; says what the first one found wrong. */
static struct verdict judge(const struct run *run, int round) {
    const char *name = round_names[round];
    struct verdict all = {.checked = 0};
    for (int rank = 0; rank < run->product.ranks; rank++) {
        const struct verdict *verdict = &run->slots[rank].verdicts[round];
        if (verdict->wrong > 0 && all.wrong == 0)
            report_error("%s check: C[%" PRId64 ", %" PRId64
                         "] of rank %d is %.17g,%.17g and should be %.17g,%.17g",
                         name, verdict->place.row, verdict->place.col, rank, verdict->is.re,
                         verdict->is.im, verdict->was.re, verdict->was.im);
        all.checked += verdict->checked;
        all.wrong += verdict->wrong;
        all.worst = fmax(all.worst, verdict->worst);
    }
    if (all.wrong > 0)
        report_error("%s check: %" PRId64 " of %" PRId64 " elements are wrong", name, all.wrong,
                     all.checked);
    return all;
}

static void print_json(const struct run *run, bool ok, const struct measure *sum,
                       const struct verdict *exact, const struct verdict *bound) {
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", ok);
    problem_json(&run->problem, run->product.stay, &json);
    product_json(&run->product, run->args, sum, &json);
    if (run->args->check) {
        json_real(&json, "max_error_over_bound", bound->worst);
        json_whole(&json, "checked_exactly", exact->checked);
        json_whole(&json, "checked_by_bound", bound->checked);
    } else {
        json_null(&json, "max_error_over_bound");
    }
    json_whole(&json, "seed", run->args->seed);
    json_whole(&json, "repeat", run->executions - 1);
    json_end(&json);
}

static void print_table(const struct run *run, const struct measure *sum,
                        const struct verdict *exact, const struct verdict *bound) {
    problem_print(&run->problem, run->product.stay);
    product_print(&run->product, run->args, sum);
    if (run->args->check)
        printf("  check %s: %" PRId64 " elements exactly, %" PRId64
               " by the bound; largest error %.3g of its bound\n",
               exact->wrong + bound->wrong == 0 ? "holds" : "does not hold", exact->checked,
               bound->checked, bound->worst);
}

static enum code report(struct run *run) {
    struct measure sum;
    bool as_planned = sum_up(run, &sum);
    struct verdict exact = judge(run, EXACT);
    struct verdict bound = judge(run, BOUND);
    bool ok = as_planned && exact.wrong == 0 && bound.wrong == 0;
    if (!as_planned)
        report_error("the bytes moved are not those of the plan");
    if (run->args->json)
        print_json(run, ok, &sum, &exact, &bound);
    else
        print_table(run, &sum, &exact, &bound);
    return ok ? CODE_DONE : CODE_FAILED;
}

/* All memory is there before the ranks start: none of them can then fail alone for want of it. */
static bool make_slots(struct run *run) {
    run->slots = calloc((size_t)run->product.ranks, sizeof *run->slots);
    run->sums = calloc((size_t)run->executions, sizeof *run->sums);
    bool made = run->slots && run->sums;
    for (int rank = 0; made && rank < run->product.ranks; rank++) {
        struct slot *slot = &run->slots[rank];
        slot->measures = calloc((size_t)run->executions, sizeof *slot->measures);
        slot->scratch = malloc(run->args->check ? check_scratch_bytes() : 1);
        made = slot->measures && slot->scratch;
    }
    if (!made)
        report_error("no memory for %d ranks", run->product.ranks);
    return made;
}

static void free_slots(struct run *run) {
    for (int rank = 0; run->slots && rank < run->product.ranks; rank++) {
        free(run->slots[rank].measures);
        free(run->slots[rank].scratch);
    }
    free(run->slots);
    free(run->sums);
}

static enum code run_problem(struct run *run) {
    enum code code = make_trials(run);
    if (code == CODE_DONE)
        code = product_create(&run->problem, &run->product);
    if (code != CODE_DONE)
        return code;
    code = make_slots(run) ? team_run(run->args, run_rank, run) : CODE_FAILED;
    if (code == CODE_DONE)
        code = report(run);
    free_slots(run);
    product_destroy(&run->product);
    return code;
}

enum code run_work(const struct args *args) {
    struct run run = {.args = args};
    int64_t repeat = args->repeat > 0 ? args->repeat : args->check ? 1 : 3;
    run.executions = (int)repeat + 1;
    enum code code = args_check_scalars(args, (sct_type)args->type);
    if (code == CODE_DONE)
        code = problem_create(args, &run.problem);
    if (code != CODE_DONE)
        return code;
    code = run_problem(&run);
    problem_destroy(&run.problem);
    return code;
}
