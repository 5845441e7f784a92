/* choose.c - the layouts that are chosen, and for the best of them the slicing and the order in
 * which the simulator is done first: who waits for whom depends on those, and only there it shows.
 */
#include "plan/hunt.h"

#include "base/checked.h"
#include "base/status.h"

#include <sectile/sectile_simulate.h>

#include <math.h>
#include <string.h>

/* Steps and transfers, of all ranks and ways, that are simulated for one search. */
static const double most_events = 60000;
/* Another way than the default has to take less than this share of its time. */
static const double clearly = 0.95;
/* An exhaustive search for orders of as many steps takes no time. */
enum { FEW_STEPS = 6 };

typedef struct sct_way {
    sct_slicing slicing;
    sct_schedule schedule;
} sct_way;

/* The default first; those by tiles last. */
static const sct_way ways[] = {{SCT_SLICE_CLASS, SCT_DIRECT}, {SCT_SLICE_CLASS, SCT_GREEDY},
                               {SCT_SLICE_CLASS, SCT_COST},   {SCT_SLICE_CLASS, SCT_EXHAUSTIVE},
                               {SCT_SLICE_TILE, SCT_DIRECT},  {SCT_SLICE_TILE, SCT_GREEDY},
                               {SCT_SLICE_TILE, SCT_COST},    {SCT_SLICE_TILE, SCT_EXHAUSTIVE}};
enum { WAYS = sizeof ways / sizeof *ways };

static sct_problem problem_of(const sct_seeker *seeker, const sct_three *three) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = seeker->search.type,
                         .a = three->layout[SCT_MAT_A],
                         .b = three->layout[SCT_MAT_B],
                         .c = three->layout[SCT_MAT_C],
                         .ranks = seeker->search.ranks,
                         .ranks_per_node = seeker->search.ranks_per_node};
}

static sct_options options_of(const sct_seeker *seeker, const sct_three *three, sct_way way) {
    sct_options options = seeker->options;
    options.stay = (sct_stay)(SCT_STAY_A + three->stay);
    options.slicing = way.slicing;
    options.schedule = way.schedule;
    options.workspace = (size_t)three->choice.workspace;
    return options;
}

static sct_status simulate(const sct_seeker *seeker, const sct_three *three, sct_way way,
                           double *seconds) {
    sct_problem problem = problem_of(seeker, three);
    sct_options options = options_of(seeker, three, way);
    sct_forecast forecast;
    sct_status status = sct_simulate(&problem, &options, seeker->machine, NULL, &forecast);
    if (!status)
        *seconds = forecast.seconds;
    return status;
}

/* Whether tiles make no more steps than what ranks share, by the plan of one rank: to make more
 * costs the products, and takes long to simulate. */
static bool tiles_may_pay(const sct_seeker *seeker, const sct_three *three) {
    sct_problem problem = problem_of(seeker, three);
    sct_options options = options_of(seeker, three, (sct_way){SCT_SLICE_TILE, SCT_DIRECT});
    int64_t least;
    sct_plan *plan;
    if (sct_plan_least_steps(&problem, 0, &options, &least) || least > three->choice.steps ||
        sct_plan_create(&problem, 0, &options, &plan))
        return false;
    bool may = plan->steps <= three->choice.steps;
    sct_plan_destroy(plan);
    return may;
}

/* What the plans take in that way, with the limit that the first way needs if it needs one; false
 * if that is more than the memory. */
static bool fits(const sct_seeker *seeker, const sct_three *three, sct_way way,
                 sct_choice *choice) {
    sct_seeker freely = *seeker;
    freely.search.memory = 0;
    freely.options.slicing = way.slicing;
    freely.options.schedule = way.schedule;
    freely.options.workspace = (size_t)three->choice.workspace;
    freely.options.machine = seeker->machine;
    memcpy(freely.product.layout, three->layout, sizeof three->layout);
    sct_status status = sct_seek_try(&freely, three->stay, INFINITY, choice);
    uint64_t limit = seeker->search.memory;
    return !status && (limit == 0 || choice->memory <= limit);
}

