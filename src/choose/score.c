/* score.c - scores a triple of layouts, by estimates or by planning some of its ranks. */
#include "choose/score.h"

#include "base/checked.h"
#include "base/status.h"
#include "cost/estimate.h"
#include "plan/constants.h"
#include "planner/planner.h"
#include "planner/work_grids.h"

#include <math.h>
#include <string.h>

/* The ranks of a triple among whom the busiest are sought: all, or a sample of so many. */
enum { MOST_RATED = 4096 };

void sct_score_consider(sct_search_context *context, const sct_layout *const *layout, int shape,
                        const sct_layout *work) {
    sct_product *product = &context->product;
    memcpy(product->layout, layout, sizeof product->layout);
    context->work = work && !sct_layout_equal(work, layout[shape])
                        ? sct_work_by_layout(product, shape, work)
                        : sct_work_stationary(product, shape);
}

sct_problem sct_score_problem(const sct_search_context *context, const sct_layout *const *layout) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = context->search.type,
                         .a = layout[SCT_MAT_A],
                         .b = layout[SCT_MAT_B],
                         .c = layout[SCT_MAT_C],
                         .ranks = context->search.ranks,
                         .ranks_per_node = context->search.ranks_per_node};
}

uint64_t sct_score_stored_bytes(const sct_search_context *context, int rank) {
    uint64_t sum = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = context->product.layout[matrix], *fixed = context->fixed[matrix];
        size_t bytes = 0, kept = 0;
        sct_layout_bytes(layout, context->search.type, rank, &bytes);
        if (fixed && fixed != layout)
            sct_layout_bytes(fixed, context->search.type, rank, &kept);
        sum += bytes + kept;
    }
    return sum;
}

/* Adds the workload of preparing a matrix: making replicas of A or B, or copying a fixed matrix to
 * its layout under consideration (C: from there). */
static void score_add_preparation(const sct_search_context *context, int matrix, int rank,
                                  sct_workload *work) {
    const sct_search *search = &context->search;
    const sct_layout *layout = context->product.layout[matrix], *fixed = context->fixed[matrix];
    bool result = matrix == SCT_MAT_C;
    if (fixed && fixed != layout)
        sct_workload_add_copy(result ? layout : fixed, result ? fixed : layout, search->type,
                              context->machine, search->ranks, rank, work);
    else if (!fixed && !result)
        sct_workload_add_replication(layout, search->type, context->machine, search->ranks, rank,
                                     work);
}

double sct_score_uses(const sct_search_context *context, int matrix) {
    return matrix == SCT_MAT_C ? 1 : context->search.uses;
}

double sct_score_value(const sct_search_context *context, double seconds, double bytes) {
    sct_aim aim = context->search.aim;
    double excess = bytes > context->best_grid ? bytes / context->best_grid : 1;
    return aim == SCT_AIM_BYTES ? bytes : aim == SCT_AIM_TIME ? seconds : seconds * excess;
}

/* What a rank takes for one product. */
typedef struct sct_rank_score {
    double seconds, bytes;
} sct_rank_score;

/* Adds work, of which `uses` products share the result. */
static void add_work(const sct_search_context *context, const sct_workload *work, double uses,
                     sct_rank_score *sum) {
    const sct_machine *machine = context->machine;
    int ranks = context->search.ranks;
    sct_workload moving = *work;
    moving.computing = 0;
    sum->bytes += sct_workload_bytes(machine, work) / uses;
    sum->seconds += (sct_workload_seconds(machine, ranks, work) +
                     sct_estimate_beside * sct_workload_seconds(machine, ranks, &moving)) /
                    uses;
}

