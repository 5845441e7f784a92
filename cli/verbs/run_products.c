/* run_products.c - the verb run for a group of products: chooses layouts, runs the products in
 * them on generated matrices, and times that; or checks it against whole matrices in this process.
 */
#include "verbs/products.h"

#include "ranks/home_tiles.h"
#include "ranks/host.h"
#include "ranks/worker.h"
#include "run/check.h"
#include "run/chosen_products.h"
#include "run/planned_product.h"
#include "run/ratio.h"
#include "values/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct whole_products {
    const sct_products *products;
    sct_type type;
    struct source source;
    sct_block *matrix; /* NULL: none are computed */
};

/* ---- Whole matrices ---- */

/* Sums of the largest products stay exact longest if elements are -1, 0 and 1. */
enum { MOST = 1 };

static struct number element_of(sct_type type, const sct_block *block, int64_t row, int64_t col) {
    return element_load(type, element_at(type, block, row, col));
}

static double largest(sct_type type, const sct_block *block) {
    double most = 0;
    for (int64_t row = 0; row < block->rows; row++)
        for (int64_t col = 0; col < block->cols; col++) {
            struct number is = element_of(type, block, row, col);
            most = fmax(most, fmax(fabs(is.re), fabs(is.im)));
        }
    return most;
}

static enum code allocate_whole(struct whole_products *whole, int index) {
    const sct_products_shape shape = sct_products_matrix_at(whole->products, index);
    sct_block *block = &whole->matrix[index];
    *block = (sct_block){.ld = shape.cols, .rows = shape.rows, .cols = shape.cols};
    block->data = calloc((size_t)shape.rows, (size_t)shape.cols * sct_type_bytes(whole->type));
    if (!block->data) {
        report_error("--check: no memory for %s, %" PRId64 " x %" PRId64, shape.name, shape.rows,
                     shape.cols);
        return CODE_FAILED;
    }
    for (int64_t row = 0; row < shape.rows && shape.given; row++)
        for (int64_t col = 0; col < shape.cols; col++)
            element_store(whole->type, source_element(&whole->source, index, row, col),
                          element_at(whole->type, block, row, col));
    return CODE_DONE;
}

/* Whether all partial sums of a product are exact. */
static bool is_exact(const struct whole_products *whole, const sct_products_step *step) {
    sct_type type = whole->type;
    double terms = (element_is_complex(type) ? 2 : 1) * (double)step->k;
    double most =
        terms * largest(type, &whole->matrix[step->a]) * largest(type, &whole->matrix[step->b]);
    if (step->add)
        most += largest(type, &whole->matrix[step->c]);
    /* Sums beyond the range of f16 would be infinite, whatever else they are. */
    int bits = type == SCT_F16 ? 15 : element_bits(sct_type_sum(type));
    return most <= ldexp(1, bits);
}

static enum code multiply(struct whole_products *whole, int product) {
    const sct_products_step step = sct_products_at(whole->products, product);
    double one[2], beta[2];
    if (!is_exact(whole, &step)) {
        report_error("--check: the sums of %s are not exact in %s%s",
                     sct_products_matrix_at(whole->products, step.c).name,
                     sct_type_name(whole->type),
                     whole->type == SCT_F64 ? "" : "; --type f64 has more bits");
        return CODE_USAGE;
    }
    element_store(sct_type_sum(whole->type), (struct number){1, 0}, one);
    element_store(sct_type_sum(whole->type), (struct number){step.add, 0}, beta);
    return report_status(sct_gemm_local(whole->type, step.op_a, step.op_b, one,
                                        &whole->matrix[step.a], &whole->matrix[step.b], beta,
                                        &whole->matrix[step.c]));
}

/* Generates the matrices that are given, of small integers, and computes the others; reports
 * errors, and fails where a sum may not be exact. Destroy it even then. */
static enum code whole_products_create(const sct_products *products, sct_type type, uint64_t seed,
                                       struct whole_products *whole) {
    int matrices = sct_products_matrices(products);
    *whole = (struct whole_products){
        .products = products, .type = type, .source = {.seed = seed, .type = type, .most = MOST}};
    whole->matrix = calloc((size_t)matrices, sizeof *whole->matrix);
    enum code code = whole->matrix ? CODE_DONE : CODE_FAILED;
    if (code != CODE_DONE)
        report_error("--check: no memory for %d matrices", matrices);
    for (int i = 0; i < matrices && code == CODE_DONE; i++)
        code = allocate_whole(whole, i);
    for (int i = 0; i < sct_products_count(products) && code == CODE_DONE; i++)
        code = multiply(whole, i);
    return code;
}

