/* flag_rules.c - the rules for combinations of flags: a table of pairs, and one of other
 * conditions. Flags of one engine are accepted with any, so that the same command line works under
 * mpiexec. */
#include "args/flag_rules.h"

#include "args/flags.h"

#include <string.h>

/* Pairs of flags. */
static const struct pair {
    const char *flag;
    enum { NEEDS, EXCLUDES } relation;
    const char *other, *more; /* more: the value that is needed */
} pairs[] = {
    {"-c", NEEDS, "--beta", ", its factor"},
    {"--beta", NEEDS, "-c", " FILE, the C that it scales"},
    {"--pairs", NEEDS, "--reference", ", with which the pairs are made"},
    {"-o", NEEDS, "--measure", ", which is what is written there"},
    {"--ranks", NEEDS, "--measure", ", whose ranks they are"},
    {"--nodes", NEEDS, "--measure", ", whose ranks they have"},
    {"--path", NEEDS, "--measure", ", which takes it"},
    {"--repeat", NEEDS, "--measure", ", which is what is repeated"},
    {"--steps", EXCLUDES, "--picture", NULL},
    {"--json", EXCLUDES, "--picture", NULL},
    {"--all", EXCLUDES, "--steps", NULL},
    {"--all", EXCLUDES, "--picture", NULL},
};

static bool names_machine(const struct args *args) {
    return args->files > 0;
}

static bool is_alone(const struct args *args) {
    return args->ranks < 2;
}

static bool is_compared(const struct args *args) {
    return args->reference;
}

static bool is_direct(const struct args *args) {
    return args->schedule == SCT_DIRECT;
}

static bool is_not_direct(const struct args *args) {
    return !is_direct(args);
}

/* Whole tiles imply --slice tile. */
static bool cuts_tiles(const struct args *args) {
    return args->slicing == SCT_SLICE_CLASS && args->fetch == SCT_FETCH_TILE;
}

static bool delays_nothing(const struct args *args) {
    return args->nodes == 0 && !args->deferred;
}

/* A given flag is wrong where the condition holds. */
static const struct rule {
    const char *flag;
    bool (*wrong)(const struct args *args);
    const char *reason;
    unsigned verbs; /* set of verbs, as bits 1 << verb; 0: all with the flag */
} rules[] = {
    {"--measure", names_machine, "and the name of a machine exclude each other", 0},
    {"--measure", is_alone, "needs 2 ranks or more; 1 is there", 0},
    {"--repeat", is_compared, "and --reference exclude each other; --pairs says how often",
     1 << VERB_RUN},
    {"--transfers", is_direct, "needs an --order other than direct, which has no such groups", 0},
    {"--prefetch", is_not_direct, "needs --order direct: others fetch what there is room for", 0},
    {"--slice", cuts_tiles, "class and --fetch tile exclude each other", 0},
    {"--delay", delays_nothing, "needs --nodes or --deferred: nothing else waits", 0},
};

enum { PAIRS = sizeof pairs / sizeof *pairs, RULES = sizeof rules / sizeof *rules };

static const struct flag *find(enum verb verb, const char *name) {
    return flags_find(verb, name, strlen(name));
}

static bool given(enum verb verb, const struct args *args, const char *name) {
    const struct flag *flag = find(verb, name);
    return flag && args->given[flag - flags];
}

static bool breaks_pair(enum verb verb, const struct args *args, const struct pair *pair) {
    return given(verb, args, pair->flag) && find(verb, pair->other) &&
           given(verb, args, pair->other) == (pair->relation == EXCLUDES);
}

static bool breaks_rule(enum verb verb, const struct args *args, const struct rule *rule) {
    bool asked = rule->verbs == 0 || (rule->verbs & 1u << verb);
    return asked && given(verb, args, rule->flag) && rule->wrong(args);
}

enum code flag_rules_check(enum verb verb, const struct args *args) {
    for (int i = 0; i < PAIRS; i++) {
        const struct pair *pair = &pairs[i];
        if (!breaks_pair(verb, args, pair))
            continue;
        if (pair->relation == NEEDS)
            report_error("%s needs %s%s", pair->flag, pair->other, pair->more);
        else
            report_error("%s and %s exclude each other", pair->flag, pair->other);
        return CODE_USAGE;
    }
    for (int i = 0; i < RULES; i++)
        if (breaks_rule(verb, args, &rules[i])) {
            report_error("%s %s", rules[i].flag, rules[i].reason);
            return CODE_USAGE;
        }
    return CODE_DONE;
}
