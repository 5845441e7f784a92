/* trials.c - see trials.h. */
#include "api/trials.h"

#include "api/world.h"
#include "base/checked.h"
#include "base/log.h"
#include "base/status.h"
#include "cost/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sct_trials_matter(const sct_options *options) {
    return options && options->size == sizeof *options && options->effort == SCT_MEASURE &&
           sct_wisdom_matters(options);
}

/* ---- Trials ---- */

static void destroy(sct_trial *trial) {
    if (!trial)
        return;
    for (int i = 0; i < trial->count; i++)
        sct_layout_destroy((sct_layout *)trial->candidate[i].work);
    sct_wisdom_entry_destroy(trial->entry);
    free(trial);
}

void sct_trials_clear(sct_trials *trials) {
    sct_wisdom_clear(&trials->wisdom);
    while (trials->first) {
        sct_trial *trial = trials->first;
        trials->first = trial->next;
        destroy(trial);
    }
}

static void add_candidate(sct_trial *trial, const sct_work_layout *work) {
    sct_trial_candidate *candidate = &trial->candidate[trial->count++];
    candidate->stay = (sct_stay)(SCT_STAY_A + work->shape - SCT_MAT_A);
    candidate->work = work->stationary ? NULL : sct_layout_hold(work->layout);
    for (int round = 0; round < SCT_TRIAL_ROUNDS; round++)
        candidate->ns[round] = INT64_MAX;
}

/* Makes a trial, which takes the entry. */
static sct_status create(const sct_rates *rates, const sct_problem *problem,
                         const sct_options *options, sct_wisdom_entry **entry, sct_trial **trial) {
    sct_work_layout work[SCT_WORK_CANDIDATES];
    struct sct_machine machine;
    sct_options own;
    int count;
    options = sct_rates_apply(rates, problem, options, &own, &machine);
    sct_trial *made = calloc(1, sizeof *made);
    sct_status status =
        made ? sct_plan_candidates(problem, options, work, &count) : sct_no_memory("a trial");
    if (status) {
        free(made);
        return status;
    }
    for (int i = 0; i < count; i++) {
        add_candidate(made, &work[i]);
        sct_layout_destroy((sct_layout *)work[i].layout);
    }
    made->entry = *entry;
    *entry = NULL;
    *trial = made;
    return SCT_OK;
}

static sct_trial *find(const sct_trials *trials, const char *key) {
    sct_trial *trial = trials->first;
    while (trial && strcmp(trial->entry->key, key) != 0)
        trial = trial->next;
    return trial;
}

static void take_out(sct_trials *trials, const sct_trial *trial) {
    sct_trial **link = &trials->first;
    while (*link != trial)
        link = &(*link)->next;
    *link = trial->next;
}

/* How many turns there are. A single candidate need not run. */
static int all_turns(const sct_trial *trial) {
    return trial->count > 1 ? trial->count * SCT_TRIAL_ROUNDS : 0;
}

/* The number of the next turn, without those of candidates that have failed. */
static int next_turn(const sct_trial *trial) {
    int turn = trial->turns;
    while (turn < all_turns(trial) && trial->candidate[turn % trial->count].failed)
        turn++;
    return turn;
}

bool sct_trials_go_on(const sct_trials *trials, const char *key) {
    const sct_trial *trial = find(trials, key);
    return trial ? next_turn(trial) < all_turns(trial) : !sct_wisdom_find(&trials->wisdom, key);
}

static bool is_observed(const sct_turn *turn) {
    return turn->trial && turn->round == SCT_TRIAL_OBSERVED;
}

sct_observer sct_turn_begin(const sct_turn *turn, int ranks_per_node) {
    if (turn->trial)
        turn->trial->running++;
    if (!is_observed(turn))
        return (sct_observer){.event = NULL};
    sct_throughput *throughput = &turn->trial->candidate[turn->candidate].throughput;
    *throughput = (sct_throughput){.ranks_per_node = ranks_per_node};
    return sct_throughput_observer(throughput);
}

/* Seconds of a plan's products on the default machine; 0: unknown. */
static double estimate(const sct_plan *plan) {
    struct sct_machine machine = sct_machine_default(plan->product.node, false);
    sct_workload work;
    return sct_workload_of_plan(plan, &machine, &work) ? 0 : work.computing;
}

void sct_turn_end(const sct_turn *turn, sct_status status, const sct_plan *plan, int64_t ns) {
    sct_trial *trial = turn->trial;
    if (!trial)
        return;
    sct_trial_candidate *candidate = &trial->candidate[turn->candidate];
    trial->running--;
    candidate->failed |= status != SCT_OK;
    if (turn->round < SCT_TRIAL_ROUNDS)
        candidate->ns[turn->round] = ns;
    if (is_observed(turn) && status == SCT_OK)
        candidate->estimated = estimate(plan);
}

