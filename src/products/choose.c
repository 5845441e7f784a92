/* choose.c - sct_products_choose: finds layouts for all matrices of a group.
 *
 * The time of each product is a table over the candidates of its matrices, at first estimated. The
 * least sum of these is found exactly. What it consists of is then simulated, the tables are
 * corrected, and so on until the best combination has been simulated.
 *
 * A limit of memory is a price for bytes, which is raised until the best combination fits. A sum
 * with a price, less the price of the whole memory, bounds what any combination that fits takes. */
#include "products/solve.h"
#include "products/times.h"

#include "base/checked.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the search: rounds of simulation, and events of all rounds together; and of each search
 * with less memory for matrices, for which much is simulated already. Four million events take
 * about two seconds. */
enum { ROUNDS = 300, WIDENINGS = 5 };
/* By how many standard deviations a time that was not simulated may be less than expected. */
static const double usual_deviations = 1.5;
static const double most_events = 4e6, more_events = 5e5, few_events = 5e5, places_per_event = 50;
/* Of layouts that take nearly as long, the search prefers those with shorter texts. It accepts up
 * to `tie` more time for them. It charges time for each letter: for all letters together,
 * `most_plain` times the time of all products, halved until no more than `tie` is lost;
 * `usual_plain` times in every other round of simulation. */
static const double tie = 0.02, usual_plain = 0.2, most_plain = 4;
enum { LEAST_LETTERS = 3 };
/* Steps in which the price is raised, and in which it is then narrowed down. */
enum { RAISES = 40, HALVINGS = 10 };
/* Ranks that are planned for figures, and how often the memory for matrices is reduced because
 * workspace does not fit. */
enum { PLANNED = 4, REDUCTIONS = 12 };
static const double reduction = 0.94;

typedef struct sct_scope_search {
    sct_scope scope;
    int kinds;        /* of products with the same times */
    sct_times *times; /* by kind */
    int *kind_of;     /* by product */
    sct_sum sum;
    int *count;       /* by class */
    double **unary;   /* by class */
    sct_table *table; /* by product */
    double *weight;   /* by product: its share of the price */
    int *choice, *other;
    double memory; /* for matrices; 0: no limit */
    double seconds, bound, events, most_events, deviations;
    int rounds;
} sct_scope_search;

static void report(const sct_scope_search *search, const char *work, int64_t done, int64_t total) {
    const sct_observer *observer = search->scope.search.observer;
    if (observer && observer->progress)
        observer->progress(observer->context, work, done, total);
}

/* ---- Sums of times ---- */

static void choice_of(const sct_scope_search *search, int product, const int *choice,
                      int of[SCT_MATS]) {
    const sct_term *term = &search->scope.products->term[product];
    for (int i = 0; i < SCT_MATS; i++)
        of[i] = choice[search->scope.class_of[term->matrix[i]]];
}

static sct_times *times_of(const sct_scope_search *search, int product) {
    return &search->times[search->kind_of[product]];
}

static double seconds_of(const sct_scope_search *search, const int *choice) {
    double sum = 0;
    for (int i = 0; i < search->scope.products->count; i++) {
        int of[SCT_MATS];
        choice_of(search, i, choice, of);
        const sct_times *times = times_of(search, i);
        sum += times->seconds[sct_times_place(times, of)];
    }
    return sum;
}

/* The product during which most is stored, and those bytes. */
static double most_stored(const sct_scope_search *search, const int *choice) {
    double most = 0;
    for (int i = 0; i < search->scope.products->count; i++)
        most = sct_larger(most, sct_scope_stored(&search->scope, i, choice));
    return most;
}

static bool fits(const sct_scope_search *search, const int *choice) {
    return search->memory <= 0 || most_stored(search, choice) <= search->memory;
}

/* What a candidate of a class adds: the price of its bytes, in seconds for all memory, and a little
 * for its letters. */
