/* experiment.c - multiplies one problem on all ranks: times it, checks it, compares it with one
 * BLAS call; and combines the results of the ranks into the outcome. */
#include "run/experiment.h"

#include "ranks/cpu_affinity.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"
#include "ranks/worker.h"
#include "run/device_reference.h"
#include "run/gemm_only.h"
#include "run/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* What one rank found, beside the measures of its executions. */
struct rank_result {
    struct verdict verdicts[ROUNDS];
    double cpu_whole, cpu_alone; /* processor seconds: of the product, and of its GEMMs alone */
};

struct rank_results {
    const struct problem *problem;
    const struct product *product;
    int executions;              /* including the warm-up */
    struct measure *measures;    /* by rank and execution */
    struct rank_result *by_rank; /* by rank */
    struct measure *sums;        /* by execution */
    double *numbers;             /* scratch memory for two numbers per execution */
};

/* ---- Results of the ranks ---- */

static const char *const round_names[] = {[EXACT] = "exact", [BOUND] = "bound"};

/* False: out of memory. Destroy it even then. */
static bool rank_results_create(const struct problem *problem, const struct product *product,
                                int executions, struct rank_results *results) {
    size_t count = (size_t)executions, ranks = (size_t)product->ranks;
    *results =
        (struct rank_results){.problem = problem, .product = product, .executions = executions};
    results->measures = calloc(ranks * count, sizeof *results->measures);
    results->by_rank = calloc(ranks, sizeof *results->by_rank);
    results->sums = calloc(count, sizeof *results->sums);
    results->numbers = calloc(2 * count, sizeof *results->numbers);
    return results->measures && results->by_rank && results->sums && results->numbers;
}

static void rank_results_destroy(struct rank_results *results) {
    free(results->measures);
    free(results->by_rank);
    free(results->sums);
    free(results->numbers);
}

static struct measure *rank_results_measure(const struct rank_results *results, int rank,
                                            int execution) {
    return &results->measures[(size_t)rank * (size_t)results->executions + (size_t)execution];
}

/* Collective in the sense of rank_group.h: gives all processes the results of all ranks. */
static enum code rank_results_gather(struct rank_results *results, enum code code) {
    struct rank_group *group = results->problem->args->group;
    code = rank_group_gather(group, code, results->measures,
                             (size_t)results->executions * sizeof *results->measures);
    return rank_group_gather(group, code, results->by_rank, sizeof *results->by_rank);
}

