/* experiment.c - one problem, multiplied on all ranks: timed, checked, compared with the BLAS. */
#include "run/experiment.h"

#include "ranks/blas_threads.h"
#include "ranks/cpu_affinity.h"
#include "ranks/system.h"
#include "ranks/worker.h"
#include "run/gemm_only.h"
#include "run/rank_results.h"
#include "run/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* How often the products alone are compared with the whole. */
enum { ALONE_ROUNDS = 5 };

/* For so long, in microseconds, the threads of a BLAS look for work after they have had some. */
enum { BLAS_LINGERS = 120000 };

/* What a rank works with, there before it does. */
struct slot {
    void *scratch;
    struct alone alone;
};

/* Execution 0 warms up, or multiplies whole numbers for the exact comparison; 1 is on random
 * numbers and compared with the bound; from 1 on all are timed, and have a turn of the reference
 * before them if there is one. */
struct experiment {
    const struct args *args;
    const struct problem *problem;
    struct product product;
    struct trial whole, random;
    int executions, warm_ups;
    struct reference reference; /* on rank 0 */
    struct slot *slots;         /* of each rank of this process */
    struct tally tally;
};

static bool is_small_whole(struct number number) {
    return number.re == floor(number.re) && number.im == floor(number.im) &&
           fabs(number.re) <= 1024 && fabs(number.im) <= 1024;
}

/* As the type holds it. */
static struct number factor(const struct scalar *scalar, sct_type type, double fallback) {
    struct number number = scalar->given ? scalar->number : (struct number){fallback, 0};
    return element_round(type, number);
}

static struct number whole_factor(const struct scalar *scalar, sct_type type, double fallback) {
    struct number number = factor(scalar, type, fallback);
    return is_small_whole(number) ? number : (struct number){fallback, 0};
}

static enum code make_trials(struct experiment *run) {
    const struct args *args = run->args;
    struct source source = {.seed = (uint64_t)args->seed, .type = (sct_type)args->type};
    sct_type sum = sct_type_sum(source.type);
    run->random =
        (struct trial){run->problem, source, factor(&args->alpha, sum, args->check ? 2 : 1),
                       factor(&args->beta, sum, args->check ? 3 : 0)};
    run->whole = (struct trial){run->problem, source, whole_factor(&args->alpha, sum, 2),
                                whole_factor(&args->beta, sum, 3)};
    run->whole.source.most = check_exact_most(&run->whole);
    if (!args->check || run->whole.source.most > 0)
        return CODE_DONE;
    report_error("--check: with k = %" PRId64 " no product of whole numbers is exact in %s",
                 args->shape.k, sct_type_name(source.type));
    return CODE_USAGE;
}

static struct slot *slot_of(const struct experiment *run, const struct member *member) {
    return &run->slots[member->rank - member->team->first];
}

static struct finding *finding_of(const struct experiment *run, const struct member *member) {
    return &run->tally.findings[member->rank];
}

static sct_status multiply(sct_world *world, const struct trial *trial, sct_job *job,
                           struct measure *measure) {
    double alpha[2], beta[2];
    sct_type sum = sct_type_sum(trial->source.type);
    element_store(sum, trial->alpha, alpha);
    element_store(sum, trial->beta, beta);
    return product_once(world, job, alpha, beta, measure);
}

/* Collective: on one rank, while the others sleep. */
static sct_status take_turn(struct member *member, struct experiment *run, double *seconds) {
    sct_status status = SCT_OK;
    if (member->rank == 0) {
        if (blas_threads() != 1)
            usleep(BLAS_LINGERS);
        *seconds = reference_turn(&run->reference);
        if (*seconds < 0)
            status = member_fail(member, "the process that only calls the BLAS has failed");
    }
    return member_settle(member, status);
}

/* Collective: fills the matrices, multiplies once. */
static sct_status execute(struct member *member, struct experiment *run, sct_job *job,
                          int execution, sct_matrix *const matrix[MATRICES]) {
    bool check = run->args->check;
    const struct trial *trial = check && execution == EXACT ? &run->whole : &run->random;
    struct measure *measure = tally_measure(&run->tally, member->rank, execution);
    sct_status status = SCT_OK;
    /* Later ones only repeat the work: C may become anything. */
    if (execution < (check ? ROUNDS : 1))
        status = trial_fill(member->world, trial, matrix);
    if (run->args->reference && execution > 0 && status == SCT_OK)
        status = take_turn(member, run, &measure->blas_seconds);
    for (int i = 0; i < run->warm_ups && status == SCT_OK; i++)
        status = multiply(member->world, trial, job, measure);
    return status == SCT_OK ? multiply(member->world, trial, job, measure) : status;
}

/* Collective: compares the C of execution 0 or 1. */
static sct_status compare(struct member *member, struct experiment *run, int execution,
                          sct_matrix *c) {
    sct_status status = SCT_OK;
    if (run->args->result == SCT_RESULT_PARTIAL)
        status = sct_matrix_reduce_replicas(c, 0);
    bool holds = run->args->result == SCT_RESULT_ALL || sct_matrix_my_replica(c) == 0;
    if (status != SCT_OK)
        return status;
    struct verdict *verdict = &finding_of(run, member)->verdicts[execution];
    if (holds && execution == EXACT)
        status = check_exact(member->world, &run->whole, c, slot_of(run, member)->scratch, verdict);
    else if (holds)
        status = check_bound(member->world, &run->random, c, verdict);
    return member_settle(member, status);
}