/* Those that are worth trying beside the first: none, if slicing and order are settled. */
static int list_ways(const sct_seeker *seeker, const sct_three *three, sct_way list[WAYS]) {
    const sct_options *options = &seeker->options;
    int count = 0;
    list[count++] = (sct_way){options->slicing, options->schedule};
    if (options->slicing != SCT_SLICE_CLASS || options->schedule != SCT_DIRECT)
        return count;
    bool tiles = tiles_may_pay(seeker, three), few = three->choice.steps <= FEW_STEPS;
    for (int i = 1; i < WAYS; i++)
        if ((tiles || ways[i].slicing != SCT_SLICE_TILE) &&
            (few || ways[i].schedule != SCT_EXHAUSTIVE))
            list[count++] = ways[i];
    return count;
}

/* Whether the ranks can be simulated, and in so many ways with what is left of the events. */
static bool takes_little(const sct_seeker *seeker, const sct_choice *choice, int count,
                         double *events) {
    int64_t ranks = seeker->search.ranks;
    double more = (double)count * (double)ranks * (double)(choice->steps + choice->transfers);
    if (more > *events || (seeker->machine->ranks != 0 && seeker->machine->ranks != ranks))
        return false;
    *events -= more;
    return true;
}

/* Takes another way if it fits, and moves no more where that is aimed at. The seconds stay as they
 * are reckoned for all layouts alike. */
static bool take(const sct_seeker *seeker, sct_three *three, sct_way way, double seconds) {
    sct_choice tried, *choice = &three->choice;
    bool bytes = seeker->search.aim == SCT_AIM_BYTES;
    if (!fits(seeker, three, way, &tried) || (bytes && tried.bytes > choice->bytes))
        return false;
    tried.seconds = choice->seconds;
    tried.product_seconds = choice->product_seconds;
    tried.simulated = seconds;
    *choice = tried;
    return true;
}

/* Takes the best of the ways that are clearly better than the first, if there is one. */
static void take_best(const sct_seeker *seeker, sct_three *three, const sct_way *list,
                      double seconds[WAYS], int count) {
    for (;;) {
        int best = 0;
        for (int i = 1; i < count; i++)
            best = seconds[i] < seconds[best] ? i : best;
        if (seconds[best] >= clearly * three->choice.simulated ||
            take(seeker, three, list[best], seconds[best]))
            return;
        seconds[best] = INFINITY;
    }
}

/* An order that cannot be made is no way; that there is no memory is an error. */
static sct_status choose_way(const sct_seeker *seeker, sct_three *three, double *events) {
    sct_choice *choice = &three->choice;
    sct_way list[WAYS];
    double seconds[WAYS];
    int count = list_ways(seeker, three, list);
    if (!takes_little(seeker, choice, count, events))
        return SCT_OK;
    sct_status status = SCT_OK;
    for (int i = 0; i < count && status != SCT_NO_MEMORY; i++) {
        status = simulate(seeker, three, list[i], &seconds[i]);
        if (status)
            seconds[i] = INFINITY;
        if (status && i == 0)
            break;
    }
    if (status == SCT_NO_MEMORY || isinf(seconds[0]))
        return status == SCT_NO_MEMORY ? status : SCT_OK;
    choice->simulated = seconds[0];
    take_best(seeker, three, list, seconds, count);
    return SCT_OK;
}

sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count) {
    sct_hunt *hunt;
    int fit = 0;
    double events = most_events;
    sct_status status = sct_check_given("the place for the choices", choices);
    if (!status)
        status = sct_check_given("the place for their number", count);
    if (status)
        return status;
    *count = 0;
    if (most < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "most: %d is not at least 1", most);
    status = sct_hunt_begin(search, most, &hunt);
    if (status)
        return status;
    status = sct_hunt_find(hunt, &fit);
    int shown = (int)sct_min(fit, most);
    for (int i = 0; i < shown && !status; i++)
        status = choose_way(&hunt->seeker, &hunt->best[i], &events);
    for (int i = 0; i < shown && !status; i++) {
        const sct_three *three = &hunt->best[i];
        choices[i] = three->choice;
        choices[i].a = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_A]);
        choices[i].b = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_B]);
        choices[i].c = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_C]);
    }
    if (!status)
        *count = shown;
    sct_hunt_end(hunt);
    return status;
}

void sct_choices_clear(sct_choice *choices, int count) {
    for (int i = 0; i < count; i++) {
        sct_layout_destroy(choices[i].a);
        sct_layout_destroy(choices[i].b);
        sct_layout_destroy(choices[i].c);
        choices[i].a = choices[i].b = choices[i].c = NULL;
    }
}
