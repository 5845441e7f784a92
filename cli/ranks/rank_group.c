/* rank_group.c - the group of ranks: threads of this process, or processes of a job. */
#include "ranks/rank_group.h"

#include "args/args.h"
#include "ranks/modules.h"
#include "values/parse_number.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds that a failed process waits for the others, which may be waiting for it elsewhere. */
static const double limit = 10;

bool rank_group_leads(const struct rank_group *group) {
    return group->process == 0;
}

bool rank_group_is_launched(const struct rank_group *group) {
    return group->mpi == &launched_engine;
}

const char *rank_group_engine(const struct args *args) {
    static const char *const names[] = {[ENGINE_THREADS] = "threads",
                                        [ENGINE_PROCESSES] = "processes",
                                        [ENGINE_MPI] = "mpi",
                                        [ENGINE_OPENCL] = "opencl",
                                        [ENGINE_CUDA] = "cuda"};
    return args->engine == ENGINE_OTHER ? args->other_engine : names[args->engine];
}

/* Ranks with devices may be either. */
bool rank_group_by_processes(const struct args *args) {
    return args->engine == ENGINE_MPI || args->engine == ENGINE_PROCESSES ||
           (!args_computes_on_host(args) && args->group->processes > 1);
}

const char *rank_group_path(const struct rank_group *group) {
    static const char *const names[] = {[SCT_PATH_AUTO] = NULL,
                                        [SCT_PATH_SERVICE] = "service",
                                        [SCT_PATH_RMA] = "rma",
                                        [SCT_PATH_SOCKETS] = "sockets",
                                        [SCT_PATH_NVSHMEM] = "nvshmem"};
    return group->world ? names[sct_world_path(group->world)] : NULL;
}

/* The limit on waiting in the environment. What cannot be read fails when the world is made. */
static double wait_limit(void) {
    const char *text = getenv("SECTILE_WAIT_SECONDS");
    int64_t seconds;
    return text && number_whole(text, 1, INT_MAX, &seconds) ? (double)seconds : -1;
}

/* Why processes have not met. The world finds out, within the same limit, which rank does not
 * respond. */
static const char *explain_absence(const struct rank_group *group) {
    if (group->wait >= 0 && group->world && sct_world_barrier(group->world) != SCT_OK)
        return sct_last_reason();
    return group->wait >= 0 ? "a process is gone, or later than SECTILE_WAIT_SECONDS allows"
           : rank_group_is_launched(group)
               ? "a process is gone, or later than SECTILE_START_SECONDS allows, so that the "
                 "others cannot meet"
               : "MPI has failed in a collective call";
}

/* Reports the failure of this process, or of the collective call if there is none, and ends all
 * processes. */
static _Noreturn void give_up(const struct rank_group *group, enum code code, const char *text) {
    report_show(text[0] != '\0' ? text : explain_absence(group));
    group->mpi->abort(code != CODE_DONE ? (int)code : CODE_FAILED);
}

enum code rank_group_meet(struct rank_group *group, enum code code, char text[REPORT_TEXT]) {
    bool is_sooner = code == CODE_DONE || (group->wait >= 0 && group->wait < limit);
    double seconds = is_sooner ? group->wait : limit;
    int lowest = 0;
    group->codes[group->process] = (int)code;
    if (!group->mpi->gather(group->codes, sizeof *group->codes, seconds))
        give_up(group, code, text);
    while (lowest < group->processes && group->codes[lowest] == CODE_DONE)
        lowest++;
    if (lowest == group->processes)
        return CODE_DONE;
    if (!group->mpi->spread(text, REPORT_TEXT, lowest, limit))
        give_up(group, code, text);
    return (enum code)group->codes[lowest];
}

/* Adds the rank to an error, unless that is rank 0 or the error begins with a rank. */
static void sign(const struct rank_group *group, char text[REPORT_TEXT]) {
    char unsigned_text[REPORT_TEXT];
    if (rank_group_leads(group) || text[0] == '\0' || strncmp(text, "rank ", 5) == 0)
        return;
    memcpy(unsigned_text, text, sizeof unsigned_text);
    snprintf(text, REPORT_TEXT, "rank %d: %.*s", group->process, REPORT_TEXT - 20, unsigned_text);
}

enum code rank_group_agree(struct rank_group *group, enum code code) {
    char text[REPORT_TEXT] = "";
    if (group->failed != CODE_DONE || !group->mpi)
        return group->failed != CODE_DONE ? group->failed : code;
    if (code != CODE_DONE) {
        report_take(text);
        sign(group, text);
    }
    group->failed = rank_group_meet(group, code, text);
    if (group->failed != CODE_DONE && rank_group_leads(group))
        report_lines(text);
    return group->failed;
}