static int by_seconds(const void *x, const void *y) {
    const struct measure *a = x, *b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* Sums each execution over the ranks, and compares its bytes with the plans. */
static void sum_up(struct rank_results *results, struct number alpha, struct outcome *outcome) {
    /* With alpha 0 nothing is multiplied or moved, but plans do not know alpha. */
    bool idle = alpha.re == 0 && alpha.im == 0;
    outcome->as_planned = true;
    for (int i = 0; i < results->executions; i++) {
        struct measure *sum = &results->sums[i];
        for (int rank = 0; rank < results->product->ranks; rank++)
            measure_add(sum, rank_results_measure(results, rank, i));
        outcome->as_planned =
            outcome->as_planned && (idle || product_as_planned(results->product, sum));
    }
    if (!outcome->as_planned)
        report_error("the bytes moved are not those of the plan");
    outcome->sum = results->sums[0];
}

/* Finds the median time of the timed executions, and sorts them by it. */
static void find_median(struct rank_results *results, struct outcome *outcome) {
    qsort(results->sums + 1, (size_t)results->executions - 1, sizeof *results->sums, by_seconds);
    outcome->sum.seconds = results->sums[results->executions / 2].seconds;
}

/* The share of processor time outside GEMM. It is unknown where others than the threads of the
 * ranks compute: the BLAS with threads of its own, devices. */
static double outside_gemm(const struct rank_results *results) {
    double whole = 0, alone = 0;
    for (int rank = 0; rank < results->product->ranks; rank++) {
        whole += results->by_rank[rank].cpu_whole;
        alone += results->by_rank[rank].cpu_alone;
    }
    const struct args *args = results->problem->args;
    bool known = system_blas_threads() == 1 && args_computes_on_host(args) && whole > 0;
    return known ? 1 - alone / whole : NAN;
}

/* Finds the ratio. Must come before find_median, which sorts the executions: each execution is
 * compared with the BLAS call right before it. */
static void relate(const struct rank_results *results, struct outcome *outcome) {
    double *seconds = results->numbers, *ratios = results->numbers + results->executions;
    for (int i = 1; i < results->executions; i++) {
        seconds[i] = results->sums[i].blas_seconds;
        ratios[i] = seconds[i] / results->sums[i].seconds;
    }
    outcome->ratio = ratio_of(ratios + 1, outcome->timed);
    outcome->blas_seconds = ratio_of(seconds + 1, outcome->timed).median;
    outcome->cpu_outside_gemm = outside_gemm(results);
}

/* Combines what the ranks found in one check; reports the first wrong element. */
static struct verdict judge(const struct rank_results *results, int round) {
    const char *name = round_names[round];
    struct verdict all = {.checked = 0};
    for (int rank = 0; rank < results->product->ranks; rank++) {
        const struct verdict *verdict = &results->by_rank[rank].verdicts[round];
        if (verdict->wrong > 0 && all.wrong == 0)
            report_error("%s check: C[%" PRId64 ", %" PRId64
                         "] of rank %d is %.17g,%.17g but should be %.17g,%.17g",
                         name, verdict->place.row, verdict->place.col, rank, verdict->is.re,
                         verdict->is.im, verdict->was.re, verdict->was.im);
        all.checked += verdict->checked;
        all.wrong += verdict->wrong;
        all.worst = fmax(all.worst, verdict->worst);
    }
    if (all.wrong > 0)
        report_error("%s check: %" PRId64 " of %" PRId64 " element%s %s wrong", name, all.wrong,
                     all.checked, all.checked == 1 ? "" : "s", all.wrong == 1 ? "is" : "are");
    return all;
}

static int64_t count_parts(const struct rank_results *results) {
    int64_t all = 0;
    for (int rank = 0; rank < results->product->ranks; rank++)
        all += (int64_t)problem_stored(results->problem, rank);
    return all;
}

/* Derives the outcome; reports wrong results. `alpha` is that of the timed executions. */
static void rank_results_conclude(struct rank_results *results, struct number alpha,
                                  struct outcome *outcome) {
    outcome->product = *results->product;
    outcome->product.plans = NULL;
    outcome->timed = results->executions - 1;
    outcome->parts = count_parts(results);
    for (int round = 0; round < ROUNDS; round++)
        outcome->verdicts[round] = judge(results, round);
    sum_up(results, alpha, outcome);
    if (results->problem->args->reference)
        relate(results, outcome);
    find_median(results, outcome);
}

bool outcome_ok(const struct outcome *outcome) {
    return outcome->as_planned && outcome->verdicts[EXACT].wrong == 0 &&
           outcome->verdicts[BOUND].wrong == 0;
}

static void json_reference(const struct outcome *outcome, struct json *json) {
    json_real(json, "blas_seconds", outcome->blas_seconds);
    json_real(json, "ratio", outcome->ratio.median);
    json_real(json, "ratio_low", outcome->ratio.low);
    json_real(json, "ratio_high", outcome->ratio.high);
    json_whole(json, "pairs", outcome->timed);
    json_bool(json, "oversubscribed", outcome->oversubscribed);
    json_real(json, "cpu_outside_gemm", outcome->cpu_outside_gemm);
    json_whole(json, "blas_memory", outcome->blas_memory);
}

void outcome_json(const struct problem *problem, const struct outcome *outcome, struct json *json) {
    const struct args *args = problem->args;
    problem_json(problem, outcome->product.stay, json);
    product_json(&outcome->product, args, &outcome->sum, json);
    json_real(json, "max_error_over_bound", args->check ? outcome->verdicts[BOUND].worst : NAN);
    if (args->check) {
        json_whole(json, "checked_exactly", outcome->verdicts[EXACT].checked);
        json_whole(json, "checked_by_bound", outcome->verdicts[BOUND].checked);
    }
    if (args->reference)
        json_reference(outcome, json);
    peak_json(&outcome->peak, json);
    json_whole(json, "parts_memory", outcome->parts);
    json_whole(json, "seed", args->seed);
    json_whole(json, "repeat", outcome->timed);
}

/* ---- The experiment ---- */

/* Rounds that compare the processor time of the GEMMs alone with that of the whole product. */
enum { ALONE_ROUNDS = 5 };

/* Microseconds for which BLAS threads spin after a call. */
enum { BLAS_LINGERS = 120000 };

/* The memory of a rank, allocated beforehand. */
struct slot {
    void *scratch;
    struct gemm_only alone;            /* with --reference, on the host */
    struct device_reference reference; /* the same, on devices */
};

/* Execution 0 is a warm-up; with --check it is on integers, for the exact check. Execution 1 is on
 * random numbers, which the rounding check needs. All executions from 1 on are timed, with
 * --reference each after one BLAS call. */
struct experiment {
    const struct args *args;
    const struct problem *problem;
    struct cpu_affinity affinity;
    struct product product;
    struct generated_problem whole, random; /* elements are integers; reals */
    const sct_observer *observers; /* by rank of this process, of the last execution; or NULL */
    int executions, warm_ups;
    bool on_host;
    struct reference reference; /* on rank 0, with --reference on the host */
    struct slot *slots;         /* by rank of this process */
    struct rank_results results;
};

static bool is_small_whole(struct number number) {
    return number.re == floor(number.re) && number.im == floor(number.im) &&
           fabs(number.re) <= 1024 && fabs(number.im) <= 1024;
}

/* The factor that was given or the fallback, rounded to the type. */
static struct number factor(const struct scalar *scalar, sct_type type, double fallback) {
    struct number number = scalar->given ? scalar->number : (struct number){fallback, 0};
    return element_round(type, number);
}

static struct number whole_factor(const struct scalar *scalar, sct_type type, double fallback) {
    struct number number = factor(scalar, type, fallback);
    return is_small_whole(number) ? number : (struct number){fallback, 0};
}

static enum code make_problems(struct experiment *run) {
    const struct args *args = run->args;
    struct source source = {.seed = (uint64_t)args->seed, .type = (sct_type)args->type};
    sct_type sum = sct_type_sum(source.type);
    int threads = run->affinity.cores_per_rank;
    run->random = (struct generated_problem){
        run->problem, source, factor(&args->alpha, sum, args->check ? 2 : 1),
        factor(&args->beta, sum, args->check ? 3 : 0), threads};
    run->whole =
        (struct generated_problem){run->problem, source, whole_factor(&args->alpha, sum, 2),
                                   whole_factor(&args->beta, sum, 3), threads};
    run->whole.source.most = check_exact_most(&run->whole);
    if (!args->check || run->whole.source.most > 0)
        return CODE_DONE;
    report_error("--check: with k = %" PRId64 " no product of whole numbers is exact in %s",
                 args->shape.k, sct_type_name(source.type));
    return CODE_USAGE;
}

static struct slot *slot_of(const struct experiment *run, const struct worker *worker) {
    return &run->slots[worker->rank - worker->group->first];
}

static struct rank_result *result_of(const struct experiment *run, const struct worker *worker) {
    return &run->results.by_rank[worker->rank];
}

static sct_status multiply(sct_world *world, const struct generated_problem *generated,
                           sct_job *job, struct measure *measure) {
    return product_once(world, job, sct_type_sum(generated->source.type), generated->alpha,
                        generated->beta, measure);
}

/* The reference process makes its BLAS call. */
static sct_status take_turn_on_host(struct worker *worker, struct experiment *run,
                                    double *seconds) {
    if (system_blas_threads() != 1)
        usleep(BLAS_LINGERS);
    *seconds = reference_turn(&run->reference);
    return *seconds < 0 ? worker_fail(worker, "the BLAS process of --reference has failed")
                        : SCT_OK;
}

/* Collective: makes one BLAS call, in the reference process or on the device, while all ranks
 * sleep. */
static sct_status take_turn(struct worker *worker, struct experiment *run, double *seconds) {
    sct_status status = SCT_OK;
    if (worker->rank == 0)
        status = run->on_host ? take_turn_on_host(worker, run, seconds)
                              : device_reference_turn(&slot_of(run, worker)->reference,
                                                      worker->world, seconds);
    return worker_settle(worker, status);
}

/* The number of products before each that is timed. A checked product must be the first on the
 * filled matrices. */
static int warm_ups(const struct experiment *run, const struct worker *worker) {
    if (run->args->check)
        return 0;
    return run->on_host ? run->warm_ups : slot_of(run, worker)->reference.warm_ups;
}

/* Collective: fills the matrices and multiplies once. */
static sct_status execute(struct worker *worker, struct experiment *run, sct_job *job,
                          int execution, sct_matrix *const matrix[MATRICES]) {
    bool check = run->args->check;
    const struct generated_problem *generated =
        check && execution == EXACT ? &run->whole : &run->random;
    struct measure *measure = rank_results_measure(&run->results, worker->rank, execution);
    sct_status status = SCT_OK;
    /* Later executions are not checked, so whatever C holds will do. */
    if (execution < (check ? ROUNDS : 1))
        status = worker_settle(worker, generated_problem_fill(worker->world, generated, matrix));
    if (run->args->reference && execution > 0 && status == SCT_OK)
        status = take_turn(worker, run, &measure->blas_seconds);
    for (int i = 0; i < warm_ups(run, worker) && status == SCT_OK; i++)
        status = multiply(worker->world, generated, job, measure);
    if (run->observers && execution == run->executions - 1 && status == SCT_OK)
        status = sct_job_observe(job, &run->observers[worker->rank - worker->group->first]);
    return status == SCT_OK ? multiply(worker->world, generated, job, measure) : status;
}

/* Collective: checks the C of execution 0 or 1. */
static sct_status compare(struct worker *worker, struct experiment *run, int execution,
                          sct_matrix *c) {
    sct_status status = SCT_OK;
    if (run->args->result == SCT_RESULT_PARTIAL)
        status = sct_matrix_reduce_replicas(c, 0);
    bool holds = run->args->result == SCT_RESULT_ALL || sct_matrix_my_replica(c) == 0;
    if (status != SCT_OK)
        return status;
    struct verdict *verdict = &result_of(run, worker)->verdicts[execution];
    if (holds && execution == EXACT)
        status = check_exact(worker->world, &run->whole, c, slot_of(run, worker)->scratch, verdict);
    else if (holds)
        status = check_bound(worker->world, &run->random, c, verdict);
    return worker_settle(worker, status);
}

static sct_status execute_all(struct worker *worker, struct experiment *run, sct_job *job,
                              sct_matrix *const matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < run->executions && status == SCT_OK; i++) {
        status = execute(worker, run, job, i, matrix);
        if (status == SCT_OK && run->args->check && i < ROUNDS)
            status = compare(worker, run, i, matrix[MATRIX_C]);
    }
    if (run->observers && status == SCT_OK)
        status = sct_job_observe(job, NULL);
    /* Now, as the operands of gemm_only do not belong to the product. */
    peak_note(worker);
    return status;
}

