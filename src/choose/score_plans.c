/* score_plans.c - what three layouts would take, by the plans of some ranks. */
#include "choose/score.h"

#include "base/checked.h"
#include "base/status.h"
#include "cost/estimate.h"

#include <math.h>

/* All ranks are planned if they are no more than this, else so many; fewer, but for the least, if
 * that took as long as so many steps together. Of plans that take longer than their steps the least
 * is the fewest; of those that have many, or are cut until they fit, which takes the longest, two.
 */
enum { ALL = 64, SAMPLE = 16, LEAST_SAMPLE = 8, FEWEST = 3, FEWEST_LONG = 2 };
enum { ALL_STEPS = 8192, MANY_STEPS = 4096 };

/* Workspace for which plans are cut is at least this share of a rank's parts: less would take long
 * to plan, and longer to run. */
enum { LEAST_SHARE = 32 };

static sct_status too_little(uint64_t room, uint64_t parts) {
    return sct_fail(SCT_WORKSPACE, "workspace of %llu bytes is too little for parts of %llu",
                    (unsigned long long)room, (unsigned long long)parts);
}

/* With a limit on workspace: 0: none. */
static sct_status plan_within(const sct_seeker *seeker, int stay, int rank, size_t workspace,
                              sct_plan **plan) {
    const sct_search *search = &seeker->search;
    const sct_layout *const *layout = seeker->product.layout;
    sct_problem problem = {.size = sizeof problem,
                           .type = search->type,
                           .a = layout[SCT_MAT_A],
                           .b = layout[SCT_MAT_B],
                           .c = layout[SCT_MAT_C],
                           .ranks = search->ranks,
                           .ranks_per_node = search->ranks_per_node};
    sct_options options = seeker->options;
    options.stay = (sct_stay)(SCT_STAY_A + stay);
    options.workspace = workspace;
    return sct_plan_create(&problem, rank, &options, plan);
}

/* Within the workspace that the memory leaves, if there is a limit, or within the least: first as a
 * plan takes it, then cut until the limit holds that all ranks can keep, whose parts are `largest`
 * at most. */
static sct_status make_plan(const sct_seeker *seeker, int stay, int rank, uint64_t largest,
                            sct_plan **plan) {
    uint64_t parts = sct_seek_parts(seeker, rank), memory = seeker->search.memory;
    uint64_t least = largest / LEAST_SHARE, room = UINT64_MAX, limit = least;
    if (memory && memory < largest)
        return too_little(0, largest);
    if (seeker->cramped) {
        room = least;
    } else if (memory) {
        room = memory - parts;
        limit = memory - largest;
    }
    sct_status status = plan_within(seeker, stay, rank, seeker->options.workspace, plan);
    if (status || (*plan)->cost.workspace <= room)
        return status;
    sct_plan_destroy(*plan);
    if (limit < least || limit == 0)
        return too_little(limit, largest);
    return plan_within(seeker, stay, rank, (size_t)limit, plan);
}

/* The rank that stores the most. */
static int largest_of(const sct_seeker *seeker, uint64_t *largest) {
    int which = 0;
    *largest = 0;
    for (int rank = 0; rank < seeker->search.ranks; rank++) {
        uint64_t parts = sct_seek_parts(seeker, rank);
        which = parts > *largest ? rank : which;
        *largest = parts > *largest ? parts : *largest;
    }
    return which;
}

uint64_t sct_seek_least(const sct_seeker *seeker, int stay) {
    uint64_t parts;
    int rank = largest_of(seeker, &parts);
    sct_plan *plan;
    if (plan_within(seeker, stay, rank, seeker->options.workspace, &plan))
        return parts;
    uint64_t workspace = plan->cost.workspace, least = parts / LEAST_SHARE;
    sct_plan_destroy(plan);
    return parts + (seeker->cramped && workspace > least ? least : workspace);
}

static uint64_t more(uint64_t x, double y) {
    return x > (uint64_t)y ? x : (uint64_t)y;
}

static int64_t transfers(const sct_machine *machine, const sct_workload *work) {
    double sum = 0;
    for (int level = 0; level < machine->levels; level++)
        sum += work->traffic[level].messages;
    return (int64_t)sum;
}

/* How much more than the mean a rank computes. */
static double imbalance(const sct_product *product, double flops) {
    double each = sct_type_complex(product->type[SCT_MAT_C]) ? 8 : 2;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        each *= (double)product->size[dim];
    return flops * product->ranks / each;
}

/* Seconds in which ranks meet: when C is ready to be added to, between the rounds in which its
 * replicas are added up, and in the end. */
static double meeting(const sct_seeker *seeker, int stay) {
    int meetings = 1 + (stay != SCT_MAT_C);
    meetings += seeker->product.layout[SCT_MAT_C]->replicas > 1 ? 2 : 0;
    return meetings * seeker->machine->barrier * log2(seeker->search.ranks);
}

/* What others ask of a rank is not in its plan. */
static void add_given(const sct_seeker *seeker, int stay, int rank, sct_workload *work) {
    sct_workload reckoned = {.computing = 0};
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (matrix != stay)
            sct_workload_add_moving(&seeker->product, seeker->machine, stay, matrix, rank,
                                    &reckoned);
    for (int level = 0; level < seeker->machine->levels; level++)
        work->traffic[level].given = reckoned.traffic[level].given;
}

