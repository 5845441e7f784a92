/* host.c - the processes of a group on one host, and their memory. */
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

/* What a process, and each of its ranks, takes beside matrices, workspace and buffers of files,
 * such as the buffers of a BLAS. */
static const int64_t beside = (int64_t)8 << 20;

/* What a process finds on its host. */
struct found {
    uint64_t id;
    int64_t memory, group; /* that it may take; that its control group allows, -1: all */
};

/* By default, an eighth of what is available is left to the files that are read and written. */
static int64_t usable(int64_t available) {
    return available - available / 8;
}

static struct found look(const struct args *args) {
    struct found found = {host_id(), args->memory, -1};
    if (args->memory > 0 || !args_computes_on_host(args)) {
        found.memory = args->memory > 0 ? args->memory : INT64_MAX;
        return found;
    }
    int64_t available = system_available_memory(args->group->count);
    found.memory = available < 0 ? INT64_MAX : usable(available);
    if (found.memory < least_memory)
        found.memory = least_memory;
    found.group = system_group_memory();
    return found;
}

static int64_t lesser(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* Lowers the limit to what a control group allows. The system kills processes that take more, so
 * that their other memory counts, too. */
static void limit_to_group(struct host *host, const struct rank_group *group, int64_t allowed) {
    int ranks = group->by_processes ? host->processes : group->count;
    int64_t taken = (host->processes + ranks) * beside, left = usable(allowed) - taken;
    if (left >= host->memory)
        return;
    host->memory = left > 1 ? left : 1;
    host->allowed = allowed;
    host->beside = taken;
}

double host_allowing(const struct host *host, double bytes) {
    return host->allowed < 0 ? bytes : (bytes + (double)host->beside) * 8 / 7;
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
    struct found own = look(args);
    struct found *all = rank_group_collect(group, &code, &own, sizeof own);
    if (code != CODE_DONE)
        return code;
    *host =
        (struct host){.id = own.id, .first = group->process, .memory = own.memory, .allowed = -1};
    for (int i = group->processes - 1; i >= 0; i--) {
        if (all[i].id != own.id)
            continue;
        host->first = i;
        host->processes++;
        host->memory = lesser(host->memory, all[i].memory);
        if (all[i].group >= 0 && (own.group < 0 || all[i].group < own.group))
            own.group = all[i].group;
    }
    if (own.group >= 0)
        limit_to_group(host, group, own.group);
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

/* ---- Peak memory ---- */

void peak_note(const struct worker *worker) {
    if (worker->rank == worker->group->first)
        worker->group->memory = system_peak_memory();
}

static struct peak sum_up(const int64_t *bytes, int count) {
    struct peak peak = {0, 0};
    for (int i = 0; i < count; i++) {
        if (bytes[i] < 0)
            return (struct peak){-1, -1};
        peak.all += bytes[i];
        if (bytes[i] > peak.most)
            peak.most = bytes[i];
    }
    return peak;
}

enum code peak_gather(struct rank_group *group, enum code code, struct peak *peak) {
    int64_t *bytes = rank_group_collect(group, &code, &group->memory, sizeof *bytes);
    if (code == CODE_DONE)
        *peak = sum_up(bytes, group->processes);
    free(bytes);
    return code;
}

void peak_json(const struct peak *peak, struct json *json) {
    json_known(json, "peak_memory", peak->all);
    json_known(json, "peak_memory_process", peak->most);
}
