/* verbs.h - the table of verbs. */
#ifndef CLI_ARGS_VERBS_H
#define CLI_ARGS_VERBS_H

#include "args/args.h"

struct verb_entry {
    const char *name;
    int files; /* .npy files that it reads */
    enum code (*work)(const struct args *args);
    const char *usage, *summary, *details, *example; /* help texts */
    int names;                                       /* names that it accepts, beside files */
};

/* Indexed by enum verb. */
extern const struct verb_entry verbs[VERBS];

/* True if the verb runs no ranks: one process plans or simulates them. */
bool verbs_without_ranks(enum verb verb, const struct args *args);

/* The verb of that name; VERBS if none. */
enum verb verbs_find(const char *name);

enum code multiply_work(const struct args *args);
enum code copy_work(const struct args *args);
enum code run_work(const struct args *args);
enum code plan_work(const struct args *args);
enum code bench_work(const struct args *args);
enum code machine_work(const struct args *args);
enum code simulate_work(const struct args *args);
enum code choose_work(const struct args *args);
enum code launch_work(const struct args *args);

#endif
