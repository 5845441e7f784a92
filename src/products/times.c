/* times.c - estimates all combinations of layouts of a product, and simulates single ones.
 *
 * Beside one work layout, what a rank communicates for one matrix depends on that matrix alone. So
 * communication is estimated for each pair of a work layout and a candidate, and the times of all
 * combinations follow by adding up. */
#include "products/times.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "cost/estimate.h"
#include "forecast/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that are looked at; ranks that are simulated together, and the limit of events, which takes
 * about half a second; ranks for which the planner's own choice of work is simulated, too. */
enum { SAMPLE = 5, MOST_TOGETHER = 64, MOST_DECIDED = 16 };
static const double most_events = 1e6;
/* How wrong estimates are, before any is compared. */
static const double usual_spread = 0.1;

static sct_status no_memory(void) {
    return sct_no_memory("the times of a product");
}

/* ---- What is estimated ---- */

typedef struct sct_estimator {
    const sct_scope *scope;
    sct_times *times;
    sct_product product;
} sct_estimator;

static sct_work_layout work_of(sct_estimator *estimator, const sct_scope_work *work) {
    const sct_domain *domain = estimator->times->domain[work->shape];
    if (work->kept < 0)
        return sct_work_by_layout(&estimator->product, work->shape, work->layout);
    estimator->product.layout[work->shape] = domain->candidate[work->kept].layout;
    return sct_work_stationary(&estimator->product, work->shape);
}

/* Ranks that do not have the same place in all directions of a mesh. */
static int sample_rank(const sct_scope *scope, int index) {
    static const double share[SAMPLE] = {1.0 / 3, 2.0 / 3, 3.0 / 7, 4.0 / 5, 0};
    return (int)(share[index] * scope->search.ranks);
}

static double computing(const sct_estimator *estimator, const sct_work_layout *work) {
    const sct_product *product = &estimator->product;
    double most = 0;
    for (int i = 0; i < SAMPLE; i++) {
        double sum = 0;
        int rank = sample_rank(estimator->scope, i);
        for (int block = 0; block < sct_layout_cells(work->layout, rank); block++) {
            sct_cell cell = sct_layout_cell(work->layout, rank, block);
            int64_t size[SCT_DIMS];
            for (int dim = 0; dim < SCT_DIMS; dim++)
                size[dim] = sct_work_extent(product, work, dim, rank, cell);
            if (size[SCT_DIM_M] > 0 && size[SCT_DIM_N] > 0 && size[SCT_DIM_K] > 0)
                sum += sct_machine_multiply(estimator->scope->machine, product->type[SCT_MAT_A],
                                            size[SCT_DIM_M], size[SCT_DIM_N], size[SCT_DIM_K]);
        }
        most = sct_larger(most, sum);
    }
    return most;
}

static sct_workload load_of(const sct_estimator *estimator, const sct_work_layout *work, int matrix,
                            int rank) {
    const sct_machine *machine = estimator->scope->machine;
    sct_workload load = {.computing = 0};
    if (work)
        sct_workload_add_moving(&estimator->product, machine, work, matrix, rank, &load);
    else
        sct_workload_add_reduction(&estimator->product, machine, rank, &load);
    return load;
}

/* Seconds in which a matrix is communicated; without work, in which replicas of C are reduced. */
static void find_moving(const sct_estimator *estimator, const sct_work_layout *work, int matrix,
                        double seconds[SCT_REACHES]) {
    const sct_machine *machine = estimator->scope->machine;
    int ranks = estimator->product.ranks, last = machine->levels - 1;
    seconds[SCT_REACH_NEAR] = seconds[SCT_REACH_FAR] = 0;
    for (int i = 0; i < SAMPLE; i++) {
        sct_workload near = load_of(estimator, work, matrix, sample_rank(estimator->scope, i)),
                     far = near;
        if (last >= 0)
            near.traffic[last] = (sct_level_traffic){.got = 0};
        for (int level = 0; level < last; level++)
            far.traffic[level] = (sct_level_traffic){.got = 0};
        far.copied = 0;
        seconds[SCT_REACH_NEAR] =
            sct_larger(seconds[SCT_REACH_NEAR], sct_workload_seconds(machine, ranks, &near));
        seconds[SCT_REACH_FAR] =
            sct_larger(seconds[SCT_REACH_FAR], sct_workload_seconds(machine, ranks, &far));
    }
}