bool sct_turn_fails(const sct_turn *turn, sct_status status) {
    bool lacks = status == SCT_NO_MEMORY || status == SCT_WORKSPACE || status == SCT_TOO_LARGE;
    if (!turn->trial || !lacks)
        return false;
    turn->trial->candidate[turn->candidate].failed = true;
    return true;
}

/* ---- Decisions ---- */

/* The fastest that the observed runs have shown of this rank. */
static sct_rates find_rates(const sct_fabric *fabric, const sct_trial *trial) {
    sct_rates rates = {0, 0};
    for (int i = 0; i < trial->count; i++) {
        const sct_throughput *seen = &trial->candidate[i].throughput;
        sct_rates found =
            sct_rates_find(trial->candidate[i].estimated, seen->computing, seen->bytes,
                           seen->seconds, fabric->ranks_per_node, fabric->size);
        rates.computing = sct_max(rates.computing, found.computing);
        rates.far = sct_max(rates.far, found.far);
    }
    return rates;
}

static void log_rates(int rank, const sct_rates *rates) {
    if (rates->computing > 0)
        sct_log_write(SCT_LOG_INFO, rank, "measured: ranks compute at %.3g times the rate assumed",
                      1e-3 * (double)rates->computing);
    if (rates->far > 0)
        sct_log_write(SCT_LOG_INFO, rank,
                      "measured: operands come from other nodes at %.3g times the rate assumed",
                      1e-3 * (double)rates->far);
}

/* Finds the times and the rates of the slowest rank. The greatest times are the complements of the
 * least complements; rates that are unknown come last. Collective. */
static sct_status find_slowest(sct_fabric *fabric, sct_trial *trial, sct_rates *rates) {
    enum { TIMES = SCT_WORK_CANDIDATES * SCT_TRIAL_ROUNDS, COMPUTING = TIMES, FAR, WORDS };
    uint64_t words[WORDS];
    sct_rates mine = find_rates(fabric, trial);
    for (int i = 0; i < TIMES; i++)
        words[i] = ~(uint64_t)trial->candidate[i / SCT_TRIAL_ROUNDS].ns[i % SCT_TRIAL_ROUNDS];
    words[COMPUTING] = (uint64_t)mine.computing - 1;
    words[FAR] = (uint64_t)mine.far - 1;
    sct_status status = fabric->ops->reduce(fabric, SCT_LEAST, words, WORDS);
    for (int i = 0; i < TIMES && !status; i++)
        trial->candidate[i / SCT_TRIAL_ROUNDS].ns[i % SCT_TRIAL_ROUNDS] = (int64_t)~words[i];
    *rates = (sct_rates){(int64_t)(words[COMPUTING] + 1), (int64_t)(words[FAR] + 1)};
    return status;
}

enum { NOISE = 32 }; /* less than this part of a time is within what times vary by */

/* Compares two candidates round by round, without the first round. True if one took less time, by
 * more than noise, in more than three times as many rounds as it did not. That is unlikely by
 * chance for two candidates that are equally fast. */
static bool is_faster(const sct_trial_candidate *one, const sct_trial_candidate *other) {
    int faster = 0, slower = 0;
    for (int round = 1; round < SCT_TRIAL_ROUNDS; round++) {
        int64_t ns = one->ns[round];
        bool known = ns != INT64_MAX && other->ns[round] != INT64_MAX;
        bool less = known && ns + ns / NOISE < other->ns[round];
        faster += less;
        slower += known && !less;
    }
    return faster > 3 * slower;
}

/* The fastest that has not failed; of those that are alike, the best by estimate. -1: all have
 * failed. */
static int fastest(const sct_trial *trial) {
    int best = -1;
    for (int i = 0; i < trial->count; i++)
        if (!trial->candidate[i].failed &&
            (best < 0 || is_faster(&trial->candidate[i], &trial->candidate[best])))
            best = i;
    return best;
}

static int64_t shortest(const sct_trial_candidate *candidate) {
    int64_t ns = INT64_MAX;
    for (int round = 1; round < SCT_TRIAL_ROUNDS; round++)
        ns = candidate->ns[round] < ns ? candidate->ns[round] : ns;
    return ns;
}

static void log_decision(int rank, const sct_trial *trial, int best) {
    enum { WORK = 64 };
    if (!sct_log_wants(SCT_LOG_INFO, rank))
        return;
    for (int i = 0; i < trial->count; i++) {
        const sct_trial_candidate *candidate = &trial->candidate[i];
        char work[WORK];
        if (candidate->work)
            sct_layout_print(candidate->work, work, sizeof work);
        else
            snprintf(work, sizeof work, "%s", sct_stay_name(candidate->stay));
        sct_log_write(SCT_LOG_INFO, rank, "measured: %.3g s with %s %s%s",
                      1e-9 * (double)shortest(candidate), candidate->work ? "work" : "stationary",
                      work, i == best ? ", which is kept" : "");
    }
}

