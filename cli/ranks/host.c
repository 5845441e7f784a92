/* host.c - which processes of the group are on one host, and what memory they have. */
#include "ranks/host.h"

#include "args/args.h"
#include "ranks/system.h"

#include <stdlib.h>

/* Less would be refused where there is hardly any memory, and is likely to be found. */
static const int64_t least_memory = (int64_t)64 << 20;

/* FNV-1a hash of the name of this host. */
static uint64_t host_id(void) {
    char name[SYSTEM_HOST];
    uint64_t hash = 0xcbf29ce484222325u;
    system_host(name);
    for (const char *at = name; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    return hash;
}

/* By default, an eighth of what is available is left to the files that are read and written. */
static int64_t own_limit(const struct args *args) {
    int64_t available = -1;
    if (args->memory > 0)
        return args->memory;
    if (args_computes_on_host(args))
        available = system_available_memory(args->group->count);
    if (available < 0)
        return INT64_MAX;
    available -= available / 8;
    return available > least_memory ? available : least_memory;
}

enum code host_check_limits(const struct args *args) {
    int ranks = args->group->count;
    if (!args_computes_on_host(args) || system_threads_fit(ranks))
        return CODE_DONE;
    report_error("the limit on address space (ulimit -v or -d) is too low for the products of %d "
                 "rank%s; raise it, or use fewer ranks (-n)",
                 ranks, ranks == 1 ? "" : "s");
    return CODE_FAILED;
}

enum code host_find(const struct args *args, enum code code, struct host *host) {
    struct rank_group *group = args->group;
    struct host own = {.id = host_id(), .memory = own_limit(args)};
    struct host *all = rank_group_collect(group, &code, &own, sizeof own);
    if (code != CODE_DONE)
        return code;
    *host = own;
    host->first = group->process;
    for (int i = group->processes - 1; i >= 0; i--) {
        if (all[i].id != own.id)
            continue;
        host->first = i;
        host->processes++;
        host->memory = all[i].memory < host->memory ? all[i].memory : host->memory;
    }
    free(all);
    return CODE_DONE;
}

struct load {
    uint64_t id;
    int64_t memory;
    double bytes;
};

enum code host_compare(struct rank_group *group, enum code code, const struct host *host,
                       uint64_t bytes, double *share, double *sum) {
    struct load own = {host->id, host->memory, (double)bytes};
    struct load *all = rank_group_collect(group, &code, &own, sizeof own);
    if (code != CODE_DONE)
        return code;
    *share = *sum = 0;
    for (int i = 0; i < group->processes; i++) {
        double taken = 0;
        for (int j = 0; j < group->processes; j++)
            taken += all[j].id == all[i].id ? all[j].bytes : 0;
        double of_host = taken / (double)all[i].memory;
        *share = of_host > *share ? of_host : *share;
        *sum += all[i].bytes;
    }
    free(all);
    return CODE_DONE;
}