/* With a candidate: nothing moves if it is stationary; others cannot be used with work that keeps
 * one. */
static void estimate_moving(sct_estimator *estimator, int index, const sct_work_layout *made,
                            int matrix, int candidate) {
    sct_times *times = estimator->times;
    const sct_scope_work *work = &times->work[index];
    double seconds[SCT_REACHES] = {0};
    if (work->kept >= 0 && work->shape == matrix) {
        seconds[SCT_REACH_FAR] = candidate == work->kept ? 0 : INFINITY;
    } else {
        estimator->product.layout[matrix] = times->domain[matrix]->candidate[candidate].layout;
        find_moving(estimator, made, matrix, seconds);
    }
    for (int reach = 0; reach < SCT_REACHES; reach++)
        times->moving[matrix][reach][index * times->domain[matrix]->count + candidate] =
            seconds[reach];
}

static void estimate_work(sct_estimator *estimator, int index) {
    sct_times *times = estimator->times;
    sct_work_layout made = work_of(estimator, &times->work[index]);
    times->computing[index] = computing(estimator, &made);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int i = 0; i < times->domain[matrix]->count; i++)
            estimate_moving(estimator, index, &made, matrix, i);
}

/* Replicas of C are reduced, and copied, between two more barriers than others have. */
static void estimate_reduction(sct_estimator *estimator) {
    const sct_machine *machine = estimator->scope->machine;
    double barrier = machine->barrier * log2(estimator->product.ranks);
    const sct_domain *domain = estimator->times->domain[SCT_MAT_C];
    for (int i = 0; i < domain->count; i++) {
        estimator->product.layout[SCT_MAT_C] = domain->candidate[i].layout;
        double seconds[SCT_REACHES];
        find_moving(estimator, NULL, SCT_MAT_C, seconds);
        estimator->times->reducing[i] =
            sct_larger(seconds[SCT_REACH_NEAR], seconds[SCT_REACH_FAR]) +
            barrier * (domain->candidate[i].layout->replicas > 1 ? 4 : 2);
    }
}

/* How computing and communication add up: the longer one and the shorter one count by these
 * factors. Where ranks share a link, they wait for it: about the root of the sum of squares.
 * Otherwise only the first fetch is not hidden. What ranks copy themselves, they compute. */
typedef struct sct_overlap {
    double longer, shorter;
    bool by_rank[SCT_REACHES];
} sct_overlap;

static sct_overlap overlap_of(const sct_machine *machine) {
    bool shared = false;
    int last = machine->levels - 1;
    for (int level = 0; level <= last; level++)
        shared |= isfinite(machine->level[level].uplink);
    return (sct_overlap){.longer = shared ? 0.96 : 1,
                         .shorter = shared ? 0.4 : 0.125,
                         .by_rank = {last > 0 && machine->level[0].by_rank,
                                     last >= 0 && machine->level[last].by_rank}};
}

static inline double together(sct_overlap overlap, double computing, double near, double far) {
    double busy = computing + (overlap.by_rank[0] ? near : 0) + (overlap.by_rank[1] ? far : 0);
    double moving = sct_larger(overlap.by_rank[0] ? 0 : near, overlap.by_rank[1] ? 0 : far);
    return overlap.longer * sct_larger(busy, moving) + overlap.shorter * sct_smaller(busy, moving);
}

static const double *moved(const sct_times *times, int matrix, int reach, int work) {
    return times->moving[matrix][reach] + work * times->domain[matrix]->count;
}