static sct_rank_score weigh(const sct_search_context *context, int only, int rank,
                            sct_judgements *judgements) {
    const sct_product *product = &context->product;
    sct_workload work = {.computing = 0}, reducing = {.computing = 0};
    sct_rank_score sum = {0, 0};
    if (only < 0)
        sct_workload_add_product(product, context->machine, &context->work, rank, judgements,
                                 &work);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_workload making = {.computing = 0};
        if (only >= 0 && matrix != only)
            continue;
        if (!sct_work_keeps(&context->work, matrix))
            sct_workload_add_moving(product, context->machine, &context->work, matrix, rank, &work);
        if (matrix == SCT_MAT_C)
            sct_workload_add_reduction(product, context->machine, rank, &reducing);
        score_add_preparation(context, matrix, rank, &making);
        add_work(context, &making, sct_score_uses(context, matrix), &sum);
    }
    add_work(context, &work, 1, &sum);
    add_work(context, &reducing, 1, &sum);
    return sum;
}

/* Boxes of work whose slices the workspace cannot keep count as slower than all others. A matrix
 * that is stationary needs no workspace, and the others pass by. */
static double price_of(const sct_search_context *context) {
    const sct_product *product = &context->product;
    sct_options options = context->options;
    double box[SCT_DIMS];
    options.machine = context->machine;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        box[dim] = (double)product->size[dim] / sct_work_parts(&context->work, dim);
    double limit = sct_workspace_limit_of_all(product, &options);
    return context->work.stationary ? 1 : sct_work_box_price(product, limit, box);
}

double sct_score_layouts(const sct_search_context *context, int only, double most) {
    int ranks = context->search.ranks, sample = (int)sct_min(ranks, SCT_ESTIMATED_RANKS);
    double value = 0, price = only < 0 ? price_of(context) : 1;
    sct_judgements judgements = {.count = 0};
    for (int i = 0; i < sample && value < most; i++) {
        sct_rank_score one = weigh(context, only, sct_sample_rank(ranks, sample, i), &judgements);
        value = fmax(value, price * sct_score_value(context, one.seconds, one.bytes));
    }
    return value;
}

static void add_once(int rank, int most, int *sample, int *count) {
    for (int i = 0; i < *count; i++)
        if (sample[i] == rank)
            return;
    if (*count < most)
        sample[(*count)++] = rank;
}

/* A sample of at most `most` ranks: by estimate, the one that takes longest, the one that stores
 * most, and the one that moves most; then ranks spread over all. Returns their number. */
static int score_sample(const sct_search_context *context, int most, int *sample) {
    enum { SLOWEST, STORED, MOVED, REASONS };
    int ranks = context->search.ranks, first[REASONS] = {0}, count = 0;
    int rated = (int)sct_min(ranks, MOST_RATED);
    double worst[REASONS] = {0};
    sct_judgements judgements = {.count = 0};
    for (int i = 0; i < rated; i++) {
        int rank = sct_sample_rank(ranks, rated, i);
        sct_rank_score one = weigh(context, -1, rank, &judgements);
        const double much[] = {[SLOWEST] = one.seconds,
                               [STORED] = (double)sct_score_stored_bytes(context, rank),
                               [MOVED] = one.bytes};
        for (int why = 0; why < REASONS; why++) {
            first[why] = much[why] > worst[why] ? rank : first[why];
            worst[why] = fmax(worst[why], much[why]);
        }
    }
    for (int i = 0; i < REASONS; i++)
        add_once(first[i], most, sample, &count);
    for (int i = 0; i < ranks && count < most; i++)
        add_once(sct_sample_rank(ranks, most, i), most, sample, &count);
    return count;
}

/* ---- By plans ---- */

static uint64_t larger(uint64_t x, uint64_t y) {
    return x > y ? x : y;
}

static sct_status too_little(uint64_t room, uint64_t parts) {
    return sct_fail(SCT_WORKSPACE, "a workspace of %llu bytes is too small for parts of %llu bytes",
                    (unsigned long long)room, (unsigned long long)parts);
}

/* Plans with a workspace limit; 0: the default. */
static sct_status plan_within(const sct_search_context *context, int rank, size_t workspace,
                              sct_plan **plan) {
    sct_problem problem = sct_score_problem(context, context->product.layout);
    sct_options options = context->options;
    options.stay = (sct_stay)(SCT_STAY_A + context->work.shape);
    options.work = context->work.stationary ? NULL : context->work.layout;
    options.workspace = workspace;
    return sct_plan_create(&problem, rank, &options, plan);
}

