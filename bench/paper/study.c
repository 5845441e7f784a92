/* study.c - simulates cases, remembers them, and finds the best. */
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNIT = 1024, CHOSEN = 3, WORKS };

/* If one parameter is a fifth worse or better, nothing takes more than a quarter longer, or is more
 * than a fifth faster. What is slower than the best by more than this will then not be the best. */
static const double hopeless = 1.25;

struct entry {
    struct outcome outcome;
    enum { UNKNOWN, SILENT, MOVING } noise; /* in the first entry of its layouts */
};

struct study {
    struct subject subject;
    struct study *base;
    int ranks, factors, factor[FACTORS];
    struct entry *table;
};

void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "paper: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

static size_t place(const struct study *study, const struct trial *trial) {
    size_t at = (size_t)trial->partitioning * BATCHES + (size_t)trial->batch;
    for (int matrix = 0; matrix < MATRICES; matrix++)
        at = at * (size_t)study->factors + (size_t)trial->factor[matrix];
    return at * WORKS + (size_t)(trial->chosen ? CHOSEN : trial->stay - SCT_STAY_A);
}

struct study *study_create(const struct subject *subject, struct study *base) {
    struct study *made = calloc(1, sizeof *made);
    if (!made)
        exit(1);
    *made = (struct study){.subject = *subject, .base = base};
    made->ranks = sct_machine_ranks(subject->machine);
    for (int c = 1; c <= made->ranks; c++)
        if (made->ranks % c == 0 && made->factors < FACTORS)
            made->factor[made->factors++] = c;
    struct trial last = {.partitioning = PARTITIONINGS, .stay = SCT_STAY_A};
    if (!(made->table = calloc(place(made, &last), sizeof *made->table)))
        exit(1);
    return made;
}

void study_destroy(struct study *study) {
    if (study)
        free(study->table);
    free(study);
}

const struct subject *study_subject(const struct study *study) {
    return &study->subject;
}

int study_batch(const struct study *study, int batch) {
    bool last = batch == study->subject.batches - 1;
    return 1 << (last ? BATCHES - 1 : batch);
}

int study_ranks(const struct study *study) {
    return study->ranks;
}

int study_factors(const struct study *study) {
    return study->factors;
}

int study_factor(const struct study *study, int index) {
    return study->factor[index];
}

/* The layouts of a case. */
struct deal {
    sct_layout *layout[MATRICES];
    sct_problem problem;
    sct_options options;
};

static void deal_open(const struct study *study, const struct trial *trial, struct deal *deal) {
    static const int dims[MATRICES][2] = {{M, K}, {K, N}, {M, N}};
    bool first = study->subject.mlp == MLP_1;
    const int64_t shape[DIMS] = {[M] = (int64_t)study_batch(study, trial->batch) * UNIT,
                                 [N] = (first ? 48 : 12) * UNIT,
                                 [K] = (first ? 12 : 48) * UNIT};
    for (int i = 0; i < MATRICES; i++) {
        char text[TEXT];
        partitioning_layout(trial->partitioning, i, shape, study->ranks,
                            study->factor[trial->factor[i]], text);
        must(sct_layout_parse(text, shape[dims[i][0]], shape[dims[i][1]], study->ranks,
                              &deal->layout[i]));
    }
    deal->options = study->subject.options;
    deal->options.size = sizeof deal->options;
    deal->options.stay = trial->stay;
    deal->options.machine = study->subject.machine;
    deal->problem =
        (sct_problem){.size = sizeof deal->problem,
                      .type = SCT_F32,
                      .a = deal->layout[A],
                      .b = deal->layout[B],
                      .c = deal->layout[C],
                      .ranks = study->ranks,
                      .ranks_per_node = sct_machine_ranks_per_node(study->subject.machine)};
}

static void deal_close(struct deal *deal) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(deal->layout[i]);
}

struct outcome study_outcome(struct study *study, const struct trial *trial) {
    struct outcome *known = &study->table[place(study, trial)].outcome;
    if (known->seconds > 0)
        return *known;
    struct deal deal;
    sct_forecast forecast;
    sct_layout *work;
    deal_open(study, trial, &deal);
    must(sct_plan_decide(&deal.problem, &deal.options, &deal.options.stay, &work));
    deal.options.work = work;
    must(sct_simulate(&deal.problem, &deal.options, study->subject.machine, NULL, &forecast));
    deal_close(&deal);
    *known = (struct outcome){forecast.seconds, forecast.share_of_peak, forecast.bytes_moved,
                              work ? SCT_STAY_AUTO : deal.options.stay};
    sct_layout_destroy(work);
    return *known;
}