/* The combinations of one candidate of A and one of B with all of C. */
static void combine_row(sct_times *times, sct_overlap overlap, int work, double near, double far,
                        int64_t place) {
    const double *c_near = moved(times, SCT_MAT_C, SCT_REACH_NEAR, work);
    const double *c_far = moved(times, SCT_MAT_C, SCT_REACH_FAR, work);
    const double *reducing = times->reducing, computing = times->computing[work];
    double *least = times->estimated + place;
    unsigned short *best = times->best + place;
    for (int i = 0; i < times->domain[SCT_MAT_C]->count; i++) {
        double seconds =
            together(overlap, computing, near + c_near[i], far + c_far[i]) + reducing[i];
        best[i] = seconds < least[i] ? (unsigned short)work : best[i];
        least[i] = sct_smaller(least[i], seconds);
    }
}

static void combine_work(sct_times *times, sct_overlap overlap, int work) {
    const double *a_near = moved(times, SCT_MAT_A, SCT_REACH_NEAR, work);
    const double *a_far = moved(times, SCT_MAT_A, SCT_REACH_FAR, work);
    const double *b_near = moved(times, SCT_MAT_B, SCT_REACH_NEAR, work);
    const double *b_far = moved(times, SCT_MAT_B, SCT_REACH_FAR, work);
    int64_t place = 0;
    for (int i = 0; i < times->domain[SCT_MAT_A]->count; i++)
        for (int j = 0; j < times->domain[SCT_MAT_B]->count; j++) {
            combine_row(times, overlap, work, a_near[i] + b_near[j], a_far[i] + b_far[j], place);
            place += times->domain[SCT_MAT_C]->count;
        }
}

int64_t sct_times_places(const sct_times *times) {
    return (int64_t)times->domain[SCT_MAT_A]->count * times->domain[SCT_MAT_B]->count *
           times->domain[SCT_MAT_C]->count;
}

static sct_status estimate(const sct_scope *scope, sct_times *times) {
    sct_estimator estimator = {.scope = scope, .times = times};
    const sct_problem problem = sct_times_problem(scope, times, (int[SCT_MATS]){0, 0, 0});
    sct_status status = sct_product_create(&problem, &estimator.product);
    if (status)
        return status;
    sct_product kept = estimator.product;
    estimate_reduction(&estimator);
    for (int64_t i = 0; i < sct_times_places(times); i++)
        times->estimated[i] = INFINITY;
    for (int i = 0; i < times->works; i++) {
        estimate_work(&estimator, i);
        combine_work(times, overlap_of(scope->machine), i);
    }
    sct_product_clear(&kept);
    return SCT_OK;
}

/* ---- Works ---- */

/* The shape of the work whose replicas share a dimension that is not cut, preferably k: then blocks
 * are those of the matrices. */
static int shape_of(const sct_mesh *mesh) {
    return mesh->size[SCT_MESH_REPLICAS] == 1 ? SCT_MAT_C
           : mesh->size[SCT_MESH_COLS] == 1   ? SCT_MAT_A
           : mesh->size[SCT_MESH_ROWS] == 1   ? SCT_MAT_B
                                              : SCT_MAT_C;
}

/* Adds the work of a mesh, whose replicas, rows and columns cut k, m and n. */
static sct_status add_mesh(const sct_scope *scope, const sct_mesh *mesh, sct_times *times) {
    static const int ways[SCT_MATS][SCT_MESH_WAYS] = {
        [SCT_MAT_A] = {SCT_MESH_COLS, SCT_MESH_ROWS, SCT_MESH_REPLICAS},
        [SCT_MAT_B] = {SCT_MESH_ROWS, SCT_MESH_REPLICAS, SCT_MESH_COLS},
        [SCT_MAT_C] = {SCT_MESH_REPLICAS, SCT_MESH_ROWS, SCT_MESH_COLS}};
    const sct_products_step *step = &times->step;
    int shape = shape_of(mesh);
    int64_t rows = shape == SCT_MAT_B ? step->k : step->m;
    int64_t cols = shape == SCT_MAT_A ? step->k : step->n;
    sct_layout *layout = NULL;
    if (mesh->size[SCT_MESH_REPLICAS] > step->k || mesh->size[SCT_MESH_ROWS] > step->m ||
        mesh->size[SCT_MESH_COLS] > step->n)
        return SCT_OK;
    sct_status status =
        sct_mesh_layout(mesh, ways[shape], rows, cols, scope->search.ranks, &layout);
    if (!status)
        times->work[times->works++] = (sct_scope_work){shape, layout, -1};
    return status;
}

