/* pairs.c - MxNxK PAIRS MB/S A B C: times Sectile beside computation alone, product by product in
 * turns; beside computation while plain TCP moves as many bytes; and beside itself with the work
 * layout that measuring finds. Where a machine is now faster, now slower, all are so alike.
 *
 * It checks a product of these layouts with each work layout and prints a line of JSON: the medians
 * of the seconds of all four; the bytes that a rank gets and adds on average, and how long they
 * take by such a bandwidth (0: nothing is far); of Sectile's time over the longer of computation
 * and wire, pair by pair, the median and the quartiles, of plain TCP's the median; and the same of
 * Sectile's time over that with the measured work layout. */
#include "driver.h"
#include "plain.h"

#include <mpi.h>
#include <sectile/sectile_mpi.h>
#include <sectile/sectile_plan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PAIRS = 999 };

typedef struct product {
    sct_matrix *a, *b, *c;
    sct_job *job, *measured;
    double bytes;
    bool same; /* measuring finds the work layout that estimates do */
} product;

static void must(sct_status status) {
    if (status != SCT_OK)
        fail("%s", sct_last_reason());
}

static sct_matrix *make(sct_world *world, const char *text, int rows, int cols) {
    sct_layout *layout;
    sct_matrix *matrix;
    must(sct_layout_parse(text, rows, cols, sct_world_size(world), &layout));
    must(sct_matrix_create(world, SCT_F64, layout, &matrix));
    sct_layout_destroy(layout);
    return matrix;
}

/* By rows: then the rank's own is one tile. */
static sct_matrix *make_rows(sct_world *world, int rows, int cols, sct_block *own) {
    sct_matrix *matrix = make(world, "row", rows, cols);
    must(sct_matrix_tile(matrix, (sct_tile){sct_world_rank(world), 0}, SCT_HERE, own));
    return matrix;
}

static int first_row(const struct problem *p, int rows) {
    return (int)((long)rows * p->rank / p->ranks);
}

static sct_matrix *make_filled(sct_world *world, const struct problem *p, const char *text,
                               int rows, int cols, double (*element)(int, int)) {
    sct_block own;
    sct_matrix *by_rows = make_rows(world, rows, cols, &own), *made = make(world, text, rows, cols);
    for (int i = 0; i < own.rows; i++)
        for (int j = 0; j < own.cols; j++)
            ((double *)own.data)[i * own.ld + j] = element(first_row(p, rows) + i, j);
    must(sct_copy(SCT_N, sct_whole(by_rows), sct_whole(made), NULL));
    sct_matrix_destroy(by_rows);
    return made;
}

static sct_plan *make_plan(const product *made, const struct problem *p, int per_node,
                           const sct_options *options) {
    const sct_problem problem = {.size = sizeof problem,
                                 .type = SCT_F64,
                                 .a = sct_matrix_layout(made->a),
                                 .b = sct_matrix_layout(made->b),
                                 .c = sct_matrix_layout(made->c),
                                 .ranks = p->ranks,
                                 .ranks_per_node = per_node};
    sct_plan *plan;
    must(sct_plan_create(&problem, p->rank, options, &plan));
    return plan;
}

static sct_job *bind(sct_world *world, const product *made, const sct_plan *plan) {
    sct_job *job;
    must(sct_job_create(world, plan, sct_whole(made->a), sct_whole(made->b), sct_whole(made->c),
                        &job));
    return job;
}

/* The same product with the work layout that is the fastest when it is measured. */
static void open_measured(sct_world *world, const struct problem *p, uint64_t hash, product *made) {
    sct_options options = {.size = sizeof options};
    sct_layout *work;
    must(sct_plan_measure(SCT_N, SCT_N, sct_whole(made->a), sct_whole(made->b), sct_whole(made->c),
                          NULL, &options.stay, &work));
    options.work = work;
    sct_plan *plan = make_plan(made, p, sct_world_ranks_per_node(world), &options);
    made->measured = bind(world, made, plan);
    made->same = most_of_all(sct_plan_hash(plan) != hash) == 0;
    sct_plan_destroy(plan);
    sct_layout_destroy(work);
}