static void set_unary(sct_scope_search *search, double price, double letters) {
    const sct_scope *scope = &search->scope;
    for (int class = 0; class < scope->classes; class ++) {
        const sct_domain *domain = sct_scope_domain(scope, class);
        double share = 0;
        for (int i = 0; i < scope->products->count && price > 0; i++)
            share += search->weight[i] * scope->live[i * scope->classes + class];
        for (int i = 0; i < domain->count; i++) {
            const sct_candidate *candidate = &domain->candidate[i];
            double more = 1 - (double)LEAST_LETTERS / candidate->letters;
            search->unary[class][i] = letters * more / scope->classes;
            if (price > 0)
                search->unary[class][i] += price * share * candidate->bytes / search->memory;
        }
    }
}

static sct_status minimise(sct_scope_search *search, double price, double letters, int *choice,
                           double *least) {
    set_unary(search, price, letters);
    return sct_sum_minimise(&search->sum, choice, least);
}

/* ---- Memory ---- */

/* Products share the price by how much more they need than there is. */
static void set_weights(sct_scope_search *search, const int *choice) {
    int count = search->scope.products->count;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double stored = sct_scope_stored(&search->scope, i, choice);
        search->weight[i] = sct_larger(0, stored - search->memory);
        sum += search->weight[i];
    }
    for (int i = 0; i < count; i++)
        search->weight[i] /= sum;
}

/* Keeps a combination that fits if it takes less time. */
static void keep(sct_scope_search *search, const int *choice) {
    double seconds = seconds_of(search, choice);
    if (!fits(search, choice) || seconds >= search->seconds)
        return;
    search->seconds = seconds;
    memcpy(search->choice, choice, (size_t)search->scope.classes * sizeof *choice);
}

/* Replaces single candidates while that helps. */
static void improve(sct_scope_search *search) {
    bool better = true;
    while (better) {
        double before = search->seconds;
        for (int class = 0; class < search->scope.classes; class ++)
            for (int i = 0; i < search->count[class]; i++) {
                memcpy(search->other, search->choice,
                       (size_t)search->scope.classes * sizeof *search->other);
                search->other[class] = i;
                keep(search, search->other);
            }
        better = search->seconds < before;
    }
}

static sct_status too_little(sct_scope_search *search) {
    double least = most_stored(search, search->other);
    return sct_fail(SCT_WORKSPACE,
                    "memory: the matrices that are there at once need about %.4g MB on a rank in "
                    "the smallest layouts that were found, and workspace; the limit is %.4g MB",
                    least / 1e6, (double)search->scope.search.memory / 1e6);
}

/* Raises the price until a combination fits, then narrows it down. */
static sct_status find_price(sct_scope_search *search, double letters) {
    double low = 0, high = search->seconds, least = 0;
    sct_status status = SCT_OK;
    set_weights(search, search->other);
    search->seconds = INFINITY;
    for (int i = 0; i < RAISES + HALVINGS && !status; i++) {
        bool found = isfinite(search->seconds);
        double price = found ? (low + high) / 2 : high;
        if (i >= RAISES && !found)
            break;
        status = minimise(search, price, letters, search->other, &least);
        if (status)
            break;
        search->bound = sct_larger(search->bound, least - price - letters);
        keep(search, search->other);
        if (fits(search, search->other))
            high = price;
        else if (found)
            low = price;
        else
            high *= 2;
        if (found && i < RAISES)
            i = (int)sct_max(i, RAISES - 1);
    }
    if (!status && !isfinite(search->seconds))
        return too_little(search);
    if (!status)
        improve(search);
    return status;
}

/* Finds the best combination by the times of now, when letters take seconds, too. */
static sct_status find(sct_scope_search *search, double letters) {
    double least = 0;
    sct_status status = minimise(search, 0, 0, search->other, &least);
    search->bound = search->seconds = least;
    if (!status && letters > 0)
        status = minimise(search, 0, letters, search->other, &least);
    if (status)
        return status;
    if (!fits(search, search->other))
        return find_price(search, letters);
    search->seconds = seconds_of(search, search->other);
    memcpy(search->choice, search->other, (size_t)search->scope.classes * sizeof *search->choice);
    return SCT_OK;
}