/* The works of all meshes, and those that keep a layout of the caller. */
static sct_status list_works(const sct_scope *scope, sct_times *times) {
    sct_status status = SCT_OK;
    for (int i = 0; i < scope->meshes.count && !status; i++)
        status = add_mesh(scope, &scope->meshes.mesh[i], times);
    for (int matrix = 0; matrix < SCT_MATS && !status; matrix++)
        for (int i = 0; times->domain[matrix]->given && i < times->domain[matrix]->count; i++)
            times->work[times->works++] = (sct_scope_work){matrix, NULL, i};
    return status;
}

/* ---- Times of a product ---- */

static void find_domains(const sct_scope *scope, const sct_products_step *step,
                         const sct_domain *domain[SCT_MATS]) {
    const int matrix[] = {step->a, step->b, step->c};
    for (int i = 0; i < SCT_MATS; i++)
        domain[i] = sct_scope_domain(scope, scope->class_of[matrix[i]]);
}

bool sct_times_are_of(const sct_times *times, const sct_scope *scope, int product) {
    const sct_products_step step = sct_products_at(scope->products, product);
    const sct_domain *domain[SCT_MATS];
    find_domains(scope, &step, domain);
    return memcmp(domain, times->domain, sizeof domain) == 0 && step.m == times->step.m &&
           step.n == times->step.n && step.k == times->step.k && step.op_a == times->step.op_a &&
           step.op_b == times->step.op_b;
}

static sct_status allocate(sct_times *times, size_t works) {
    size_t all = (size_t)sct_times_places(times) * sizeof *times->seconds;
    times->work = calloc(works, sizeof *times->work);
    times->computing = calloc(works, sizeof *times->computing);
    times->reducing = calloc((size_t)times->domain[SCT_MAT_C]->count, sizeof *times->reducing);
    times->estimated = malloc(all);
    times->seconds = malloc(all);
    times->best = calloc((size_t)sct_times_places(times), sizeof *times->best);
    bool done =
        times->work && times->computing && times->reducing && times->estimated && times->seconds;
    for (int i = 0; i < SCT_MATS * SCT_REACHES; i++) {
        size_t candidates = (size_t)times->domain[i % SCT_MATS]->count;
        double *list = calloc(works * candidates, sizeof *list);
        times->moving[i % SCT_MATS][i / SCT_MATS] = list;
        done = done && list;
    }
    return done ? SCT_OK : no_memory();
}

sct_status sct_times_create(const sct_scope *scope, int product, sct_times *times) {
    size_t works = (size_t)scope->meshes.count;
    *times = (sct_times){.step = sct_products_at(scope->products, product)};
    find_domains(scope, &times->step, times->domain);
    for (int i = 0; i < SCT_MATS; i++)
        works += times->domain[i]->given ? (size_t)times->domain[i]->count : 0;
    sct_status status = allocate(times, works);
    if (!status)
        status = list_works(scope, times);
    if (!status && times->works == 0)
        status = sct_fail(SCT_BAD_ARGUMENT,
                          "a product of %lld x %lld x %lld cannot be spread over %d ranks",
                          (long long)times->step.m, (long long)times->step.n,
                          (long long)times->step.k, scope->search.ranks);
    if (!status)
        status = estimate(scope, times);
    return status;
}

void sct_times_clear(sct_times *times) {
    for (int i = 0; i < times->works; i++)
        sct_layout_destroy((sct_layout *)times->work[i].layout);
    for (int i = 0; i < times->simulations; i++)
        sct_layout_destroy((sct_layout *)times->simulated[i].work);
    for (int i = 0; i < SCT_MATS * SCT_REACHES; i++)
        free(times->moving[i % SCT_MATS][i / SCT_MATS]);
    free(times->work);
    free(times->computing);
    free(times->reducing);
    free(times->estimated);
    free(times->best);
    free(times->seconds);
    free(times->simulated);
}