static void whole_products_destroy(struct whole_products *whole) {
    for (int i = 0; whole->matrix && i < sct_products_matrices(whole->products); i++)
        free(whole->matrix[i].data);
    free(whole->matrix);
}

struct comparison {
    sct_type type;
    const sct_block *whole;
    struct verdict *verdict;
};

static void compare(const sct_slice *bounds, const sct_block *tile, void *context) {
    const struct comparison *with = context;
    struct verdict *verdict = with->verdict;
    for (int64_t row = bounds->rows.lo; row < bounds->rows.hi; row++)
        for (int64_t col = bounds->cols.lo; col < bounds->cols.hi; col++) {
            struct number is =
                element_of(with->type, tile, row - bounds->rows.lo, col - bounds->cols.lo);
            struct number was = element_of(with->type, with->whole, row, col);
            verdict->checked++;
            if ((is.re == was.re && is.im == was.im) || verdict->wrong++ > 0)
                continue;
            verdict->place = (struct place){row, col};
            verdict->is = is;
            verdict->was = was;
        }
}

/* Compares what this rank stores of a matrix with it exactly, and adds to the verdict. */
static sct_status whole_products_compare(const struct whole_products *whole, const sct_world *world,
                                         int index, sct_matrix *matrix, struct verdict *verdict) {
    struct comparison with = {whole->type, &whole->matrix[index], verdict};
    return tiles_visit(world, matrix, TILES_READ, compare, &with);
}

/* What one rank has measured and checked. */
struct rank_result {
    struct verdict verdict;
    int wrong_matrix;
    uint64_t moved, planned; /* bytes of one run */
};

/* Times are those of the whole group first, then of each product alone, each `repeat` times. */
struct group_run {
    const struct args *args;
    struct chosen_products chosen;
    struct whole_products whole; /* with --check */
    int repeat, timed;           /* times of each rank */
    double *seconds;             /* by rank and time */
    double *median;              /* of the group, and of each product */
    struct rank_result *results;
};

/* ---- On a rank ---- */

struct filling {
    struct source source;
    sct_type type;
    int matrix;
    bool given;
};

static struct number value(const void *context, int64_t row, int64_t col) {
    const struct filling *filling = context;
    if (!filling->given)
        return (struct number){NAN, NAN};
    return source_element(&filling->source, filling->matrix, row, col);
}

static void fill_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    const struct filling *filling = context;
    block_fill(filling->type, bounds, block, 1, value, filling);
}

/* Generates what is given; what is computed must not be read before. */
static sct_status fill(const struct group_run *run, const sct_world *world,
                       const sct_group *group) {
    sct_type type = (sct_type)run->args->type;
    const struct source reals = {.seed = (uint64_t)run->args->seed, .type = type};
    sct_status status = SCT_OK;
    for (int i = 0; i < run->chosen.choice.matrices && status == SCT_OK; i++) {
        const sct_products_shape shape = sct_products_matrix_at(run->chosen.products, i);
        struct filling filling = {run->args->check ? run->whole.source : reals, type, i,
                                  shape.given};
        status = tiles_visit(world, sct_group_matrix(group, i), TILES_WRITE, fill_tile, &filling);
    }
    return status;
}

static uint64_t moved(const sct_world *world) {
    const sct_traffic traffic = sct_world_traffic(world);
    return traffic.bytes_got + traffic.bytes_in_place + traffic.bytes_accumulated;
}

/* The first run: counts bytes, and is checked. */
static sct_status try_first(struct worker *worker, struct group_run *run, sct_group *group) {
    struct rank_result *result = &run->results[worker->rank];
    uint64_t before = moved(worker->world);
    sct_status status = sct_group_run(group);
    result->moved = moved(worker->world) - before;
    for (int i = 0; i < run->chosen.choice.products; i++) {
        sct_cost cost;
        sct_group_cost(group, i, &cost);
        result->planned += cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated;
    }
    if (status != SCT_OK || !run->args->check)
        return status;
    for (int i = 0; i < run->chosen.choice.matrices && status == SCT_OK; i++) {
        bool was_right = result->verdict.wrong == 0;
        status = whole_products_compare(&run->whole, worker->world, i, sct_group_matrix(group, i),
                                        &result->verdict);
        if (was_right)
            result->wrong_matrix = i;
    }
    return worker_settle(worker, status);
}