/* Finds the plainest combination that takes not much longer than the best one. */
static sct_status find_plain(sct_scope_search *search) {
    sct_status status = find(search, 0);
    double least = search->seconds;
    double letters = most_plain * least;
    bool tied = false;
    while (!status && !tied) {
        status = find(search, letters > tie * least / most_plain ? letters : 0);
        tied = search->seconds <= (1 + tie) * least;
        letters /= 2;
    }
    return status;
}

/* ---- Simulation ---- */

static int simulations(const sct_scope_search *search) {
    int sum = 0;
    for (int i = 0; i < search->kinds; i++)
        sum += search->times[i].simulations;
    return sum;
}

/* Corrects all estimates by what was simulated. */
static sct_status fit(sct_scope_search *search) {
    sct_status status = SCT_OK;
    for (int i = 0; i < search->kinds && !status; i++)
        status = sct_times_fit(&search->times[i], search->deviations);
    return status;
}

/* Simulates what the best combination consists of. */
static sct_status simulate(sct_scope_search *search) {
    sct_status status = SCT_OK;
    for (int i = 0; i < search->scope.products->count && !status; i++) {
        int of[SCT_MATS];
        choice_of(search, i, search->choice, of);
        status = sct_times_simulate(&search->scope, times_of(search, i), of, &search->events);
    }
    return status ? status : fit(search);
}

/* What the search of one round costs, as if it were events. */
static double round_events(const sct_scope_search *search) {
    double sum = 0;
    for (int i = 0; i < search->scope.products->count; i++)
        sum += (double)sct_times_places(times_of(search, i));
    return sum / places_per_event;
}

/* Finds and simulates until nothing new is found. Every other time it finds plainer ones. */
static sct_status find_new(sct_scope_search *search) {
    sct_status status = fit(search);
    int known = -1;
    for (int i = 0; search->rounds < ROUNDS && !status && search->events < search->most_events;
         i++) {
        report(search, "rounds of simulation", search->rounds++, ROUNDS);
        status = find(search, i % 2 == 0 ? 0 : usual_plain * search->seconds);
        if (!status)
            status = simulate(search);
        if (i % 2 == 1 && simulations(search) == known)
            break;
        known = i % 2 == 1 ? simulations(search) : known;
        search->events += round_events(search);
    }
    return status;
}

/* Estimates may be more wrong than those that were compared: while little has been simulated, some
 * are allowed more error. */
static sct_status find_unlikely(sct_scope_search *search) {
    double enough = search->events + few_events, usual = search->deviations;
    sct_status status = SCT_OK;
    for (int i = 0; i < WIDENINGS && !status && search->events < enough; i++) {
        search->deviations *= 2;
        search->most_events = sct_smaller(search->most_events, enough);
        status = find_new(search);
    }
    search->deviations = usual;
    return status;
}

/* Finds the best combination until all of it is simulated, or that would take too long; then the
 * best, or a plainer one, of those that were simulated. */
static sct_status find_simulated(sct_scope_search *search) {
    search->rounds = 0;
    search->deviations = usual_deviations;
    sct_status status = find_new(search);
    if (!status)
        status = find_unlikely(search);
    report(search, "rounds of simulation", ROUNDS, ROUNDS);
    if (!status)
        status = fit(search);
    if (!status)
        status = find(search, 0);
    double bound = search->bound;
    for (int i = 0; i < search->kinds && !status; i++)
        sct_times_settle(&search->times[i]);
    if (!status)
        status = find_plain(search);
    search->bound = sct_smaller(bound, search->seconds);
    return status;
}

/* ---- Figures ---- */

