/* flag_rules.c - the rules for combinations of flags: a table of pairs, and one of other
 * conditions.
 *
 * Flags that matter to one engine alone are allowed with any, so that the same command line works
 * with and without mpiexec; except those that choose what only devices have. */
#include "args/flags.h"

#include <string.h>

static const struct pair {
    const char *flag;
    enum { NEEDS, EXCLUDES } relation;
    const char *other, *more; /* more: ends the message, with NEEDS */
} pairs[] = {
    {"-c", NEEDS, "--beta", ", its factor"},
    {"--beta", NEEDS, "-c", " FILE, the C that it scales"},
    {"--pairs", NEEDS, "--reference", ", with which the pairs are made"},
    {"-o", NEEDS, "--measure", ", whose description it saves"},
    {"--ranks", NEEDS, "--measure", ", which runs on these ranks"},
    {"--per-node", NEEDS, "--measure", ", which groups its ranks into nodes"},
    {"--path", NEEDS, "--measure", ", which uses it"},
    {"--device", NEEDS, "--measure", ", which measures it"},
    {"--engine-options", NEEDS, "--measure", ", which starts the engine"},
    {"--math", NEEDS, "--measure", ", whose products it concerns"},
    {"--accumulation", NEEDS, "--measure", ", which accumulates so"},
    {"--repeat", NEEDS, "--measure", ", which it repeats"},
    {"--size", NEEDS, "--measure", ", whose largest products have this size"},
    {"--size", NEEDS, "--group", ", whose sizes it gives"},
    {"--backward", NEEDS, "--group", ", to which it adds gradients"},
    {"--layout", NEEDS, "--group", ", whose matrices have it"},
    {"--steps", EXCLUDES, "--picture", NULL},
    {"--json", EXCLUDES, "--picture", NULL},
    {"--all", EXCLUDES, "--steps", NULL},
    {"--all", EXCLUDES, "--picture", NULL},
};

enum { PAIRS = sizeof pairs / sizeof *pairs };

/* The flags that concern a single product, and so no group of products. */
static const char *const of_one_product[] = {
    "--shape",  "--fix",       "--uses",      "--by",        "--top",        "--stay",
    "--work",   "--a",         "--b",         "--c",         "--view-a",     "--view-b",
    "--view-c", "--op",        "--alpha",     "--beta",      "--sum-c",      "--decisions",
    "--slice",  "--fetch",     "--order",     "--result",    "--start",      "--ordered",
    "--sync",   "--workspace", "--prefetch",  "--products",  "--effort",     "--wisdom",
    "--trace",  "--pairs",     "--reference", "--transfers", "--accumulates"};

static bool has(enum verb verb, const char *name) {
    struct flag flag;
    return flags_find(verb, name, strlen(name), &flag);
}

static bool given(enum verb verb, const struct args *args, const char *name) {
    struct flag flag;
    return flags_find(verb, name, strlen(name), &flag) && args->given[flag.index];
}

static bool breaks_pair(enum verb verb, const struct args *args, const struct pair *pair) {
    return given(verb, args, pair->flag) && has(verb, pair->other) &&
           given(verb, args, pair->other) == (pair->relation == EXCLUDES);
}

static enum code check_pairs(enum verb verb, const struct args *args) {
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
    for (size_t i = 0; i < sizeof of_one_product / sizeof *of_one_product; i++)
        if (given(verb, args, "--group") && given(verb, args, of_one_product[i])) {
            report_error("--group and %s exclude each other", of_one_product[i]);
            return CODE_USAGE;
        }
    return CODE_DONE;
}

static bool is_single(const struct args *args) {
    return args->type == SCT_F32 || args->type == SCT_CF32;
}

enum code flag_rules_check(enum verb verb, const struct args *args) {
    /* A flag that is given is wrong where its condition holds. */
    const struct {
        const char *flag;
        bool wrong;
        const char *reason;
    } rules[] = {
        {"--measure", args->files > 0, "and the name of a machine exclude each other"},
        {"--measure", args->ranks < 2, "needs 2 ranks or more; there is 1"},
        {"--svg", verb == VERB_RUN && args->group_text, "and --group exclude each other"},
        {"--svg", verb == VERB_CHOOSE && !args->group_text, "needs --group, which it draws"},
        {"--repeat", verb == VERB_RUN && args->reference,
         "and --reference exclude each other; --pairs says how often"},
        {"--transfers", args->schedule == SCT_DIRECT,
         "needs an --order other than direct, which has no groups of transfers"},
        {"--prefetch", args->schedule != SCT_DIRECT,
         "needs --order direct; other orders prefetch whatever there is room for"},
        /* --fetch tile implies --slice tile. */
        {"--slice", args->slicing == SCT_SLICE_CLASS && args->fetch == SCT_FETCH_TILE,
         "class and --fetch tile exclude each other"},
        {"--path", args->path == SCT_PATH_NVSHMEM && args->engine != ENGINE_CUDA,
         "nvshmem needs --engine cuda"},
        {"--device", args_computes_on_host(args),
         "needs --engine opencl or cuda; other engines compute on the host"},
        {"--math", args->engine != ENGINE_CUDA,
         "needs --engine cuda; other engines have ieee arithmetic only"},
        {"--math",
         args->math == SCT_MATH_TF32 && has(verb, "--type") && args->type != TYPE_OF_FILES &&
             !is_single(args),
         "tf32 needs --type f32 or cf32"},
        {"--accumulation", args->engine != ENGINE_CUDA,
         "needs --engine cuda; other engines have one way to accumulate"},
        {"--engine",
         args->engine == ENGINE_OTHER &&
             (verb == VERB_PLAN || verb == VERB_SIMULATE || verb == VERB_CHOOSE),
         "is one in a library of its own, of which nothing is known without ranks"},
        {"--engine-options", args->engine != ENGINE_OTHER,
         "needs an --engine in a library of its own"},
    };
    if (check_pairs(verb, args) != CODE_DONE)
        return CODE_USAGE;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong && given(verb, args, rules[i].flag)) {
            report_error("%s %s", rules[i].flag, rules[i].reason);
            return CODE_USAGE;
        }
    return CODE_DONE;
}
