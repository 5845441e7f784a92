/* refine.c - tries slicings and orders in the simulator: who waits for what depends on them, and no
 * sum tells it.
 *
 * Each is tried with some ranks, one by one as if alone. Then the first, and of the others those
 * that promise the most, are tried with all ranks together, if that does not take too long. */
#include "choose/refine.h"
#include "planner/planner.h"

#include "base/checked.h"
#include "sim/single_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that are tried alone: no more than together have so much work, but for one. */
enum { SAMPLE = 4, SAMPLE_WORK = 4000 };
/* The work that all ranks together may be, if they are so few; of more ranks in proportion, but at
 * most so many times as much. */
static const double work_of_few = 170000;
enum { FEW_RANKS = 64, MOST_TIMES = 25 };
/* Ways of a choice that are tried by all ranks. */
enum { MOST_TOGETHER = 2 };
/* Another way than the first has to take less than this share of its time: with all ranks together;
 * with some alone, who do not know what they do to each other. */
static const double clearly = 0.95, clearly_alone = 0.9;
/* As many times as long as alone ranks are supposed to take together. */
static const double others = 1.2;
/* An exhaustive search for orders of so few steps takes no time; by cost of so many, or greedy of
 * as many as follow, where a limit cuts them and where none does, a little. */
enum { FEW_STEPS = 6, MANY_STEPS = 2048, CUT_STEPS = 4096, MOST_STEPS = 8192 };

/* A way, and how it did; if it cannot be made, or is not taken, its seconds are infinite. */
typedef struct sct_way {
    sct_slicing slicing;
    sct_schedule schedule;
    sct_trial trial;
} sct_way;

/* The default first; those by tiles last. */
static const sct_way all_ways[] = {{.slicing = SCT_SLICE_CLASS, .schedule = SCT_DIRECT},
                                   {.slicing = SCT_SLICE_CLASS, .schedule = SCT_GREEDY},
                                   {.slicing = SCT_SLICE_CLASS, .schedule = SCT_COST},
                                   {.slicing = SCT_SLICE_CLASS, .schedule = SCT_EXHAUSTIVE},
                                   {.slicing = SCT_SLICE_TILE, .schedule = SCT_DIRECT},
                                   {.slicing = SCT_SLICE_TILE, .schedule = SCT_GREEDY},
                                   {.slicing = SCT_SLICE_TILE, .schedule = SCT_COST},
                                   {.slicing = SCT_SLICE_TILE, .schedule = SCT_EXHAUSTIVE}};
enum { WAYS = sizeof all_ways / sizeof *all_ways };

/* Ranks that are tried alone, those first that tell the most. */
typedef struct sct_sample {
    int count, rank[SAMPLE];
} sct_sample;

typedef struct sct_ways {
    int count;
    sct_way way[WAYS]; /* the first is the one that the choice has */
} sct_ways;

static sct_problem problem_of(const sct_seeker *seeker, const sct_three *three) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = seeker->search.type,
                         .a = three->layout[SCT_MAT_A],
                         .b = three->layout[SCT_MAT_B],
                         .c = three->layout[SCT_MAT_C],
                         .ranks = seeker->search.ranks,
                         .ranks_per_node = seeker->search.ranks_per_node};
}

static sct_options options_of(const sct_seeker *seeker, const sct_three *three,
                              const sct_way *way) {
    sct_options options = seeker->options;
    options.stay = (sct_stay)(SCT_STAY_A + three->stay);
    options.slicing = way->slicing;
    options.schedule = way->schedule;
    options.workspace = (size_t)three->choice.workspace;
    return options;
}

/* ---- What may be tried ---- */

/* Whether tiles make fewer steps than what ranks share, by the plan of one rank: as many are mostly
 * the same; to make more costs the products, and takes long to simulate. */
static bool tiles_may_pay(const sct_seeker *seeker, const sct_three *three) {
    const sct_way tiles = {.slicing = SCT_SLICE_TILE, .schedule = SCT_DIRECT};
    sct_problem problem = problem_of(seeker, three);
    sct_options options = options_of(seeker, three, &tiles);
    int64_t least;
    sct_plan *plan;
    if (sct_plan_least_steps(&problem, 0, &options, &least) || least >= three->choice.steps ||
        sct_plan_create(&problem, 0, &options, &plan))
        return false;
    bool may = plan->steps < three->choice.steps;
    sct_plan_destroy(plan);
    return may;
}

