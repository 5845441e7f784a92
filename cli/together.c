/* together.c - which flags go together: one table. */
#include "together.h"

#include "flags.h"

#include <string.h>

static bool no_beta(const struct args *args) {
    return !args->beta.given;
}

static bool no_addend(const struct args *args) {
    return !args->addend;
}

static bool shows_steps(const struct args *args) {
    return args->steps;
}

static bool draws_text(const struct args *args) {
    return args->picture;
}

static bool not_measured(const struct args *args) {
    return !args->measure;
}

static bool named(const struct args *args) {
    return args->files > 0;
}

static bool lonely(const struct args *args) {
    return args->ranks < 2;
}

static bool compares(const struct args *args) {
    return args->reference;
}

static bool no_reference(const struct args *args) {
    return !args->reference;
}

static bool direct(const struct args *args) {
    return args->schedule == SCT_DIRECT;
}

static bool not_direct(const struct args *args) {
    return !direct(args);
}

/* As --fetch implies --slice tile. */
static bool classes_of_tiles(const struct args *args) {
    return args->slicing == SCT_SLICE_CLASS && args->fetch == SCT_FETCH_TILE;
}

static bool threads(const struct args *args) {
    return args->engine == ENGINE_THREADS;
}

/* Between pretended nodes threads alone hold anything back. */
static bool nothing_delayed(const struct args *args) {
    return !args->deferred && (args->nodes == 0 || !threads(args));
}

static const char measures[] = "needs --measure, which it is for";

/* A flag that was given is wrong if the rest is so, for that reason. */
static const struct rule {
    const char *flag;
    bool (*wrong)(const struct args *args);
    const char *reason;
    unsigned verbs; /* bits 1 << verb; 0: all that have the flag */
} rules[] = {
    {"-c", no_beta, "needs --beta, its factor", 0},
    {"--beta", no_addend, "needs -c FILE, the C that it scales", 1 << VERB_MULTIPLY},
    {"--steps", draws_text, "and --picture exclude each other", 0},
    {"--json", draws_text, "and --picture exclude each other", 0},
    {"--all", shows_steps, "and --steps exclude each other", 0},
    {"--all", draws_text, "and --picture exclude each other", 0},
    {"--measure", named, "and the name of a machine exclude each other", 0},
    {"--measure", lonely, "needs 2 ranks or more; 1 is there", 0},
    {"-o", not_measured, measures, 1 << VERB_MACHINE},
    {"--ranks", not_measured, measures, 1 << VERB_MACHINE},
    {"--nodes", not_measured, measures, 1 << VERB_MACHINE},
    {"--path", not_measured, measures, 1 << VERB_MACHINE},
    {"--pairs", no_reference, "needs --reference, with which the pairs are made", 0},
    {"--repeat", compares, "and --reference exclude each other; --pairs says how often",
     1 << VERB_RUN},
    {"--transfers", direct, "needs an --order other than direct, which has no such groups", 0},
    {"--prefetch", not_direct, "needs --order direct: others fetch ahead what there is room for",
     0},
    {"--slice", classes_of_tiles, "class and --fetch tile exclude each other", 0},
    {"--path", threads, "needs --engine mpi, or mpiexec", 0},
    {"--delay", nothing_delayed, "needs --deferred or, of threads, --nodes: else nothing waits", 0},
};

static bool given(enum verb verb, const struct args *args, const char *name) {
    const struct flag *flag = flags_find(verb, name, strlen(name));
    return flag && args->given[flag - flags];
}

enum code together_check(enum verb verb, const struct args *args) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *rule = &rules[i];
        bool asked = rule->verbs == 0 || (rule->verbs & 1u << verb);
        if (asked && given(verb, args, rule->flag) && rule->wrong(args)) {
            report_error("%s %s", rule->flag, rule->reason);
            return CODE_USAGE;
        }
    }
    return CODE_DONE;
}