/* Plans within the workspace that memory leaves, or within the least: first as planned without a
 * limit, then cut to the limit that even the rank with the `largest` parts can keep. */
static sct_status make_plan(const sct_search_context *context, int rank, uint64_t largest,
                            sct_plan **plan) {
    uint64_t parts = sct_score_stored_bytes(context, rank), memory = context->search.memory;
    uint64_t least = largest / SCT_LEAST_SHARE, room = UINT64_MAX, limit = least;
    if (memory && memory < largest)
        return too_little(0, largest);
    if (context->min_workspace) {
        room = least;
    } else if (memory) {
        room = memory - parts;
        limit = memory - largest;
    }
    sct_status status = plan_within(context, rank, context->options.workspace, plan);
    if (status || (*plan)->cost.workspace <= room)
        return status;
    sct_plan_destroy(*plan);
    if (limit < least || limit == 0)
        return too_little(limit, largest);
    return plan_within(context, rank, (size_t)limit, plan);
}

/* The bytes of the largest part of a layout, of which none is too large. */
static uint64_t largest_part(const sct_search_context *context, const sct_layout *layout) {
    uint64_t most = 0;
    sct_layout_largest_part(layout, context->search.type, &most);
    return most;
}

/* The rank that stores the most, among those that are rated; and how much that is at most. */
static int largest_of(const sct_search_context *context, uint64_t *largest) {
    int ranks = context->search.ranks, which = 0;
    int rated = (int)sct_min(ranks, MOST_RATED);
    *largest = 0;
    for (int i = 0; i < rated; i++) {
        int rank = sct_sample_rank(ranks, rated, i);
        uint64_t parts = sct_score_stored_bytes(context, rank);
        which = parts > *largest ? rank : which;
        *largest = larger(parts, *largest);
    }
    if (rated == ranks)
        return which;
    *largest = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = context->product.layout[matrix], *fixed = context->fixed[matrix];
        *largest += largest_part(context, layout);
        *largest += fixed && fixed != layout ? largest_part(context, fixed) : 0;
    }
    return which;
}

uint64_t sct_score_min_memory(const sct_search_context *context) {
    uint64_t parts;
    int rank = largest_of(context, &parts);
    sct_plan *plan;
    if (plan_within(context, rank, context->options.workspace, &plan))
        return parts;
    uint64_t workspace = plan->cost.workspace, least = parts / SCT_LEAST_SHARE;
    sct_plan_destroy(plan);
    return parts + (context->min_workspace && workspace > least ? least : workspace);
}

static int64_t transfers(const sct_machine *machine, const sct_workload *work) {
    double sum = 0;
    for (int level = 0; level < machine->levels; level++)
        sum += work->traffic[level].messages;
    return (int64_t)sum;
}

/* The imbalance: computation of the busiest rank over the mean. */
static double imbalance(const sct_product *product, double flops) {
    double each = sct_type_complex(product->type[SCT_MAT_C]) ? 8 : 2;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        each *= (double)product->size[dim];
    return flops * product->ranks / each;
}

/* Seconds of barriers: before contributions to C, between the rounds of reducing replicas, and at
 * the end. */
static double barrier_seconds(const sct_search_context *context) {
    int barriers = 1 + !sct_work_keeps(&context->work, SCT_MAT_C);
    barriers += context->product.layout[SCT_MAT_C]->replicas > 1 ? 2 : 0;
    return barriers * context->machine->barrier * log2(context->search.ranks);
}

/* Adds an estimate of the bytes that other ranks fetch from this one, which its own plan does not
 * contain. */
static void add_given(const sct_search_context *context, int rank, sct_workload *work) {
    sct_workload reckoned = {.computing = 0};
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (!sct_work_keeps(&context->work, matrix))
            sct_workload_add_moving(&context->product, context->machine, &context->work, matrix,
                                    rank, &reckoned);
    for (int level = 0; level < context->machine->levels; level++) {
        work->traffic[level].served = reckoned.traffic[level].served;
        work->traffic[level].received = reckoned.traffic[level].received;
    }
}

/* What planning has shown so far: whether plans had to be cut, and the largest workspace. */
typedef struct sct_sight {
    bool cut;
    uint64_t workspace;
} sct_sight;