/* Plans a few ranks of a product. */
static sct_status plan_product(const sct_problem *problem, const sct_options *options,
                               sct_products_work *work) {
    int ranks = problem->ranks;
    for (int i = 0; i < PLANNED && i < ranks; i++) {
        sct_plan *plan;
        sct_cost cost;
        int rank = (int)sct_share(ranks, (int)sct_min(PLANNED, ranks), i);
        sct_status status = sct_plan_create(problem, rank, options, &plan);
        if (status)
            return status;
        sct_plan_cost(plan, &cost);
        sct_plan_destroy(plan);
        uint64_t bytes = cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated;
        work->bytes = bytes > work->bytes ? bytes : work->bytes;
        work->workspace = cost.workspace > work->workspace ? cost.workspace : work->workspace;
    }
    return SCT_OK;
}

/* Tells how a product is done, within the memory that the matrices leave. */
static sct_status describe(const sct_scope_search *search, int product, sct_products_work *work) {
    const sct_scope *scope = &search->scope;
    const sct_times *times = times_of(search, product);
    int of[SCT_MATS];
    choice_of(search, product, search->choice, of);
    sct_simulated found = *sct_times_simulated(times, sct_times_place(times, of));
    double left = (double)scope->search.memory - sct_scope_stored(scope, product, search->choice);
    size_t limit = scope->search.memory > 0 ? (size_t)sct_larger(1, left) : 0;
    int waits = sct_times_waits(times, of);
    sct_status status = SCT_OK;
    if (limit > 0)
        status = sct_times_limit(scope, times, of, limit, &found);
    if (status)
        return status;
    *work =
        (sct_products_work){.stay = found.stay,
                            .seconds = found.seconds,
                            .alone = found.alone,
                            .limit = limit,
                            .waits = waits < 0 ? -1 : scope->products->term[product].matrix[waits]};
    if (found.work)
        work->layout = (sct_layout *)sct_layout_hold(found.work);
    const sct_problem problem = sct_times_problem(scope, times, of);
    const sct_options options = {.size = sizeof options,
                                 .stay = found.stay,
                                 .work = found.work,
                                 .workspace = limit > 0 ? limit : SCT_NO_LIMIT,
                                 .machine = scope->machine};
    return plan_product(&problem, &options, work);
}

static sct_status fill(const sct_scope_search *search, sct_products_choice *choice) {
    const sct_scope *scope = &search->scope;
    const sct_products *products = scope->products;
    *choice = (sct_products_choice){.combinations = 1, .simulations = simulations(search)};
    choice->layout = calloc((size_t)products->matrices, sizeof(sct_layout *));
    choice->work = calloc((size_t)products->count, sizeof *choice->work);
    sct_status status = choice->layout && choice->work ? SCT_OK : sct_no_memory("a choice");
    for (int i = 0; i < scope->classes; i++)
        choice->combinations *= search->count[i];
    for (; choice->matrices < products->matrices && !status; choice->matrices++) {
        int class = scope->class_of[choice->matrices];
        const sct_domain *domain = sct_scope_domain(scope, class);
        choice->layout[choice->matrices] =
            (sct_layout *)sct_layout_hold(domain->candidate[search->choice[class]].layout);
    }
    for (int i = 0; i < products->count && !status; i++) {
        status = describe(search, i, &choice->work[i]);
        choice->products++;
        choice->seconds += choice->work[i].seconds;
        double stored = sct_scope_stored(scope, i, search->choice);
        uint64_t all = (uint64_t)stored + choice->work[i].workspace;
        choice->memory = all > choice->memory ? all : choice->memory;
    }
    /* With a limit of workspace, plans may take a little less than without, or more. */
    choice->bound = sct_smaller(search->bound, choice->seconds);
    if (status)
        sct_products_choice_clear(choice);
    return status;
}

void sct_products_choice_clear(sct_products_choice *choice) {
    for (int i = 0; i < choice->matrices; i++)
        sct_layout_destroy(choice->layout[i]);
    for (int i = 0; i < choice->products; i++)
        sct_layout_destroy(choice->work[i].layout);
    free(choice->layout);
    free(choice->work);
    *choice = (sct_products_choice){.matrices = 0};
}

/* ---- The search ---- */