enum code rank_group_forgive(struct rank_group *group, enum code code) {
    code = rank_group_agree(group, code);
    group->failed = CODE_DONE;
    return code;
}

enum code rank_group_gather(struct rank_group *group, enum code code, void *items, size_t bytes) {
    code = rank_group_agree(group, code);
    if (code == CODE_DONE && group->processes > 1 &&
        !group->mpi->gather(items, (int)bytes, group->wait))
        give_up(group, code, "");
    return code;
}

enum code rank_group_spread(struct rank_group *group, enum code code, void *item, size_t bytes) {
    code = rank_group_agree(group, code);
    if (code == CODE_DONE && group->processes > 1 &&
        !group->mpi->spread(item, (int)bytes, 0, group->wait))
        give_up(group, code, "");
    return code;
}

enum code rank_group_spread_text(struct rank_group *group, enum code code, char **text) {
    uint64_t bytes = *text ? strlen(*text) + 1 : 0;
    code = rank_group_spread(group, code, &bytes, sizeof bytes);
    if (code != CODE_DONE || bytes == 0 || group->processes == 1)
        return code;
    if (!*text)
        *text = malloc(bytes);
    if (!*text) {
        report_error("no memory for a file of %" PRIu64 " bytes", bytes);
        code = CODE_FAILED;
    }
    return rank_group_spread(group, code, *text, bytes);
}

void *rank_group_collect(struct rank_group *group, enum code *code, const void *own, size_t bytes) {
    char *items = calloc((size_t)group->processes, bytes);
    if (items)
        memcpy(items + (size_t)group->process * bytes, own, bytes);
    else if (*code == CODE_DONE) {
        report_error("no memory for %d ranks", group->ranks > 0 ? group->ranks : group->processes);
        *code = CODE_FAILED;
    }
    *code = rank_group_gather(group, *code, items, bytes);
    if (*code == CODE_DONE)
        return items;
    free(items);
    return NULL;
}

static enum code start_launched(struct rank_group *group) {
    enum code code = report_status(launched_start(&group->process, &group->processes));
    if (code == CODE_DONE)
        group->mpi = &launched_engine;
    return code;
}

/* Starts the module of an MPI, or of any installed one if that is NULL. */
static enum code start(struct rank_group *group, const struct launch *launch) {
    enum code code = launch->launched
                         ? start_launched(group)
                         : launch_start(launch, &group->mpi, &group->process, &group->processes);
    if (code != CODE_DONE)
        return code;
    group->codes = calloc((size_t)group->processes, sizeof *group->codes);
    if (!group->codes) {
        report_show("no memory for the ranks");
        group->mpi->abort(CODE_FAILED);
    }
    return CODE_DONE;
}

/* FNV-1a hash of all words. */
static uint64_t hash(int count, char **words) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < count; i++)
        for (const char *at = words[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
            if (*at == '\0')
                break;
        }
    return hash;
}

/* Fails unless all processes have the same command line; otherwise they would wait in different
 * places. */
static enum code compare_words(struct rank_group *group, int count, char **words) {
    uint64_t own = hash(count, words);
    enum code code = CODE_DONE;
    uint64_t *hashes = rank_group_collect(group, &code, &own, sizeof own);
    for (int i = 1; i < group->processes && code == CODE_DONE; i++)
        if (hashes[i] != hashes[0]) {
            report_error("rank %d was started with different arguments from rank 0", i);
            code = CODE_USAGE;
        }
    free(hashes);
    return code;
}

/* Handles a failure to start MPI. The other processes cannot be reached, and the first one that
 * ends ends them all. So the others wait for rank 0, which may be failing too, to report first. */
static void fail_alone(struct rank_group *group, enum code code, const struct launch *launch) {
    enum { SECONDS = 5 };
    char text[REPORT_TEXT];
    group->failed = code;
    report_take(text);
    if (launch->launcher.rank > 0)
        sleep(SECONDS);
    report_show(text);
    launch_abort(launch, code);
}

/* Starts what has been found, and becomes one of its processes. */
static enum code begin(struct rank_group *group, const struct launch *launch) {
    report_keep(true);
    enum code code = start(group, launch);
    if (code != CODE_DONE) {
        fail_alone(group, code, launch);
        return code;
    }
    if (!rank_group_leads(group) && !freopen("/dev/null", "w", stdout)) {
        report_error("/dev/null cannot be opened");
        code = CODE_FAILED;
    }
    code = rank_group_agree(group, code);
    return code == CODE_DONE ? compare_words(group, group->word_count, group->words) : code;
}

