/* experiment.c - one problem, multiplied on all ranks: timed, checked, compared with the BLAS. */
#include "experiment.h"

#include "alone.h"
#include "blas.h"
#include "machine.h"
#include "reference.h"
#include "team.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const round_names[] = {"exact", "bound"};

/* How often the products alone are compared with the whole. */
enum { ALONE_ROUNDS = 3 };

/* For so long, in microseconds, the threads of a BLAS look for work after they have had some. */
enum { BLAS_LINGERS = 120000 };

/* What is kept for a rank from before it runs until after. */
struct slot {
    struct measure *measures; /* of each execution */
    void *scratch;
    struct verdict verdicts[ROUNDS];
    struct alone alone;
    double cpu_whole, cpu_alone;
};

/* Execution 0 warms up, or multiplies whole numbers for the exact comparison; 1 is on random
 * numbers and compared with the bound; from 1 on all are timed, and have a turn of the reference
 * before them if there is one. */
struct experiment {
    const struct args *args;
    const struct problem *problem;
    struct outcome *outcome;
    struct product product;
    struct trial whole, random;
    int executions, warm_ups;
    struct reference reference;
    double *blas_seconds; /* of each execution */
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

static enum code make_trials(struct experiment *run) {
    const struct args *args = run->args;
    struct source source = {.seed = (uint64_t)args->seed, .type = (sct_type)args->type};
    run->random = (struct trial){run->problem, source, factor(&args->alpha, args->check ? 2 : 1),
                                 factor(&args->beta, args->check ? 3 : 0)};
    run->whole = (struct trial){run->problem, source, whole_factor(&args->alpha, 2),
                                whole_factor(&args->beta, 3)};
    run->whole.source.most = check_exact_most(&run->whole);
    if (!args->check || run->whole.source.most > 0)
        return CODE_DONE;
    report_error("--check: with k = %" PRId64 " no product of whole numbers is exact in %s",
                 args->shape.k, sct_type_name(source.type));
    return CODE_USAGE;
}

static struct slot *slot_of(struct experiment *run, const sct_world *world) {
    return &run->slots[sct_world_rank(world)];
}

static sct_status multiply(sct_world *world, const struct trial *trial, sct_job *job,
                           struct measure *measure) {
    double alpha[2], beta[2];
    sct_type sum = sct_type_sum(trial->source.type);
    element_store(sum, trial->alpha, alpha);
    element_store(sum, trial->beta, beta);
    return product_once(world, job, alpha, beta, measure);
}

/* On one rank, while the others sleep where they wait for it. A process that has failed is noticed
 * in the end: the ranks have to go on together. */
static void take_turn(struct experiment *run, int execution) {
    if (blas_threads() != 1)
        usleep(BLAS_LINGERS);
    run->blas_seconds[execution] = reference_turn(&run->reference);
}

/* Collective: fills the matrices, multiplies once. */
static sct_status execute(sct_world *world, struct experiment *run, sct_job *job, int execution,
                          sct_matrix *const matrix[MATRICES]) {
    bool check = run->args->check;
    const struct trial *trial = check && execution == EXACT ? &run->whole : &run->random;
    struct measure *measure = &slot_of(run, world)->measures[execution];
    sct_status status = SCT_OK;
    /* Later ones only repeat the work: C may become anything. */
    if (execution < (check ? ROUNDS : 1))
        status = trial_fill(world, trial, matrix);
    if (run->args->reference && execution > 0 && sct_world_rank(world) == 0)
        take_turn(run, execution);
    for (int i = 0; i < run->warm_ups && status == SCT_OK; i++)
        status = multiply(world, trial, job, measure);
    return status == SCT_OK ? multiply(world, trial, job, measure) : status;
}

/* Collective: compares the C of execution 0 or 1. */
static sct_status compare(sct_world *world, struct experiment *run, int execution, sct_matrix *c) {
    struct slot *slot = slot_of(run, world);
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

static sct_status execute_all(sct_world *world, struct experiment *run, sct_job *job,
                              sct_matrix *const matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < run->executions && status == SCT_OK; i++) {
        status = execute(world, run, job, i, matrix);
        if (status == SCT_OK && run->args->check && i < ROUNDS)
            status = compare(world, run, i, matrix[MATRIX_C]);
    }
    /* Before the operands of the products alone, which are no part of the work. */
    if (sct_world_rank(world) == 0)
        run->outcome->peak_memory = machine_peak_memory();
    return status;
}

/* Collective: the processor time of the whole and of its products alone, in turns. */
static sct_status divide_time(sct_world *world, struct experiment *run, sct_job *job) {
    struct slot *slot = slot_of(run, world);
    sct_status status = sct_world_barrier(world);
    alone_fill(&slot->alone);
    for (int i = 0; i < ALONE_ROUNDS && status == SCT_OK; i++) {
        struct measure measure = {.seconds = 0};
        status = multiply(world, &run->random, job, &measure);
        slot->cpu_whole += measure.cpu_seconds;
        if (status == SCT_OK)
            status = alone_run(&slot->alone, &slot->cpu_alone);
    }
    return status;
}

static sct_status run_rank(sct_world *world, void *context) {
    struct experiment *run = context;
    const sct_slice *view = run->problem->view;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_view operand[MATRICES];
    sct_job *job = NULL;
    sct_status status = problem_matrices(world, run->problem, matrix);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = sct_matrix_view(matrix[i], view[i], &operand[i]);
    if (status == SCT_OK)
        status = sct_job_create(world, run->product.plans[sct_world_rank(world)], operand[MATRIX_A],
                                operand[MATRIX_B], operand[MATRIX_C], &job);
    if (status == SCT_OK)
        status = execute_all(world, run, job, matrix);
    if (status == SCT_OK && run->args->reference)
        status = divide_time(world, run, job);
    sct_job_destroy(job);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static int by_seconds(const void *x, const void *y) {
    const struct measure *a = x, *b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* The bytes of one execution, and the median time. */
static void sum_up(struct experiment *run) {
    struct number alpha = run->random.alpha;
    struct outcome *outcome = run->outcome;
    /* Then nothing is multiplied, which plans do not know. */
    bool idle = alpha.re == 0 && alpha.im == 0;
    outcome->as_planned = true;
    for (int i = 0; i < run->executions; i++) {
        struct measure each = {.seconds = 0};
        for (int rank = 0; rank < run->product.ranks; rank++)
            measure_add(&each, &run->slots[rank].measures[i]);
        outcome->as_planned =
            outcome->as_planned && (idle || product_as_planned(&run->product, &each));
        run->sums[i] = each;
    }
    if (!outcome->as_planned)
        report_error("the bytes moved are not those of the plan");
    outcome->sum = run->sums[0];
}

/* Sorts the times. */
static void find_median(struct experiment *run) {
    qsort(run->sums + 1, (size_t)run->executions - 1, sizeof *run->sums, by_seconds);
    run->outcome->sum.seconds = run->sums[run->executions / 2].seconds;
}

/* The processor time that is known is that of the ranks' own threads. */
static double outside_gemm(const struct experiment *run) {
    double whole = 0, alone = 0;
    for (int rank = 0; rank < run->product.ranks; rank++) {
        whole += run->slots[rank].cpu_whole;
        alone += run->slots[rank].cpu_alone;
    }
    bool known = blas_threads() == 1 && !run->args->deferred && whole > 0;
    return known ? 1 - alone / whole : NAN;
}

/* Before the times are sorted: those of a pair belong together. */
static enum code relate(struct experiment *run) {
    struct outcome *outcome = run->outcome;
    double *ratios = run->blas_seconds + run->executions; /* the other half */
    for (int i = 1; i < run->executions; i++) {
        if (run->blas_seconds[i] < 0) {
            report_error("the process that only calls the BLAS has failed");
            return CODE_FAILED;
        }
        ratios[i] = run->blas_seconds[i] / run->sums[i].seconds;
    }
    outcome->ratio = ratio_of(ratios + 1, outcome->timed);
    outcome->blas_seconds = ratio_of(run->blas_seconds + 1, outcome->timed).median;
    outcome->blas_memory = run->reference.memory;
    outcome->oversubscribed = run->args->ranks > machine_cores();
    outcome->cpu_outside_gemm = outside_gemm(run);
    return CODE_DONE;
}

/* Adds up what the ranks found; says what the first one found wrong. */
static struct verdict judge(const struct experiment *run, int round) {
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

static int64_t count_parts(const struct experiment *run) {
    int64_t all = 0;
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int rank = 0; rank < run->product.ranks; rank++) {
            size_t bytes = 0;
            sct_layout_bytes(run->problem->layout[matrix], (sct_type)run->args->type, rank, &bytes);
            all += (int64_t)bytes;
        }
    return all;
}

static enum code conclude(struct experiment *run) {
    struct outcome *outcome = run->outcome;
    outcome->product = run->product;
    outcome->product.plans = NULL;
    outcome->timed = run->executions - 1;
    outcome->parts = count_parts(run);
    for (int round = 0; round < ROUNDS; round++)
        outcome->verdicts[round] = judge(run, round);
    sum_up(run);
    enum code code = run->args->reference ? relate(run) : CODE_DONE;
    find_median(run);
    return code;
}

/* All memory is there before the ranks start: none of them can then fail alone for want of it. */
static bool make_slots(struct experiment *run) {
    size_t executions = (size_t)run->executions;
    run->slots = calloc((size_t)run->product.ranks, sizeof *run->slots);
    run->sums = calloc(executions, sizeof *run->sums);
    run->blas_seconds = calloc(2 * executions, sizeof *run->blas_seconds);
    bool made = run->slots && run->sums && run->blas_seconds;
    for (int rank = 0; made && rank < run->product.ranks; rank++) {
        struct slot *slot = &run->slots[rank];
        slot->measures = calloc(executions, sizeof *slot->measures);
        slot->scratch = malloc(run->args->check ? check_scratch_bytes() : 1);
        made = slot->measures && slot->scratch;
        if (made && run->args->reference)
            made = alone_create(run->problem, run->product.plans[rank], &slot->alone);
    }
    if (!made)
        report_error("no memory for %d ranks", run->product.ranks);
    return made;
}

static void free_slots(struct experiment *run) {
    for (int rank = 0; run->slots && rank < run->product.ranks; rank++) {
        free(run->slots[rank].measures);
        free(run->slots[rank].scratch);
        alone_destroy(&run->slots[rank].alone);
    }
    free(run->slots);
    free(run->sums);
    free(run->blas_seconds);
}

static enum code run_team(struct experiment *run) {
    if (!run->args->reference)
        return team_run(run->args, run_rank, run);
    enum code code = reference_start(&run->random, &run->reference);
    if (code != CODE_DONE)
        return code;
    /* What is checked must be the first product on what was filled in. */
    run->warm_ups = run->args->check ? 0 : run->reference.warm_ups;
    code = team_run(run->args, run_rank, run);
    reference_stop(&run->reference);
    return code;
}

enum code experiment_run(const struct problem *problem, struct outcome *outcome) {
    const struct args *args = problem->args;
    struct experiment run = {.args = args, .problem = problem, .outcome = outcome};
    int64_t repeat = args->repeat > 0 ? args->repeat : args->check ? 1 : 3;
    *outcome = (struct outcome){.peak_memory = -1};
    run.executions = 1 + (int)(args->reference ? args->pairs : repeat);
    machine_forget_peak_memory();
    enum code code = make_trials(&run);
    if (code == CODE_DONE)
        code = product_create(problem, &run.product);
    if (code != CODE_DONE)
        return code;
    code = make_slots(&run) ? run_team(&run) : CODE_FAILED;
    if (code == CODE_DONE)
        code = conclude(&run);
    free_slots(&run);
    product_destroy(&run.product);
    return code;
}
