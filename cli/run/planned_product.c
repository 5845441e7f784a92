/* planned_product.c - the plans of all ranks for a problem, and one timed product by them. */
#include "run/planned_product.h"

#include "print/plan_cost.h"
#include "print/progress.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* Plans for the ranks of this process. */
static enum code plan_own(const struct problem *problem, struct product *product, sct_cost *costs) {
    const struct rank_group *group = problem->args->group;
    for (int rank = group->first; rank < group->first + group->count; rank++) {
        sct_status status =
            sct_plan_create(&problem->value, rank, &problem->options, &product->plans[rank]);
        if (status == SCT_OK)
            status = sct_plan_cost(product->plans[rank], &costs[rank]);
        if (status != SCT_OK) {
            report_error("rank %d: %s", rank, sct_last_reason());
            return report_code(status);
        }
    }
    product->stay = sct_plan_stay(product->plans[group->first]);
    return CODE_DONE;
}

enum code product_create(const struct problem *problem, struct product *product) {
    struct rank_group *group = problem->args->group;
    *product = (struct product){.ranks = group->ranks};
    product->plans = calloc((size_t)product->ranks, sizeof(sct_plan *));
    sct_cost *costs = calloc((size_t)product->ranks, sizeof *costs);
    enum code code = CODE_FAILED;
    if (product->plans && costs)
        code = plan_own(problem, product, costs);
    else
        report_error("no memory for the plans of %d ranks", product->ranks);
    code = rank_group_gather(group, code, costs, sizeof *costs);
    for (int rank = 0; rank < product->ranks && code == CODE_DONE; rank++)
        sct_cost_add(&costs[rank], &product->planned);
    free(costs);
    if (code != CODE_DONE)
        product_destroy(product);
    return code;
}

void product_destroy(struct product *product) {
    for (int rank = 0; product->plans && rank < product->ranks; rank++)
        sct_plan_destroy(product->plans[rank]);
    free(product->plans);
    product->plans = NULL;
}

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Names the matrix for which there is no memory. */
static sct_status fail_memory(struct worker *worker, const struct problem *problem, int matrix) {
    const sct_layout *layout = problem->layout[matrix];
    sct_type type = args_type(problem->args, matrix);
    char size[PROGRESS_BYTES];
    progress_bytes((double)sct_layout_rows(layout) * (double)sct_layout_cols(layout) *
                       (double)sct_type_bytes(type) * sct_layout_replicas(layout),
                   size);
    return worker_fail(worker,
                       "no memory: %c of %" PRId64 " x %" PRId64 " elements of %s takes %s on all "
                       "ranks",
                       "ABC"[matrix], sct_layout_rows(layout), sct_layout_cols(layout),
                       sct_type_name(type), size);
}

sct_status product_matrices(struct worker *worker, const struct problem *problem,
                            sct_matrix *matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < MATRICES && status == SCT_OK; i++) {
        status = sct_matrix_create(worker->world, args_type(problem->args, i), problem->layout[i],
                                   &matrix[i]);
        if (status == SCT_NO_MEMORY)
            status = fail_memory(worker, problem, i);
    }
    return status;
}

double product_now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double product_cpu_now(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

sct_status product_once(sct_world *world, sct_job *job, sct_type sum, struct number alpha,
                        struct number beta, struct measure *measure) {
    double factors[2][2]; /* room for any type */
    element_store(sum, alpha, factors[0]);
    element_store(sum, beta, factors[1]);
    sct_status status = sct_world_barrier(world);
    sct_traffic before = sct_world_traffic(world);
    double cpu_start = product_cpu_now();
    double start = product_now();
    if (status == SCT_OK)
        status = sct_job_start(job, factors[0], factors[1]);
    if (status == SCT_OK)
        status = sct_job_wait(job);
    measure->seconds = product_now() - start;
    measure->cpu_seconds = product_cpu_now() - cpu_start;
    sct_traffic after = sct_world_traffic(world);
    measure->traffic =
        (sct_traffic){.bytes_got = after.bytes_got - before.bytes_got,
                      .bytes_accumulated = after.bytes_accumulated - before.bytes_accumulated,
                      .bytes_in_place = after.bytes_in_place - before.bytes_in_place};
    return status;
}

void measure_add(struct measure *sum, const struct measure *measure) {
    if (measure->seconds > sum->seconds)
        sum->seconds = measure->seconds;
    sum->cpu_seconds += measure->cpu_seconds;
    sum->traffic.bytes_got += measure->traffic.bytes_got;
    sum->traffic.bytes_accumulated += measure->traffic.bytes_accumulated;
    sum->traffic.bytes_in_place += measure->traffic.bytes_in_place;
    sum->blas_seconds += measure->blas_seconds;
}

bool product_as_planned(const struct product *product, const struct measure *sum) {
    const sct_cost *planned = &product->planned;
    return sum->traffic.bytes_got == planned->bytes_got &&
           sum->traffic.bytes_accumulated == planned->bytes_accumulated &&
           sum->traffic.bytes_in_place == planned->bytes_in_place;
}

double product_gflops(const struct args *args, double seconds) {
    const struct shape *shape = &args->shape;
    double flops = (element_is_complex((sct_type)args->type) ? 8 : 2) * (double)shape->m *
                   (double)shape->n * (double)shape->k * (double)args->matrices;
    return seconds > 0 ? flops / seconds * 1e-9 : 0;
}

void product_json(const struct product *product, const struct args *args, const struct measure *sum,
                  struct json *json) {
    static const char *const maths[] = {"ieee", "tf32"};
    static const char *const accumulations[] = {"auto", "atomic", "mailbox"};
    int threads = system_blas_threads();
    json_text(json, "engine", rank_group_engine(args));
    json_text(json, "path", rank_group_path(args->group));
    json_text(json, "math", maths[args->math]);
    json_text(json, "accumulation",
              args->engine == ENGINE_CUDA ? accumulations[args->accumulation] : NULL);
    json_whole(json, "steps", product->planned.steps);
    json_real(json, "gflops", product_gflops(args, sum->seconds));
    json_real(json, "seconds", sum->seconds);
    json_bytes(json, "bytes_got", sum->traffic.bytes_got);
    json_bytes(json, "bytes_gathered", product->planned.bytes_gathered);
    json_bytes(json, "bytes_accumulated", sum->traffic.bytes_accumulated);
    json_bytes(json, "bytes_in_place", sum->traffic.bytes_in_place);
    json_bytes(json, "bytes_planned", cost_moved(&product->planned));
    json_bytes(json, "workspace", product->planned.workspace);
    json_known(json, "blas_threads", threads > 0 ? threads : -1);
}

void product_print(const struct product *product, const struct args *args,
                   const struct measure *sum) {
    const char *path = rank_group_path(args->group);
    if (path)
        printf("  path  %s\n", path);
    printf("  steps %" PRId64 "\n  time  %.6g s, %.4g GFLOP/s\n"
           "  bytes %" PRIu64 " fetched, %" PRIu64 " accumulated, %" PRIu64
           " read in place; %" PRIu64 " in the plan\n",
           product->planned.steps, sum->seconds, product_gflops(args, sum->seconds),
           sum->traffic.bytes_got, sum->traffic.bytes_accumulated, sum->traffic.bytes_in_place,
           cost_moved(&product->planned));
}