int64_t sct_times_place(const sct_times *times, const int choice[SCT_MATS]) {
    return ((int64_t)choice[SCT_MAT_A] * times->domain[SCT_MAT_B]->count + choice[SCT_MAT_B]) *
               times->domain[SCT_MAT_C]->count +
           choice[SCT_MAT_C];
}

int sct_times_waits(const sct_times *times, const int choice[SCT_MATS]) {
    int work = times->best[sct_times_place(times, choice)], most = -1;
    double sum = 0, longest = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        double seconds = matrix == SCT_MAT_C ? times->reducing[choice[SCT_MAT_C]] : 0;
        for (int reach = 0; reach < SCT_REACHES; reach++)
            seconds += moved(times, matrix, reach, work)[choice[matrix]];
        most = seconds > longest ? matrix : most;
        longest = sct_larger(longest, seconds);
        sum += seconds;
    }
    return sum > times->computing[work] ? most : -1;
}

/* ---- Simulation ---- */

sct_problem sct_times_problem(const sct_scope *scope, const sct_times *times,
                              const int choice[SCT_MATS]) {
    const sct_layout *layout[SCT_MATS];
    for (int i = 0; i < SCT_MATS; i++)
        layout[i] = times->domain[i]->candidate[choice[i]].layout;
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = scope->search.type,
                         .op_a = times->step.op_a,
                         .op_b = times->step.op_b,
                         .a = layout[SCT_MAT_A],
                         .b = layout[SCT_MAT_B],
                         .c = layout[SCT_MAT_C],
                         .ranks = scope->search.ranks,
                         .ranks_per_node = scope->search.ranks_per_node};
}

/* Simulates all ranks, or, if they are too many, one alone. */
static sct_status simulate(const sct_scope *scope, const sct_problem *problem,
                           const sct_options *options, sct_simulated *made, double *events) {
    sct_sim_result result;
    sct_status status = SCT_TOO_LARGE;
    if (problem->ranks <= MOST_TOGETHER)
        status = sct_simulate_all(problem, options, scope->machine, most_events, &result);
    made->alone = status == SCT_TOO_LARGE;
    if (made->alone)
        status = sct_simulate_single(problem, options, scope->machine, 0, &result);
    if (status)
        return status;
    made->seconds = result.seconds;
    *events += result.work;
    return SCT_OK;
}

/* Simulates some work, and keeps it if it is faster than what there is. */
static sct_status try_work(const sct_scope *scope, const sct_problem *problem, sct_stay stay,
                           const sct_layout *work, sct_simulated *best, double *events) {
    if (stay == SCT_STAY_C && work && sct_layout_equal(work, problem->c))
        work = NULL;
    const sct_options options = {.size = sizeof options,
                                 .workspace = SCT_NO_LIMIT,
                                 .stay = stay,
                                 .work = work,
                                 .machine = scope->machine};
    sct_simulated made = {.stay = stay, .work = work, .place = best->place};
    sct_status status = simulate(scope, problem, &options, &made, events);
    if (status || made.seconds >= best->seconds)
        return status;
    sct_layout_destroy((sct_layout *)best->work);
    *best = made;
    if (work)
        sct_layout_hold(work);
    return SCT_OK;
}

/* Also tries what the planner would decide. */
static sct_status try_decided(const sct_scope *scope, const sct_problem *problem,
                              sct_simulated *best, double *events) {
    const sct_options options = {
        .size = sizeof options, .workspace = SCT_NO_LIMIT, .machine = scope->machine};
    sct_stay stay;
    sct_layout *work;
    if (problem->ranks > MOST_DECIDED)
        return SCT_OK;
    sct_status status = sct_plan_decide(problem, &options, &stay, &work);
    if (status)
        return status;
    status = try_work(scope, problem, stay, work, best, events);
    sct_layout_destroy(work);
    return status;
}