enum code rank_group_open(int count, char **words, struct rank_group *group) {
    struct launch launch;
    report_keep(true);
    enum code code = launch_find(&launch);
    *group = (struct rank_group){.processes = 1,
                                 .launcher = launch.launcher,
                                 .wait = wait_limit(),
                                 .words = words,
                                 .word_count = count,
                                 .in_doubt = launch.in_doubt,
                                 .lost = code};
    if (code == CODE_DONE && !launch.in_doubt && (launch.mpi || launch.launched))
        return begin(group, &launch);
    report_take(group->lost_text);
    report_keep(false);
    return CODE_DONE;
}

enum code rank_group_need(struct rank_group *group) {
    struct launch launch;
    report_lines(group->lost_text);
    if (group->lost != CODE_DONE || !group->in_doubt)
        return group->lost;
    group->in_doubt = false;
    enum code code = launch_find(&launch);
    return code == CODE_DONE ? begin(group, &launch) : code;
}

enum code rank_group_join(struct rank_group *group) {
    enum code code = rank_group_need(group);
    return code != CODE_DONE || group->mpi ? code : start(group, &(struct launch){.mpi = NULL});
}

/* Those of an engine with devices or in a library of its own; all begin alike. */
static void put_engine_options(const struct args *args, union engine_options *own) {
    int per_node = (int)args->per_node;
    if (args->engine == ENGINE_OPENCL)
        own->opencl = (sct_opencl_options){sizeof own->opencl, per_node, args->devices};
    else if (args->engine == ENGINE_CUDA)
        own->cuda = (sct_cuda_options){sizeof own->cuda, per_node, args->devices,
                                       (sct_math)args->math, (sct_accumulation)args->accumulation};
    else if (args->engine == ENGINE_OTHER)
        own->other = (sct_other_options){sizeof own->other, per_node, args->engine_options};
    else if (args->engine == ENGINE_THREADS)
        own->threads = (sct_threads_options){sizeof own->threads, per_node};
    else
        own->processes = (sct_processes_options){sizeof own->processes, per_node};
}

sct_world_options rank_group_options(const struct args *args, union engine_options *own) {
    put_engine_options(args, own);
    return (sct_world_options){.size = sizeof(sct_world_options),
                               .engine = rank_group_engine(args),
                               .engine_options = own,
                               .path = (sct_path)args->path};
}

static void note_world(const sct_world *world, struct args *args) {
    args->per_node = sct_world_ranks_per_node(world);
    args->gpus = sct_world_gpus(world);
}

static int ask_world(sct_world *world, void *context) {
    if (sct_world_rank(world) == 0)
        note_world(world, context);
    return 0;
}

/* Names the flag that a reason is about. */
static void report_engine(const char *reason) {
    static const struct {
        const char *option, *flag;
    } named[] = {{"devices: ", "--device: "}, {"path: ", "--path: "}};
    const char *flag = "--engine: ";
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        size_t length = strlen(named[i].option);
        if (strncmp(reason, named[i].option, length) != 0)
            continue;
        flag = named[i].flag;
        reason += length;
    }
    report_error("%s%s", flag, reason);
}

/* Which ranks are near depends on their devices. To find out, this makes a world and ends it. */
static enum code ask_devices(struct args *args) {
    union engine_options own;
    sct_world_options options = rank_group_options(args, &own);
    sct_status status = sct_run((int)args->ranks, &options, ask_world, args);
    if (status != SCT_OK)
        report_engine(sct_last_reason());
    return report_code(status);
}

enum code rank_group_start(struct rank_group *group, struct args *args) {
    group->by_processes = rank_group_by_processes(args);
    group->ranks = (int)args->ranks;
    group->count = group->ranks;
    if (!group->by_processes)
        return args->engine == ENGINE_THREADS ? CODE_DONE : ask_devices(args);
    group->first = group->process;
    group->count = 1;
    union engine_options own;
    sct_world_options options = rank_group_options(args, &own);
    sct_status status = group->mpi->create_world(&options, &group->world);
    if (status != SCT_OK)
        report_error("%s: %s", sct_status_name(status), sct_last_reason());
    enum code code = rank_group_agree(group, report_code(status));
    if (code == CODE_DONE)
        note_world(group->world, args);
    return code;
}

enum code rank_group_close(struct rank_group *group, enum code code) {
    char text[REPORT_TEXT];
    code = rank_group_agree(group, code);
    report_take(text);
    if (rank_group_leads(group))
        report_show(text);
    sct_world_destroy(group->world);
    if (group->mpi)
        group->mpi->stop();
    free(group->codes);
    free(group->wisdom);
    return code;
}