static sct_status run_product(const struct group_run *run, const sct_group *group, int product) {
    sct_type sum = sct_type_sum((sct_type)run->args->type);
    double one[2], beta[2];
    element_store(sum, (struct number){1, 0}, one);
    element_store(sum, (struct number){sct_products_at(run->chosen.products, product).add, 0},
                  beta);
    sct_status status = sct_job_start(sct_group_job(group, product), one, beta);
    return status != SCT_OK ? status : sct_job_wait(sct_group_job(group, product));
}

static sct_status time_all(struct worker *worker, struct group_run *run, sct_group *group) {
    double *seconds = run->seconds + (ptrdiff_t)worker->rank * run->timed;
    sct_status status = SCT_OK;
    for (int i = 0; i < run->timed && status == SCT_OK; i++) {
        int product = i / run->repeat - 1;
        status = sct_world_barrier(worker->world);
        double start = product_now();
        if (status == SCT_OK)
            status = product < 0 ? sct_group_run(group) : run_product(run, group, product);
        seconds[i] = product_now() - start;
    }
    return status;
}

static sct_status run_rank(struct worker *worker, void *context) {
    struct group_run *run = context;
    const sct_options options = {.size = sizeof options, .machine = run->chosen.machine};
    sct_group *group = NULL;
    sct_status status = sct_group_create(worker->world, run->chosen.products, &run->chosen.choice,
                                         (sct_type)run->args->type, &options, &group);
    if (status == SCT_OK)
        status = worker_settle(worker, fill(run, worker->world, group));
    if (status == SCT_OK)
        status = try_first(worker, run, group);
    if (status == SCT_OK)
        status = time_all(worker, run, group);
    sct_group_destroy(group);
    return status;
}

/* ---- Results ---- */

/* The median of the times of the group, or of a product, each of which is that of the slowest
 * rank. */
static double median_of(const struct group_run *run, int which) {
    double *slowest = run->seconds + (ptrdiff_t)which * run->repeat;
    for (int rank = 1; rank < (int)run->args->ranks; rank++)
        for (int i = 0; i < run->repeat; i++)
            slowest[i] = fmax(slowest[i], slowest[(ptrdiff_t)rank * run->timed + i]);
    return ratio_of(slowest, run->repeat).median;
}

/* Adds up what the ranks found; reports the first wrong element. */
static struct rank_result sum_up(const struct group_run *run) {
    struct rank_result all = {.moved = 0};
    for (int rank = 0; rank < (int)run->args->ranks; rank++) {
        const struct rank_result *result = &run->results[rank];
        const struct verdict *verdict = &result->verdict;
        if (verdict->wrong > 0 && all.verdict.wrong == 0)
            report_error("--check: %s[%" PRId64 ", %" PRId64
                         "] of rank %d is %.17g,%.17g but should be %.17g,%.17g",
                         chosen_products_name(&run->chosen, result->wrong_matrix),
                         verdict->place.row, verdict->place.col, rank, verdict->is.re,
                         verdict->is.im, verdict->was.re, verdict->was.im);
        all.verdict.checked += verdict->checked;
        all.verdict.wrong += verdict->wrong;
        all.moved += result->moved;
        all.planned += result->planned;
    }
    if (all.moved != all.planned)
        report_error("the bytes moved are not those of the plans");
    return all;
}

static double gflops(const struct group_run *run, int product, double seconds) {
    const sct_products_step step = sct_products_at(run->chosen.products, product);
    double flops = (element_is_complex((sct_type)run->args->type) ? 8 : 2) * (double)step.m *
                   (double)step.n * (double)step.k;
    return seconds > 0 ? flops / seconds * 1e-9 : 0;
}

static double all_gflops(const struct group_run *run) {
    double sum = 0;
    for (int i = 0; i < run->chosen.choice.products; i++)
        sum += gflops(run, i, run->median[0]);
    return sum;
}