static product open_product(sct_world *world, const struct problem *p) {
    char **text = p->words;
    product made = {.a = make_filled(world, p, text[0], p->m, p->k, element_of_a),
                    .b = make_filled(world, p, text[1], p->k, p->n, element_of_b),
                    .c = make(world, text[2], p->m, p->n)};
    sct_plan *plan = make_plan(&made, p, sct_world_ranks_per_node(world), NULL);
    sct_cost cost;
    must(sct_plan_cost(plan, &cost));
    made.job = bind(world, &made, plan);
    open_measured(world, p, sct_plan_hash(plan), &made);
    sct_plan_destroy(plan);
    double mine = (double)(cost.bytes_got + cost.bytes_accumulated) / p->ranks;
    MPI_Allreduce(&mine, &made.bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return made;
}

static void run(sct_job *job) {
    const double one = 1, zero = 0;
    must(sct_job_start(job, &one, &zero));
    must(sct_job_wait(job));
}

static void multiply(const product *made) {
    run(made->job);
}

static void multiply_measured(const product *made) {
    run(made->measured);
}

static bool is_right(sct_world *world, const struct problem *p, const product *made) {
    sct_block own;
    sct_matrix *by_rows = make_rows(world, p->m, p->n, &own);
    bool right = true;
    must(sct_copy(SCT_N, sct_whole(made->c), sct_whole(by_rows), NULL));
    for (int i = 0; i < own.rows; i++)
        for (int j = 0; j < own.cols; j++)
            right &= ((double *)own.data)[i * own.ld + j] ==
                     element_of_c(first_row(p, p->m) + i, j, 0, p->k);
    sct_matrix_destroy(by_rows);
    return right;
}

static void close_product(product *made) {
    sct_job_destroy(made->job);
    sct_job_destroy(made->measured);
    sct_matrix_destroy(made->a);
    sct_matrix_destroy(made->b);
    sct_matrix_destroy(made->c);
}

static void compute(const product *ignored) {
    (void)ignored;
    peer_multiply();
}

static void compute_and_move(const product *made) {
    plain_start((size_t)made->bytes);
    peer_multiply();
    plain_wait();
}

/* Of the slowest rank, while nobody waits by turning. */
static double time_of(sct_world *world, void (*run)(const product *), const product *made) {
    must(sct_world_barrier(world));
    double start = MPI_Wtime();
    run(made);
    double seconds = MPI_Wtime() - start;
    must(sct_world_barrier(world));
    return most_of_all(seconds);
}

static void compare(sct_world *world, const struct problem *p, int pairs, double rate) {
    char **text = p->words;
    static double computation[MOST_PAIRS], plain[MOST_PAIRS], seconds[MOST_PAIRS];
    static double over[MOST_PAIRS], plain_over[MOST_PAIRS], measured[MOST_PAIRS], gain[MOST_PAIRS];
    product made = open_product(world, p);
    double wire = rate > 0 ? made.bytes / (rate * 1e6) : 0;
    multiply(&made);
    bool right = is_right(world, p, &made);
    multiply_measured(&made);
    right &= is_right(world, p, &made);
    for (int i = 0; i < pairs; i++) {
        computation[i] = time_of(world, compute, &made);
        plain[i] = made.bytes > 0 ? time_of(world, compute_and_move, &made) : computation[i];
        if (i % 2 == 1)
            measured[i] = time_of(world, multiply_measured, &made);
        seconds[i] = time_of(world, multiply, &made);
        if (i % 2 == 0)
            measured[i] = time_of(world, multiply_measured, &made);
        gain[i] = seconds[i] / measured[i];
        double longer = computation[i] > wire ? computation[i] : wire;
        over[i] = seconds[i] / longer;
        plain_over[i] = plain[i] / longer;
    }
    right = most_of_all(!right) == 0;
    if (p->rank == 0)
        printf("{\"ok\":%s,\"layouts\":\"%s %s %s\",\"pairs\":%d,\"computation\":%.6f,"
               "\"plain\":%.6f,\"bytes\":%.0f,\"wire\":%.6f,\"seconds\":%.6f,\"over\":%.4f,"
               "\"from\":%.4f,\"to\":%.4f,\"plain_over\":%.4f,\"same\":%s,\"measured\":%.6f,"
               "\"gain\":%.4f,\"gain_from\":%.4f,\"gain_to\":%.4f}\n",
               right ? "true" : "false", text[0], text[1], text[2], pairs,
               quantile(computation, pairs, 0.5), quantile(plain, pairs, 0.5), made.bytes, wire,
               quantile(seconds, pairs, 0.5), quantile(over, pairs, 0.5),
               quantile(over, pairs, 0.25), quantile(over, pairs, 0.75),
               quantile(plain_over, pairs, 0.5), made.same ? "true" : "false",
               quantile(measured, pairs, 0.5), quantile(gain, pairs, 0.5),
               quantile(gain, pairs, 0.25), quantile(gain, pairs, 0.75));
    fflush(stdout);
    close_product(&made);
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (argc != 7)
        fail("needs MxNxK, how many pairs, a bandwidth, and layouts of A, B and C");
    struct problem problem = read_problem(argv[1], argv + 4);
    int pairs = whole_number(argv[2]);
    if (pairs > MOST_PAIRS)
        fail("%d pairs are too many", pairs);
    sct_world *world;
    must(sct_world_create_mpi(MPI_COMM_WORLD, NULL, &world));
    peer_open(&problem);
    plain_open(problem.rank, problem.ranks);
    compare(world, &problem, pairs, atof(argv[3]));
    plain_close();
    peer_close();
    sct_world_destroy(world);
    MPI_Finalize();
    return 0;
}