/* Collective: finds the processor time of the whole product and of its GEMMs alone, in alternation.
 * The minimum of each counts, as the one that other processes disturbed least. */
static sct_status divide_time(struct worker *worker, struct experiment *run, sct_job *job) {
    struct slot *slot = slot_of(run, worker);
    struct rank_result *result = result_of(run, worker);
    sct_status status = sct_world_barrier(worker->world);
    gemm_only_fill(&slot->alone);
    result->cpu_whole = result->cpu_alone = INFINITY;
    for (int i = 0; i < ALONE_ROUNDS && status == SCT_OK; i++) {
        struct measure measure = {.seconds = 0};
        status = multiply(worker->world, &run->random, job, &measure);
        result->cpu_whole = fmin(result->cpu_whole, measure.cpu_seconds);
        double alone = 0;
        if (status == SCT_OK)
            status = worker_settle(worker, gemm_only_run(&slot->alone, &alone));
        result->cpu_alone = fmin(result->cpu_alone, alone);
    }
    return status;
}

static sct_status run_rank(struct worker *worker, void *context) {
    struct experiment *run = context;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_view operand[MATRICES];
    sct_job *job = NULL;
    sct_status status = product_matrices(worker, run->problem, matrix);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = sct_matrix_view(matrix[i], run->problem->view[i], &operand[i]);
    if (status == SCT_OK)
        status = sct_job_create(worker->world, run->product.plans[worker->rank], operand[MATRIX_A],
                                operand[MATRIX_B], operand[MATRIX_C], &job);
    if (status == SCT_OK && run->args->reference && !run->on_host)
        status = device_reference_create(worker, &run->random, &slot_of(run, worker)->reference);
    if (status == SCT_OK)
        status = execute_all(worker, run, job, matrix);
    if (status == SCT_OK && run->args->reference && run->on_host)
        status = divide_time(worker, run, job);
    device_reference_destroy(&slot_of(run, worker)->reference);
    sct_job_destroy(job);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

/* Allocates all memory beforehand, so that no rank can fail alone during the work. */
static bool make_slots(struct experiment *run) {
    const struct rank_group *group = run->args->group;
    bool made = rank_results_create(run->problem, &run->product, run->executions, &run->results);
    run->slots = calloc((size_t)group->count, sizeof *run->slots);
    for (int i = 0; made && run->slots && i < group->count; i++) {
        struct slot *slot = &run->slots[i];
        slot->scratch = malloc(run->args->check ? check_scratch_bytes() : 1);
        made = slot->scratch;
        if (made && run->args->reference && run->on_host)
            made =
                gemm_only_create(run->problem, run->product.plans[group->first + i], &slot->alone);
    }
    made = made && run->slots;
    if (!made)
        report_error("no memory for %d ranks", group->count);
    return made;
}

static void free_slots(struct experiment *run) {
    for (int i = 0; run->slots && i < run->args->group->count; i++) {
        free(run->slots[i].scratch);
        gemm_only_destroy(&run->slots[i].alone);
    }
    free(run->slots);
    rank_results_destroy(&run->results);
}

/* Runs with --reference on the host. Rank 0 starts the process that makes the BLAS calls, and ends
 * it. */
static enum code run_compared(struct experiment *run, enum code code, struct outcome *outcome) {
    struct rank_group *group = run->args->group;
    code = rank_group_agree(group, code);
    if (code != CODE_DONE)
        return code;
    if (rank_group_leads(group))
        code = reference_start(&run->random, &run->affinity, &run->reference);
    bool started = rank_group_leads(group) && code == CODE_DONE;
    run->warm_ups = run->reference.warm_ups;
    code = rank_group_spread(group, code, &run->warm_ups, sizeof run->warm_ups);
    code = workers_run(run->args, code, run_rank, run);
    if (started)
        reference_stop(&run->reference);
    outcome->blas_memory = run->reference.memory;
    outcome->oversubscribed = run->affinity.crowded;
    return code;
}

enum code experiment_run(const struct problem *problem, const sct_observer *observers,
                         struct outcome *outcome) {
    const struct args *args = problem->args;
    struct experiment run = {.args = args,
                             .problem = problem,
                             .observers = observers,
                             .on_host = args_computes_on_host(args)};
    int64_t repeat = args->repeat > 0 ? args->repeat : args->check ? 1 : 3;
    *outcome = (struct outcome){.blas_memory = -1};
    run.executions = 1 + (int)(args->reference ? args->pairs : repeat);
    system_forget_peak_memory();
    enum code code = cpu_affinity_gather(args->group, CODE_DONE, &run.affinity);
    if (code == CODE_DONE)
        code = make_problems(&run);
    if (code == CODE_DONE)
        code = product_create(problem, &run.product);
    if (code != CODE_DONE)
        return code;
    code = make_slots(&run) ? CODE_DONE : CODE_FAILED;
    code = args->reference && run.on_host ? run_compared(&run, code, outcome)
                                          : workers_run(args, code, run_rank, &run);
    code = rank_results_gather(&run.results, code);
    code = peak_gather(args->group, code, &outcome->peak);
    if (code == CODE_DONE)
        rank_results_conclude(&run.results, run.random.alpha, outcome);
    free_slots(&run);
    product_destroy(&run.product);
    return code;
}