sct_status sct_times_limit(const sct_scope *scope, const sct_times *times,
                           const int choice[SCT_MATS], size_t workspace, sct_simulated *made) {
    const sct_problem problem = sct_times_problem(scope, times, choice);
    const sct_options options = {.size = sizeof options,
                                 .stay = made->stay,
                                 .work = made->work,
                                 .workspace = workspace,
                                 .machine = scope->machine};
    double events = 0;
    return simulate(scope, &problem, &options, made, &events);
}

const sct_simulated *sct_times_simulated(const sct_times *times, int64_t place) {
    for (int i = 0; i < times->simulations; i++)
        if (times->simulated[i].place == place)
            return &times->simulated[i];
    return NULL;
}

sct_status sct_times_simulate(const sct_scope *scope, sct_times *times, const int choice[SCT_MATS],
                              double *events) {
    int64_t place = sct_times_place(times, choice);
    if (sct_times_simulated(times, place))
        return SCT_OK;
    sct_simulated *list =
        sct_memory_grow(times->simulated, times->simulations, &times->room, sizeof *list);
    if (!list)
        return no_memory();
    times->simulated = list;
    const sct_problem problem = sct_times_problem(scope, times, choice);
    const sct_scope_work *work = &times->work[times->best[place]];
    sct_simulated made = {.place = place, .seconds = INFINITY};
    sct_status status = try_work(scope, &problem, (sct_stay)(SCT_STAY_A + work->shape),
                                 work->layout, &made, events);
    if (!status)
        status = try_decided(scope, &problem, &made, events);
    if (status)
        sct_layout_destroy((sct_layout *)made.work);
    else
        list[times->simulations++] = made;
    return status;
}

/* The logarithm of a simulated time over its estimate. */
static double error_of(const sct_times *times, const sct_simulated *simulated) {
    return log(simulated->seconds / times->estimated[simulated->place]);
}

/* The mean error with one work or with any (-1); `usual` counts as one more, so that few
 * simulations do not decide alone. */
static double mean_error(const sct_times *times, int work, double usual) {
    double sum = usual;
    int count = 1;
    for (int i = 0; i < times->simulations; i++) {
        const sct_simulated *simulated = &times->simulated[i];
        if (work >= 0 && times->best[simulated->place] != work)
            continue;
        sum += error_of(times, simulated);
        count++;
    }
    return sum / count;
}

/* The standard deviation of errors from the mean of their work, of which a usual one is assumed at
 * first. */
static double spread(const sct_times *times, const double *mean) {
    double sum = usual_spread * usual_spread;
    for (int i = 0; i < times->simulations; i++) {
        const sct_simulated *simulated = &times->simulated[i];
        double error = error_of(times, simulated) - mean[times->best[simulated->place]];
        sum += error * error;
    }
    return sqrt(sum / (times->simulations + 1));
}

static void put_simulated(sct_times *times) {
    for (int i = 0; i < times->simulations; i++)
        times->seconds[times->simulated[i].place] = times->simulated[i].seconds;
}

/* Estimates are mostly too low or too high by as much with the same work. Those that were not
 * simulated lose a margin, so that what may be faster is simulated as well. */
sct_status sct_times_fit(sct_times *times, double deviations) {
    double usual = mean_error(times, -1, 0);
    double *mean = malloc((size_t)times->works * sizeof *mean);
    if (!mean)
        return no_memory();
    for (int i = 0; i < times->works; i++)
        mean[i] = mean_error(times, i, usual);
    double margin = deviations * spread(times, mean);
    for (int i = 0; i < times->works; i++)
        mean[i] = exp(mean[i] - margin);
    for (int64_t i = 0; i < sct_times_places(times); i++)
        times->seconds[i] = mean[times->best[i]] * times->estimated[i];
    put_simulated(times);
    free(mean);
    return SCT_OK;
}

void sct_times_settle(sct_times *times) {
    for (int64_t i = 0; i < sct_times_places(times); i++)
        times->seconds[i] = INFINITY;
    put_simulated(times);
}