static sct_status try_rank(const sct_search_context *context, int rank, uint64_t largest,
                           sct_choice *choice, sct_sight *sight) {
    const sct_machine *machine = context->machine;
    int ranks = context->search.ranks;
    sct_plan *plan;
    sct_status status = make_plan(context, rank, largest, &plan);
    if (status)
        return status;
    sct_workload work, reducing = {.computing = 0};
    if (!(status = sct_workload_of_plan(plan, machine, &work))) {
        add_given(context, rank, &work);
        sct_workload_add_reduction(&context->product, machine, rank, &reducing);
        choice->product_seconds =
            fmax(choice->product_seconds, sct_workload_seconds(machine, ranks, &work) +
                                              sct_workload_seconds(machine, ranks, &reducing));
        const sct_cost *cost = &plan->cost;
        uint64_t bytes = cost->bytes_got + cost->bytes_in_place + cost->bytes_accumulated;
        if (bytes >= choice->bytes) {
            choice->bytes = bytes;
            choice->bytes_reduced = cost->bytes_reduced;
        }
        uint64_t limit = context->min_workspace ? plan->options.workspace : 0;
        uint64_t memory =
            limit ? largest + limit : sct_score_stored_bytes(context, rank) + cost->workspace;
        choice->memory = larger(choice->memory, memory);
        choice->steps = sct_max(choice->steps, cost->steps);
        choice->transfers = sct_max(choice->transfers, transfers(machine, &work));
        choice->imbalance = fmax(choice->imbalance, imbalance(&context->product, cost->flops));
        sight->cut |= plan->options.workspace != context->options.workspace;
        sight->workspace = larger(sight->workspace, cost->workspace);
    }
    sct_plan_destroy(plan);
    return status;
}

/* The preparation of the busiest rank: its bytes, and one product's share of bytes and seconds. */
typedef struct sct_making {
    double bytes, bytes_each, seconds_each;
} sct_making;

static void make(const sct_search_context *context, int rank, sct_making *most) {
    sct_making made = {0, 0, 0};
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_workload work = {.computing = 0};
        double uses = sct_score_uses(context, matrix);
        score_add_preparation(context, matrix, rank, &work);
        double bytes = sct_workload_bytes(context->machine, &work);
        made.bytes += bytes;
        made.bytes_each += bytes / uses;
        made.seconds_each +=
            sct_workload_seconds(context->machine, context->search.ranks, &work) / uses;
    }
    *most = (sct_making){fmax(most->bytes, made.bytes), fmax(most->bytes_each, made.bytes_each),
                         fmax(most->seconds_each, made.seconds_each)};
}

sct_status sct_score_plans(const sct_search_context *context, sct_choice *choice) {
    int ranks = context->search.ranks, rank[SCT_PLANNED_RANKS];
    int sample = score_sample(context, (int)sct_min(ranks, SCT_PLANNED_RANKS), rank);
    sct_choice tried = {.stay = (sct_stay)(SCT_STAY_A + context->work.shape),
                        .slicing = context->options.slicing,
                        .schedule = context->options.schedule};
    sct_making making = {0, 0, 0};
    uint64_t memory = context->search.memory, largest;
    largest_of(context, &largest);
    sct_sight sight = {.cut = false};
    for (int i = 0; i < sample; i++) {
        tried.planned = i + 1;
        sct_status status = try_rank(context, rank[i], largest, &tried, &sight);
        if (status)
            return status;
        make(context, rank[i], &making);
    }
    tried.bytes_made = (uint64_t)making.bytes;
    tried.bytes_each = (double)tried.bytes + making.bytes_each;
    tried.product_seconds += barrier_seconds(context);
    tried.seconds = tried.product_seconds + making.seconds_each;
    /* One limit for all ranks. If not all were planned, others may need more. */
    bool unsure = tried.planned < ranks && memory && sight.workspace > (memory - largest) / 2;
    bool limits = unsure || (sight.cut && memory);
    tried.workspace = limits ? memory - largest : context->options.workspace;
    *choice = tried;
    return SCT_OK;
}