/* Those that are worth trying beside the first: none, if slicing and order are settled. */
static void list_ways(const sct_seeker *seeker, const sct_three *three, sct_ways *ways) {
    bool cut = three->choice.workspace > 0;
    const int64_t most_steps[] = {[SCT_DIRECT] = INT64_MAX,
                                  [SCT_GREEDY] = cut ? CUT_STEPS : MOST_STEPS,
                                  [SCT_COST] = MANY_STEPS,
                                  [SCT_EXHAUSTIVE] = FEW_STEPS};
    const sct_options *options = &seeker->options;
    *ways = (sct_ways){1, {{.slicing = options->slicing, .schedule = options->schedule}}};
    if (options->slicing != SCT_SLICE_CLASS || options->schedule != SCT_DIRECT)
        return;
    bool tiles = tiles_may_pay(seeker, three);
    for (int i = 1; i < WAYS; i++)
        if ((tiles || all_ways[i].slicing != SCT_SLICE_TILE) &&
            three->choice.steps <= most_steps[all_ways[i].schedule])
            ways->way[ways->count++] = all_ways[i];
}

/* ---- How long they take ---- */

/* By the slowest of a sample; the work is what all ranks would be, if they disturbed nobody. An
 * order that cannot be made is no way; that there is no memory is an error. */