/* What is seen by the way: whether plans had to be cut to fit, the most workspace and the most
 * effort that one took, and how many ranks are planned at least. */
typedef struct sct_sight {
    bool cut;
    uint64_t workspace;
    int64_t effort;
    int least;
} sct_sight;

static sct_status try_rank(const sct_seeker *seeker, int stay, int rank, uint64_t largest,
                           sct_choice *choice, sct_sight *sight) {
    const sct_machine *machine = seeker->machine;
    int ranks = seeker->search.ranks;
    sct_plan *plan;
    sct_status status = make_plan(seeker, stay, rank, largest, &plan);
    if (status)
        return status;
    sct_workload work, reducing = {.computing = 0};
    if (!(status = sct_workload_of_plan(plan, machine, &work))) {
        add_given(seeker, stay, rank, &work);
        sct_workload_add_reduction(&seeker->product, machine, rank, &reducing);
        choice->product_seconds =
            fmax(choice->product_seconds, sct_workload_seconds(machine, ranks, &work) +
                                              sct_workload_seconds(machine, ranks, &reducing));
        const sct_cost *cost = &plan->cost;
        uint64_t bytes = cost->bytes_got + cost->bytes_in_place + cost->bytes_accumulated;
        if (bytes >= choice->bytes) {
            choice->bytes = bytes;
            choice->bytes_reduced = cost->bytes_reduced;
        }
        uint64_t limit = seeker->cramped ? plan->options.workspace : 0;
        uint64_t memory = limit ? largest + limit : sct_seek_parts(seeker, rank) + cost->workspace;
        choice->memory = more(choice->memory, (double)memory);
        choice->steps = sct_max(choice->steps, cost->steps);
        choice->transfers = sct_max(choice->transfers, transfers(machine, &work));
        choice->imbalance = fmax(choice->imbalance, imbalance(&seeker->product, cost->flops));
        bool cut = plan->options.workspace != seeker->options.workspace;
        sight->cut |= cut;
        sight->workspace = more(sight->workspace, (double)cost->workspace);
        int64_t effort = sct_plan_effort(plan);
        sight->effort = sct_max(sight->effort, effort);
        bool longs = cut || effort > MANY_STEPS;
        if (longs || effort > plan->steps)
            sight->least = longs ? FEWEST_LONG : FEWEST;
    }
    sct_plan_destroy(plan);
    return status;
}

/* What is moved beside the product, by the busiest rank; and what one product has to bear of it. */
typedef struct sct_making {
    double bytes, bytes_each, seconds_each;
} sct_making;

static void make(const sct_seeker *seeker, int rank, sct_making *most) {
    sct_making made = {0, 0, 0};
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        sct_workload work = {.computing = 0};
        double uses = sct_seek_uses(seeker, matrix);
        sct_seek_make(seeker, matrix, rank, &work);
        double bytes = sct_workload_bytes(seeker->machine, &work);
        made.bytes += bytes;
        made.bytes_each += bytes / uses;
        made.seconds_each +=
            sct_workload_seconds(seeker->machine, seeker->search.ranks, &work) / uses;
    }
    *most = (sct_making){fmax(most->bytes, made.bytes), fmax(most->bytes_each, made.bytes_each),
                         fmax(most->seconds_each, made.seconds_each)};
}

double sct_seek_aimed(const sct_seeker *seeker, const sct_choice *choice) {
    if (seeker->thrifty)
        return (double)choice->memory;
    return seeker->search.aim == SCT_AIM_BYTES ? choice->bytes_each : choice->seconds;
}

/* Each rank can only make it more. */
sct_status sct_seek_try(const sct_seeker *seeker, int stay, double most, sct_choice *choice) {
    int ranks = seeker->search.ranks, rank[ALL];
    int sample = sct_seek_sample(seeker, stay, ranks <= ALL ? ranks : SAMPLE, rank);
    sct_choice tried = {.stay = (sct_stay)(SCT_STAY_A + stay),
                        .slicing = seeker->options.slicing,
                        .schedule = seeker->options.schedule};
    sct_making making = {0, 0, 0};
    double meetings = meeting(seeker, stay);
    uint64_t memory = seeker->search.memory, largest;
    largest_of(seeker, &largest);
    sct_sight sight = {.effort = 1, .least = LEAST_SAMPLE};
    for (int i = 0; i < sample && sct_seek_aimed(seeker, &tried) <= most; i++) {
        tried.planned = i + 1;
        sct_status status = try_rank(seeker, stay, rank[i], largest, &tried, &sight);
        if (status)
            return status;
        make(seeker, rank[i], &making);
        tried.bytes_made = (uint64_t)making.bytes;
        tried.bytes_each = (double)tried.bytes + making.bytes_each;
        tried.seconds = tried.product_seconds + meetings + making.seconds_each;
        int64_t few = sct_max(sight.least, ALL_STEPS / sight.effort);
        sample = (int)sct_min(sample, sct_max(i + 1, few));
    }
    tried.product_seconds += meetings;
    /* One limit, with which all fit, also those that are not planned, who may take more. */
    bool unsure = tried.planned < ranks && memory && sight.workspace > (memory - largest) / 2;
    bool limits = unsure || (sight.cut && memory);
    tried.workspace = limits ? memory - largest : seeker->options.workspace;
    *choice = tried;
    return SCT_OK;
}
