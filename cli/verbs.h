/* verbs.h - the one table of verbs. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "args.h"

struct verb_entry {
    const char *name;
    int files; /* that it reads */
    enum code (*work)(const struct args *args);
    const char *usage, *summary, *details, *example; /* for help */
    int names;                                       /* that it may be given, beside files */
};

/* Indexed by enum verb. */
extern const struct verb_entry verbs[VERBS];

/* Whether a verb needs no ranks: what others would do is thought out by one process. */
bool verbs_thinks(enum verb verb);

/* The verb of that name; VERBS if there is none. */
enum verb verbs_find(const char *name);

enum code multiply_work(const struct args *args);
enum code copy_work(const struct args *args);
enum code run_work(const struct args *args);
enum code plan_work(const struct args *args);
enum code bench_work(const struct args *args);
enum code machine_work(const struct args *args);
enum code simulate_work(const struct args *args);

#endif