static sct_status try_alone(const sct_seeker *seeker, const sct_three *three,
                            const sct_sample *sample, sct_way *way) {
    sct_problem problem = problem_of(seeker, three);
    sct_options options = options_of(seeker, three, way);
    int tried = 0;
    double work = 0;
    sct_status status = SCT_OK;
    for (; tried < sample->count && work < SAMPLE_WORK && !status; tried++) {
        sct_trial one = {0, 0};
        status = sct_simulate_alone(&problem, &options, seeker->machine, sample->rank[tried], &one);
        way->trial.seconds = fmax(way->trial.seconds, one.seconds);
        work += one.work;
    }
    way->trial.work = work * problem.ranks / sct_max(1, tried);
    if (status)
        way->trial.seconds = INFINITY;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* With all ranks, if that is no more work; says what it was. */
static sct_status try_together(const sct_seeker *seeker, const sct_three *three, sct_way *way,
                               double most_work, double *work) {
    sct_problem problem = problem_of(seeker, three);
    sct_options options = options_of(seeker, three, way);
    const sct_cast all = {0, problem.ranks};
    bool known = seeker->machine->ranks == 0 || seeker->machine->ranks == problem.ranks;
    sct_trial trial = {INFINITY, 0};
    sct_status status = SCT_OK;
    if (known && isfinite(way->trial.seconds) && way->trial.work <= most_work) {
        status = sct_simulate_cast(&problem, &options, seeker->machine, all, most_work, &trial);
        trial.work = status == SCT_TOO_LARGE ? most_work : trial.work;
    }
    way->trial.seconds = trial.seconds;
    *work = trial.work;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* Behind the first, those that take the least. */
static void sort_ways(sct_ways *ways) {
    for (int i = 2; i < ways->count; i++) {
        sct_way way = ways->way[i];
        int at = i;
        for (; at > 1 && ways->way[at - 1].trial.seconds > way.trial.seconds; at--)
            ways->way[at] = ways->way[at - 1];
        ways->way[at] = way;
    }
}

static sct_status try_all_alone(const sct_seeker *seeker, const sct_three *three, sct_ways *ways) {
    sct_seeker found = *seeker;
    sct_sample sample;
    sct_status status = SCT_OK;
    memcpy(found.product.layout, three->layout, sizeof three->layout);
    sample.count = sct_seek_sample(&found, three->stay, SAMPLE, sample.rank);
    for (int i = 0; i < ways->count && !status; i++)
        status = try_alone(seeker, three, &sample, &ways->way[i]);
    sort_ways(ways);
    return status;
}

/* As far as there is patience, of which the first leaves half to the others; says how many were
 * tried. */
static sct_status try_some_together(const sct_seeker *seeker, const sct_three *three,
                                    sct_ways *ways, double *patience, int *tried) {
    sct_status status = SCT_OK;
    *tried = 0;
    ways->count = (int)sct_min(ways->count, MOST_TOGETHER);
    for (int i = 0; i < ways->count && !status; i++) {
        double work, most_work = i == 0 && ways->count > 1 ? *patience / 2 : *patience;
        status = try_together(seeker, three, &ways->way[i], most_work, &work);
        *patience -= work;
        *tried += isfinite(ways->way[i].trial.seconds);
        if (*tried == 0)
            break;
    }
    return status;
}

/* ---- Which is taken ---- */

/* What the plans take in that way, with the limit that the first way needs if it needs one; false
 * if that is more than the memory. */
static bool fits(const sct_seeker *seeker, const sct_three *three, const sct_way *way,
                 sct_choice *choice) {
    sct_seeker freely = *seeker;
    freely.search.memory = 0;
    freely.options.slicing = way->slicing;
    freely.options.schedule = way->schedule;
    freely.options.workspace = (size_t)three->choice.workspace;
    freely.options.machine = seeker->machine;
    memcpy(freely.product.layout, three->layout, sizeof three->layout);
    sct_status status = sct_seek_try(&freely, three->stay, INFINITY, choice);
    uint64_t limit = seeker->search.memory;
    return !status && (limit == 0 || choice->memory <= limit);
}

/* Takes another way if it fits, and moves no more where that is aimed at. The seconds stay as they
 * are reckoned for all layouts alike. */
static bool take(const sct_seeker *seeker, sct_three *three, const sct_way *way) {
    sct_choice tried, *choice = &three->choice;
    bool bytes = seeker->search.aim == SCT_AIM_BYTES;
    if (!fits(seeker, three, way, &tried) || (bytes && tried.bytes > choice->bytes))
        return false;
    tried.seconds = choice->seconds;
    tried.product_seconds = choice->product_seconds;
    tried.simulated = way->trial.seconds;
    tried.alone = choice->alone;
    *choice = tried;
    return true;
}

/* Takes the best of the ways that are clearly better than the first, if there is one. */
static void take_best(const sct_seeker *seeker, sct_three *three, sct_ways *ways) {
    double share = three->choice.alone ? clearly_alone : clearly;
    double enough = share * ways->way[0].trial.seconds;
    three->choice.simulated = ways->way[0].trial.seconds;
    for (;;) {
        sct_way *best = &ways->way[0];
        for (int i = 1; i < ways->count; i++)
            best = ways->way[i].trial.seconds < best->trial.seconds ? &ways->way[i] : best;
        if (best->trial.seconds >= enough || take(seeker, three, best))
            return;
        best->trial.seconds = INFINITY;
    }
}

/* ---- Of several choices ---- */

/* How much work simulations of all ranks may be, for all choices of a search together. */
static double patience_of(const sct_seeker *seeker) {
    double times = (double)seeker->search.ranks / FEW_RANKS;
    return work_of_few * fmin(fmax(1, times), MOST_TIMES);
}

/* A choice, and its ways as some ranks alone do them. */
typedef struct sct_contender {
    sct_three *three;
    sct_ways ways;
} sct_contender;

/* The most promising first. */
static int compare(const void *one, const void *other) {
    const sct_three *x = ((const sct_contender *)one)->three;
    const sct_three *y = ((const sct_contender *)other)->three;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Seconds of what is made before and after. */
static double making(const sct_three *three) {
    return three->choice.seconds - three->choice.product_seconds;
}

/* What a choice may take in the best of its ways, by some ranks alone; and as much more as is
 * reckoned of the first way, where it is known what ranks do to each other. */
static double promise(const sct_contender *contender) {
    const sct_choice *choice = &contender->three->choice;
    double least = INFINITY, first = contender->ways.way[0].trial.seconds;
    for (int i = 0; i < contender->ways.count; i++)
        least = fmin(least, contender->ways.way[i].trial.seconds);
    return isfinite(first) ? others * least * fmax(1, choice->product_seconds / first)
                           : choice->product_seconds;
}

/* Tries the ways of a choice with all ranks, as far as there is patience, and takes the best. */
static sct_status settle(const sct_seeker *seeker, sct_contender *contender, double *patience) {
    sct_ways *alone = &contender->ways, together = *alone;
    sct_choice *choice = &contender->three->choice;
    int tried = 0;
    bool possible = isfinite(alone->way[0].trial.seconds);
    sct_status status = SCT_OK;
    choice->alone = true;
    if (possible)
        status = try_some_together(seeker, contender->three, &together, patience, &tried);
    if (status || !possible)
        return status;
    choice->alone = tried < sct_min(2, alone->count);
    take_best(seeker, contender->three, choice->alone ? alone : &together);
    if (!choice->alone)
        contender->three->score = making(contender->three) + choice->simulated;
    return SCT_OK;
}

sct_status sct_ways_choose(const sct_seeker *seeker, sct_three *list, int count) {
    double patience = patience_of(seeker);
    sct_contender contender[SCT_FINALISTS];
    int first = (int)sct_min(count, SCT_TRIED);
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++) {
        contender[i].three = &list[i];
        list_ways(seeker, &list[i], &contender[i].ways);
        status = try_all_alone(seeker, &list[i], &contender[i].ways);
        list[i].score = making(&list[i]) + promise(&contender[i]);
    }
    if (!status)
        qsort(contender, (size_t)first, sizeof *contender, compare);
    for (int i = 0; i < count && !status; i++)
        status = settle(seeker, &contender[i], &patience);
    if (!status)
        sct_three_sort(list, first, seeker->search.aim);
    return status;
}