static sct_status list_times(sct_scope_search *search) {
    const sct_scope *scope = &search->scope;
    sct_status status = SCT_OK;
    for (int i = 0; i < scope->products->count && !status; i++) {
        int kind = 0;
        while (kind < search->kinds && !sct_times_are_of(&search->times[kind], scope, i))
            kind++;
        search->kind_of[i] = kind;
        if (kind == search->kinds)
            status = sct_times_create(scope, i, &search->times[search->kinds++]);
        report(search, "products estimated", i + 1, scope->products->count);
    }
    for (int i = 0; i < scope->products->count && !status; i++) {
        const int *matrix = scope->products->term[i].matrix;
        search->table[i] = (sct_table){.value = times_of(search, i)->seconds};
        for (int j = 0; j < SCT_MATS; j++)
            search->table[i].var[j] = scope->class_of[matrix[j]];
    }
    return status;
}

static sct_status allocate(sct_scope_search *search) {
    size_t classes = (size_t)search->scope.classes;
    size_t products = (size_t)search->scope.products->count;
    search->times = calloc(products, sizeof *search->times);
    search->kind_of = calloc(products, sizeof *search->kind_of);
    search->table = calloc(products, sizeof *search->table);
    search->weight = calloc(products, sizeof *search->weight);
    search->count = calloc(classes, sizeof *search->count);
    search->unary = calloc(classes, sizeof *search->unary);
    search->choice = calloc(2 * classes, sizeof *search->choice);
    bool done = search->times && search->kind_of && search->table && search->weight &&
                search->count && search->unary && search->choice;
    for (size_t i = 0; i < classes && done; i++) {
        search->count[i] = sct_scope_domain(&search->scope, (int)i)->count;
        search->unary[i] = calloc((size_t)search->count[i], sizeof **search->unary);
        done = search->unary[i] != NULL;
    }
    if (!done)
        return sct_no_memory("the search of a group");
    search->other = search->choice + classes;
    search->sum = (sct_sum){.vars = (int)classes,
                            .tables = (int)products,
                            .count = search->count,
                            .unary = search->unary,
                            .table = search->table};
    return SCT_OK;
}

static void clear(sct_scope_search *search) {
    for (int i = 0; i < search->kinds; i++)
        sct_times_clear(&search->times[i]);
    for (int i = 0; search->unary && i < search->scope.classes; i++)
        free(search->unary[i]);
    free(search->times);
    free(search->kind_of);
    free(search->table);
    free(search->weight);
    free(search->count);
    free(search->unary);
    free(search->choice);
    sct_scope_clear(&search->scope);
}

/* Searches with ever less memory for the matrices, until their workspace fits as well. */
static sct_status search_all(sct_scope_search *search, sct_products_choice *choice) {
    sct_status status = allocate(search);
    if (!status)
        status = list_times(search);
    search->memory = (double)search->scope.search.memory;
    for (int i = 0; i < REDUCTIONS && !status; i++) {
        search->most_events = search->events + (i == 0 ? most_events : more_events);
        status = find_simulated(search);
        if (status)
            break;
        status = fill(search, choice);
        if (status != SCT_WORKSPACE || i == REDUCTIONS - 1)
            break;
        search->memory *= reduction;
        status = SCT_OK;
    }
    return status;
}

sct_status sct_search_check(const sct_products *products, const sct_products_search *search,
                            const sct_products_choice *choice) {
    sct_status status = sct_check_given("products", products);
    if (!status)
        status = sct_check_given("search", search);
    if (!status)
        status = sct_check_output("choice", choice);
    return status ? status : sct_check_size("search", search->size, sizeof *search, sizeof *search);
}

sct_status sct_products_choose(const sct_products *products, const sct_products_search *search,
                               sct_products_choice *choice) {
    sct_scope_search made = {.kinds = 0};
    sct_products_choice found = {.seconds = 0};
    sct_status status = sct_search_check(products, search, choice);
    if (!status)
        status = sct_scope_create(products, search, &made.scope);
    if (!status)
        status = search_all(&made, &found);
    if (!status)
        *choice = found;
    clear(&made);
    return status;
}