static void note_moves(const sct_plan *plan, int rank, bool moves[MATRICES]) {
    sct_cost cost;
    must(sct_plan_cost(plan, &cost));
    for (int64_t i = 0; i < cost.steps; i++) {
        sct_step step;
        must(sct_plan_step(plan, i, &step));
        moves[A] |= step.owner_a != rank;
        moves[B] |= step.owner_b != rank;
        moves[C] |= step.owner_c != rank;
    }
}

/* What the products of a case do, before copies of C are added up. */
static void products_move(const struct study *study, const struct trial *trial,
                          bool moves[MATRICES]) {
    struct deal deal;
    deal_open(study, trial, &deal);
    moves[A] = moves[B] = moves[C] = false;
    for (int rank = 0; rank < study->ranks; rank++) {
        sct_plan *plan;
        must(sct_plan_create(&deal.problem, rank, &deal.options, &plan));
        note_moves(plan, rank, moves);
        sct_plan_destroy(plan);
    }
    deal_close(&deal);
}

void study_moves(const struct study *study, const struct trial *trial, bool moves[MATRICES]) {
    products_move(study, trial, moves);
    moves[C] |= study->factor[trial->factor[C]] > 1;
}

/* Whether nothing moves, whichever matrix of these layouts it is that stays. */
static bool find_silence(const struct study *study, struct trial trial) {
    for (trial.stay = SCT_STAY_A; trial.stay <= SCT_STAY_C; trial.stay++) {
        bool moves[MATRICES];
        (study->subject.literal ? study_moves : products_move)(study, &trial, moves);
        if (!moves[A] && !moves[B] && !moves[C])
            return true;
    }
    return false;
}

static bool is_silent(const struct study *study, struct trial trial) {
    if (study->base)
        return is_silent(study->base, trial);
    trial.batch = 0;
    trial.stay = SCT_STAY_A;
    struct entry *entry = &study->table[place(study, &trial)];
    if (entry->noise == UNKNOWN)
        entry->noise = find_silence(study, trial) ? SILENT : MOVING;
    return entry->noise == SILENT;
}

/* Whether the study is about these factors. */
static bool admits(const struct study *study, const struct trial *trial) {
    const int *factor = trial->factor;
    if (!study->subject.tied && trial->partitioning != ALIGNED)
        return true;
    bool free_c = study->subject.mlp == MLP_2 && trial->partitioning != ALIGNED;
    return factor[A] == factor[B] && (free_c || factor[B] == factor[C]);
}

static bool is_like(const struct trial *trial, const struct trial *pattern) {
    for (int matrix = 0; matrix < MATRICES; matrix++)
        if (pattern->factor[matrix] != ANY && pattern->factor[matrix] != trial->factor[matrix])
            return false;
    return true;
}

/* Takes what is faster than the best so far; what is hopeless by the base is not looked at. */
static void compare(struct study *study, const struct trial *trial, double limit,
                    struct found *best) {
    if (study->base && study_outcome(study->base, trial).seconds > limit)
        return;
    struct outcome outcome = study_outcome(study, trial);
    if (outcome.seconds < best->outcome.seconds)
        *best = (struct found){*trial, outcome};
}

/* Of equals, that with stationary C is taken. */
static void consider(struct study *study, struct trial trial, sct_stay stay, double limit,
                     struct found *best) {
    if (trial.chosen)
        compare(study, &trial, limit, best);
    for (trial.stay = SCT_STAY_C; !trial.chosen && trial.stay >= SCT_STAY_A; trial.stay--)
        if (stay == SCT_STAY_AUTO || stay == trial.stay)
            compare(study, &trial, limit, best);
}

struct found study_best(struct study *study, const struct trial *pattern) {
    struct found best = {*pattern, {.seconds = INFINITY}};
    double limit = study->base ? hopeless * study_best(study->base, pattern).outcome.seconds : 0;
    struct trial trial = *pattern;
    int *factor = trial.factor;
    for (factor[A] = 0; factor[A] < study->factors; factor[A]++)
        for (factor[B] = 0; factor[B] < study->factors; factor[B]++)
            for (factor[C] = 0; factor[C] < study->factors; factor[C]++)
                if (is_like(&trial, pattern) && admits(study, &trial) && !is_silent(study, trial))
                    consider(study, trial, pattern->stay, limit, &best);
    return best;
}

struct found study_report(struct study *study, int partitioning, int batch) {
    struct trial pattern = {
        partitioning, study->subject.batches - 1, {ANY, ANY, ANY}, SCT_STAY_AUTO, false};
    pattern.stay = study_best(study, &pattern).trial.stay;
    pattern.batch = batch;
    return study_best(study, &pattern);
}