static enum code print_table(const struct group_run *run, const struct rank_result *found) {
    const struct args *args = run->args;
    const sct_products_choice *choice = &run->chosen.choice;
    printf("%d product%s of %s on %" PRId64 " rank%s, engine %s: %.4g ms, %.4g GFLOP/s, %.4g MB "
           "moved\n\n",
           choice->products, choice->products == 1 ? "" : "s", sct_type_name((sct_type)args->type),
           args->ranks, args->ranks == 1 ? "" : "s", rank_group_engine(args), 1e3 * run->median[0],
           all_gflops(run), (double)found->moved / 1e6);
    enum code code = chosen_products_print_matrices(&run->chosen);
    printf("\n%-24s%10s%10s%14s\n", "product", "ms", "GFLOP/s", "simulated ms");
    for (int i = 0; i < choice->products; i++) {
        char text[PRODUCT_TEXT];
        chosen_products_text(&run->chosen, i, text);
        printf("%-24s%10.4g%10.4g%14.4g\n", text, 1e3 * run->median[1 + i],
               gflops(run, i, run->median[1 + i]), 1e3 * choice->work[i].seconds);
    }
    if (args->check)
        printf("\ncheck %s: %" PRId64 " elements compared exactly\n",
               found->verdict.wrong == 0 ? "holds" : "does not hold", found->verdict.checked);
    return code;
}

static enum code print_json(const struct group_run *run, const struct rank_result *found) {
    const struct args *args = run->args;
    const sct_products_choice *choice = &run->chosen.choice;
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", found->verdict.wrong == 0 && found->moved == found->planned);
    json_whole(&json, "ranks", args->ranks);
    json_text(&json, "type", sct_type_name((sct_type)args->type));
    json_text(&json, "engine", rank_group_engine(args));
    json_text(&json, "path", rank_group_path(args->group));
    json_real(&json, "seconds", run->median[0]);
    json_real(&json, "gflops", all_gflops(run));
    json_real(&json, "simulated_seconds", choice->seconds);
    json_bytes(&json, "bytes", found->moved);
    json_bytes(&json, "bytes_planned", found->planned);
    if (args->check)
        json_whole(&json, "checked_exactly", found->verdict.checked);
    enum code code = chosen_products_matrices_json(&run->chosen, &json);
    json_open(&json, "products", '[');
    for (int i = 0; i < choice->products; i++) {
        char text[PRODUCT_TEXT];
        chosen_products_text(&run->chosen, i, text);
        json_open(&json, NULL, '{');
        json_text(&json, "product", text);
        json_real(&json, "seconds", run->median[1 + i]);
        json_real(&json, "gflops", gflops(run, i, run->median[1 + i]));
        json_real(&json, "simulated_seconds", choice->work[i].seconds);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_whole(&json, "seed", args->seed);
    json_whole(&json, "repeat", run->repeat);
    json_end_result(&json);
    return code;
}

static enum code print(const struct group_run *run) {
    const struct rank_result found = sum_up(run);
    for (int i = 0; i <= run->chosen.choice.products; i++)
        run->median[i] = median_of(run, i);
    enum code code = run->args->json ? print_json(run, &found) : print_table(run, &found);
    bool right = found.verdict.wrong == 0 && found.moved == found.planned;
    return code == CODE_DONE && !right ? CODE_FAILED : code;
}

/* ---- All of it ---- */

static enum code allocate(struct group_run *run) {
    int products = run->chosen.choice.products;
    size_t ranks = (size_t)run->args->ranks;
    run->timed = (1 + products) * run->repeat;
    run->seconds = calloc(ranks * (size_t)run->timed, sizeof *run->seconds);
    run->median = calloc(1 + (size_t)products, sizeof *run->median);
    run->results = calloc(ranks, sizeof *run->results);
    if (run->seconds && run->median && run->results)
        return CODE_DONE;
    report_error("no memory for the results of %d ranks", (int)ranks);
    return CODE_FAILED;
}

/* Each process chooses, and finds the same. */
static enum code prepare(struct group_run *run) {
    const struct args *args = run->args;
    enum code code = chosen_products_find(args, &run->chosen);
    if (code == CODE_DONE && args->check)
        code = whole_products_create(run->chosen.products, (sct_type)args->type,
                                     (uint64_t)args->seed, &run->whole);
    return code == CODE_DONE ? allocate(run) : code;
}

enum code run_products(const struct args *args) {
    struct group_run run = {.args = args, .repeat = args->repeat > 0 ? (int)args->repeat : 3};
    enum code code = rank_group_agree(args->group, host_check_limits(args));
    code = workers_run(args, code == CODE_DONE ? prepare(&run) : code, run_rank, &run);
    code = rank_group_gather(args->group, code, run.seconds, (size_t)run.timed * sizeof(double));
    code = rank_group_gather(args->group, code, run.results, sizeof *run.results);
    if (code == CODE_DONE)
        code = print(&run);
    free(run.seconds);
    free(run.median);
    free(run.results);
    whole_products_destroy(&run.whole);
    chosen_products_clear(&run.chosen);
    return code;
}