/* Ends a trial, and moves what it has found to the wisdom. */
static const sct_wisdom_entry *decide(sct_world *world, sct_trial *trial, int best) {
    sct_trials *trials = &world->trials;
    sct_wisdom_entry *entry = trial->entry;
    log_decision(world->fabric->rank, trial, best);
    entry->stay = trial->candidate[best].stay;
    entry->work = trial->candidate[best].work;
    trial->candidate[best].work = NULL;
    trial->entry = NULL;
    sct_wisdom_move(&(sct_wisdom){.first = entry}, &trials->wisdom);
    sct_recent_settle(&world->recent, trial, best);
    take_out(trials, trial);
    destroy(trial);
    return entry;
}

/* ---- Calls ---- */

/* The text by which the ranks see that they are at the same turn of the same trial. */
static sct_request_text request_of(const sct_trial *trial) {
    sct_request_text request = sct_request_begin("measure");
    if (!trial)
        return request;
    sct_request_add_word(&request, "product", trial->entry->key);
    sct_request_add_number(&request, "turn", trial->turns);
    for (int i = 0; i < trial->count; i++) {
        const sct_trial_candidate *candidate = &trial->candidate[i];
        sct_request_add_word(&request, "stays", sct_stay_name(candidate->stay));
        if (candidate->work)
            sct_request_add_layout(&request, "work", candidate->work);
    }
    return request;
}

/* Finds or makes the trial of a product. Collective. A new one takes the entry. */
static sct_status find_trial(sct_world *world, const sct_problem *problem,
                             const sct_options *options, sct_wisdom_entry **entry,
                             sct_trial **trial) {
    sct_trials *trials = &world->trials;
    sct_trial *known = find(trials, (*entry)->key), *made = NULL;
    sct_status status =
        known ? SCT_OK : create(&trials->wisdom.rates, problem, options, entry, &made);
    sct_request_text request = request_of(known ? known : made);
    status = sct_world_agree(world, status, &request);
    if (status) {
        destroy(made);
        return status;
    }
    if (made) {
        made->next = trials->first;
        trials->first = made;
    }
    *trial = known ? known : made;
    return SCT_OK;
}

/* Takes the next turn. When all turns have begun, but some have not ended, it is an extra one,
 * whose time is not recorded. */
static sct_turn take_turn(sct_trial *trial) {
    int number = next_turn(trial), candidate = number % trial->count;
    trial->turns = number;
    if (number < all_turns(trial))
        trial->turns++;
    while (trial->candidate[candidate].failed)
        candidate = (candidate + 1) % trial->count;
    return (sct_turn){trial, candidate, number / trial->count};
}

static void use(sct_stay stay, const sct_layout *work, sct_options *options) {
    options->stay = stay;
    options->work = work;
}

/* Collective. If all candidates have failed, the options stay as they are. */
static sct_status choose_by_trial(sct_world *world, const sct_problem *problem,
                                  sct_wisdom_entry **entry, sct_options *options, sct_turn *turn) {
    sct_trial *trial;
    sct_status status = find_trial(world, problem, options, entry, &trial);
    if (status || fastest(trial) < 0)
        return status;
    if (next_turn(trial) < all_turns(trial) || trial->running > 0) {
        *turn = take_turn(trial);
        const sct_trial_candidate *candidate = &trial->candidate[turn->candidate];
        use(candidate->stay, candidate->work, options);
        return SCT_OK;
    }
    sct_rates rates;
    status = find_slowest(world->fabric, trial, &rates);
    if (!status) {
        log_rates(world->fabric->rank, &rates);
        sct_rates_add(&rates, &world->trials.wisdom.rates);
        const sct_wisdom_entry *found = decide(world, trial, fastest(trial));
        use(found->stay, found->work, options);
    }
    return status;
}

sct_status sct_trials_choose(sct_world *world, const sct_problem *problem, sct_options *options,
                             sct_turn *turn, bool *agreed) {
    sct_wisdom_entry *entry;
    *agreed = false;
    *turn = (sct_turn){.trial = NULL};
    sct_status status = sct_wisdom_entry_create(problem, options, &entry);
    if (status)
        return status;
    const sct_wisdom_entry *known = sct_wisdom_find(&world->trials.wisdom, entry->key);
    *agreed = !known;
    if (known)
        use(known->stay, known->work, options);
    else
        status = choose_by_trial(world, problem, &entry, options, turn);
    sct_wisdom_entry_destroy(entry);
    return status;
}
