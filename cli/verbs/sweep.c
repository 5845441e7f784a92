/* sweep.c - the combinations of layouts and replication in a sweep. */
#include "verbs/sweep.h"

#include "values/element.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More would take months. */
enum { MOST = 1000000 };

/* How often the sample has each layout and replication factor, by matrix. */
struct usage {
    int64_t layout[MATRICES][LIST_ITEMS], replicas[MATRICES][LIST_ITEMS];
};

static int64_t count_all(const struct args *args) {
    int64_t choices = (int64_t)args->layouts.count * args->replicas.count;
    return choices * choices * choices;
}

/* The combination with this number, from 0 to count_all - 1. */
static struct combination combination_of(const struct args *args, int64_t number) {
    struct combination combination;
    for (int i = MATRICES - 1; i >= 0; i--) {
        combination.replicas[i] = (int)(number % args->replicas.count);
        number /= args->replicas.count;
        combination.layout[i] = (int)(number % args->layouts.count);
        number /= args->layouts.count;
    }
    return combination;
}

static int64_t used(const struct usage *usage, const struct combination *combination) {
    int64_t all = 0;
    for (int i = 0; i < MATRICES; i++)
        all +=
            usage->layout[i][combination->layout[i]] + usage->replicas[i][combination->replicas[i]];
    return all;
}

/* Chooses the remaining combination whose parts were used least; at random among equals. */
static int64_t choose(const struct args *args, const struct usage *usage, const bool *taken) {
    const struct source source = {.seed = (uint64_t)args->seed};
    int64_t best = -1, best_used = 0, best_draw = 0;
    for (int64_t number = 0; number < count_all(args); number++) {
        struct combination combination = combination_of(args, number);
        int64_t uses = used(usage, &combination);
        int64_t draw = source_draw(&source, MATRICES, number, INT64_MAX);
        if (taken[number] ||
            (best >= 0 && (uses > best_used || (uses == best_used && draw >= best_draw))))
            continue;
        best = number;
        best_used = uses;
        best_draw = draw;
    }
    return best;
}

static void sample(const struct args *args, bool *taken, struct sweep *sweep) {
    struct usage usage = {.layout = {{0}}};
    for (int64_t at = 0; at < sweep->count; at++) {
        int64_t number = choose(args, &usage, taken);
        struct combination combination = combination_of(args, number);
        taken[number] = true;
        for (int i = 0; i < MATRICES; i++) {
            usage.layout[i][combination.layout[i]]++;
            usage.replicas[i][combination.replicas[i]]++;
        }
        sweep->combinations[at] = combination;
    }
}

enum code sweep_create(const struct args *args, struct sweep *sweep) {
    int64_t all = count_all(args);
    if (all > MOST) {
        report_error("--layouts and --replicas make %" PRId64 " combinations; allowed: %d", all,
                     MOST);
        return CODE_USAGE;
    }
    *sweep = (struct sweep){.count = args->sample > 0 && args->sample < all ? args->sample : all};
    sweep->combinations = calloc((size_t)sweep->count, sizeof *sweep->combinations);
    bool *taken = calloc((size_t)all, sizeof *taken);
    bool made = sweep->combinations && taken;
    if (made && sweep->count < all)
        sample(args, taken, sweep);
    else if (made)
        for (int64_t number = 0; number < all; number++)
            sweep->combinations[number] = combination_of(args, number);
    free(taken);
    if (made)
        return CODE_DONE;
    sweep_destroy(sweep);
    report_error("no memory for %" PRId64 " combinations", all);
    return CODE_FAILED;
}

void sweep_destroy(struct sweep *sweep) {
    free(sweep->combinations);
}

void sweep_text(const struct args *args, const struct combination *combination, int matrix,
                char text[SWEEP_TEXT]) {
    const char *layout = args->layouts.item[combination->layout[matrix]].word;
    int64_t replicas = args->replicas.item[combination->replicas[matrix]].number;
    int base = (int)strcspn(layout, "%/");
    if (replicas == 1)
        snprintf(text, SWEEP_TEXT, "%s", layout);
    else
        snprintf(text, SWEEP_TEXT, "%.*s*%" PRId64 "%s", base, layout, replicas, layout + base);
}