static sct_status execute_all(struct member *member, struct experiment *run, sct_job *job,
                              sct_matrix *const matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < run->executions && status == SCT_OK; i++) {
        status = execute(member, run, job, i, matrix);
        if (status == SCT_OK && run->args->check && i < ROUNDS)
            status = compare(member, run, i, matrix[MATRIX_C]);
    }
    /* Before the operands of the products alone, which are no part of the work. */
    peak_note(member);
    return status;
}

/* Collective: the processor time of the whole and of its products alone, in turns: of each the
 * least, to which nobody else's use of memory and caches has added. */
static sct_status divide_time(struct member *member, struct experiment *run, sct_job *job) {
    struct slot *slot = slot_of(run, member);
    struct finding *finding = finding_of(run, member);
    sct_status status = sct_world_barrier(member->world);
    alone_fill(&slot->alone);
    finding->cpu_whole = finding->cpu_alone = INFINITY;
    for (int i = 0; i < ALONE_ROUNDS && status == SCT_OK; i++) {
        struct measure measure = {.seconds = 0};
        status = multiply(member->world, &run->random, job, &measure);
        finding->cpu_whole = fmin(finding->cpu_whole, measure.cpu_seconds);
        double alone = 0;
        if (status == SCT_OK)
            status = member_settle(member, alone_run(&slot->alone, &alone));
        finding->cpu_alone = fmin(finding->cpu_alone, alone);
    }
    return status;
}

static sct_status run_rank(struct member *member, void *context) {
    struct experiment *run = context;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_view operand[MATRICES];
    sct_job *job = NULL;
    sct_status status = problem_matrices(member->world, run->problem, matrix);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = sct_matrix_view(matrix[i], run->problem->view[i], &operand[i]);
    if (status == SCT_OK)
        status = sct_job_create(member->world, run->product.plans[member->rank], operand[MATRIX_A],
                                operand[MATRIX_B], operand[MATRIX_C], &job);
    if (status == SCT_OK)
        status = execute_all(member, run, job, matrix);
    if (status == SCT_OK && run->args->reference)
        status = divide_time(member, run, job);
    sct_job_destroy(job);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

/* All memory is there before the ranks set to work: none of them can then fail alone for want of
 * it. */
static bool make_slots(struct experiment *run) {
    const struct team *team = run->args->team;
    bool made = tally_create(run->problem, &run->product, run->executions, &run->tally);
    run->slots = calloc((size_t)team->count, sizeof *run->slots);
    for (int i = 0; made && run->slots && i < team->count; i++) {
        struct slot *slot = &run->slots[i];
        slot->scratch = malloc(run->args->check ? check_scratch_bytes() : 1);
        made = slot->scratch;
        if (made && run->args->reference)
            made = alone_create(run->problem, run->product.plans[team->first + i], &slot->alone);
    }
    made = made && run->slots;
    if (!made)
        report_error("no memory for %d ranks", team->count);
    return made;
}

static void free_slots(struct experiment *run) {
    for (int i = 0; run->slots && i < run->args->team->count; i++) {
        free(run->slots[i].scratch);
        alone_destroy(&run->slots[i].alone);
    }
    free(run->slots);
    tally_destroy(&run->tally);
}

static enum code run_members(struct experiment *run, enum code code) {
    return member_run_all(run->args, code, run_rank, run);
}

/* With the BLAS alone in a process that rank 0 has. */
static enum code run_compared(struct experiment *run, enum code code, struct outcome *outcome) {
    struct team *team = run->args->team;
    struct seats seats;
    code = seats_gather(team, code, &seats);
    if (code != CODE_DONE)
        return code;
    if (team_leads(team))
        code = reference_start(&run->random, &seats, &run->reference);
    bool started = team_leads(team) && code == CODE_DONE;
    /* What is checked must be the first product on what was filled in. */
    run->warm_ups = run->args->check ? 0 : run->reference.warm_ups;
    code = team_spread(team, code, &run->warm_ups, sizeof run->warm_ups);
    code = run_members(run, code);
    if (started)
        reference_stop(&run->reference);
    outcome->blas_memory = run->reference.memory;
    outcome->oversubscribed = seats.crowded;
    return code;
}

enum code experiment_run(const struct problem *problem, struct outcome *outcome) {
    const struct args *args = problem->args;
    struct experiment run = {.args = args, .problem = problem};
    int64_t repeat = args->repeat > 0 ? args->repeat : args->check ? 1 : 3;
    *outcome = (struct outcome){.timed = 0};
    run.executions = 1 + (int)(args->reference ? args->pairs : repeat);
    system_forget_peak_memory();
    enum code code = make_trials(&run);
    if (code == CODE_DONE)
        code = product_create(problem, &run.product);
    if (code != CODE_DONE)
        return code;
    code = make_slots(&run) ? CODE_DONE : CODE_FAILED;
    code = args->reference ? run_compared(&run, code, outcome) : run_members(&run, code);
    code = tally_gather(&run.tally, code);
    code = peak_gather(args->team, code, &outcome->peak);
    if (code == CODE_DONE)
        tally_conclude(&run.tally, run.random.alpha, outcome);
    free_slots(&run);
    product_destroy(&run.product);
    return code;
}
