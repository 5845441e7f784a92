/* rank_group.c - the ranks that work together: threads of this process, or processes of an MPI. */
#include "ranks/rank_group.h"

#include "args/args.h"
#include "ranks/mpi_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So long, in seconds, who has failed waits for the others. They may wait elsewhere for it. */
static const double patience = 10;

bool team_leads(const struct team *team) {
    return team->process == 0;
}

const char *team_engine(const struct team *team) {
    return team->by_processes ? "mpi" : "threads";
}

const char *team_path(const struct team *team) {
    static const char *const names[] = {[SCT_PATH_AUTO] = NULL,
                                        [SCT_PATH_SERVICE] = "service",
                                        [SCT_PATH_RMA] = "rma",
                                        [SCT_PATH_SOCKETS] = "sockets"};
    return team->world ? names[sct_world_path(team->world)] : NULL;
}

/* Says what is wrong here, or that MPI itself is, and ends all. */
static _Noreturn void give_up(const struct team *team, enum code code, const char *text) {
    report_show(text[0] != '\0' ? text : "MPI has failed where the ranks meet");
    team->mpi->abort(code != CODE_DONE ? (int)code : CODE_FAILED);
}

enum code team_meet(struct team *team, enum code code, char text[REPORT_TEXT]) {
    double seconds = code == CODE_DONE ? -1 : patience;
    int lowest = 0;
    team->codes[team->process] = (int)code;
    if (!team->mpi->gather(team->codes, sizeof *team->codes, seconds))
        give_up(team, code, text);
    while (lowest < team->processes && team->codes[lowest] == CODE_DONE)
        lowest++;
    if (lowest == team->processes)
        return CODE_DONE;
    if (!team->mpi->spread(text, REPORT_TEXT, lowest, patience))
        give_up(team, code, text);
    return (enum code)team->codes[lowest];
}

/* Of ranks other than 0 it is said which, unless they say it themselves. */
static void sign(const struct team *team, char text[REPORT_TEXT]) {
    char unsigned_text[REPORT_TEXT];
    if (team_leads(team) || text[0] == '\0' || strncmp(text, "rank ", 5) == 0)
        return;
    memcpy(unsigned_text, text, sizeof unsigned_text);
    snprintf(text, REPORT_TEXT, "rank %d: %.*s", team->process, REPORT_TEXT - 20, unsigned_text);
}

enum code team_agree(struct team *team, enum code code) {
    char text[REPORT_TEXT] = "";
    if (team->failed != CODE_DONE || !team->mpi)
        return team->failed != CODE_DONE ? team->failed : code;
    if (code != CODE_DONE) {
        report_take(text);
        sign(team, text);
    }
    team->failed = team_meet(team, code, text);
    if (team->failed != CODE_DONE && team_leads(team))
        report_lines(text);
    return team->failed;
}

enum code team_forgive(struct team *team, enum code code) {
    code = team_agree(team, code);
    team->failed = CODE_DONE;
    return code;
}

enum code team_gather(struct team *team, enum code code, void *items, size_t bytes) {
    code = team_agree(team, code);
    if (code == CODE_DONE && team->processes > 1 && !team->mpi->gather(items, (int)bytes, -1))
        give_up(team, code, "");
    return code;
}

enum code team_spread(struct team *team, enum code code, void *item, size_t bytes) {
    code = team_agree(team, code);
    if (code == CODE_DONE && team->processes > 1 && !team->mpi->spread(item, (int)bytes, 0, -1))
        give_up(team, code, "");
    return code;
}

static enum code start(struct team *team, const char *mpi) {
    const struct engine *engine;
    int process, processes;
    enum code code = launch_start(mpi, &engine, &process, &processes);
    if (code != CODE_DONE)
        return code;
    team->codes = calloc((size_t)processes, sizeof *team->codes);
    if (!team->codes) {
        report_show("no memory for the ranks");
        engine->abort(CODE_FAILED);
    }
    team->mpi = engine;
    team->process = process;
    team->processes = processes;
    return CODE_DONE;
}

/* A hash (FNV-1a) of all words. */
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

/* Else they would wait for each other in different places. */
static enum code compare_words(struct team *team, int count, char **words) {
    uint64_t *hashes = calloc((size_t)team->processes, sizeof *hashes);
    enum code code = CODE_FAILED;
    if (hashes) {
        hashes[team->process] = hash(count, words);
        code = CODE_DONE;
    } else {
        report_error("no memory for %d ranks", team->processes);
    }
    code = team_gather(team, code, hashes, sizeof *hashes);
    for (int i = 1; i < team->processes && code == CODE_DONE; i++)
        if (hashes[i] != hashes[0]) {
            report_error("rank %d was started with other arguments than rank 0", i);
            code = CODE_USAGE;
        }
    free(hashes);
    return code;
}

/* Without MPI nobody can be told. The first process that fails ends the others: rank 0, if it is
 * one of them, is given the time to say why, and mpiexec to end the others. */
static void fail_alone(struct team *team, enum code code, const struct launch *launch) {
    enum { SECONDS = 5 };
    char text[REPORT_TEXT];
    team->failed = code;
    report_take(text);
    if (launch->rank > 0)
        sleep(SECONDS);
    report_show(text);
    launch_abort(launch, code);
}

enum code team_open(int count, char **words, struct team *team) {
    struct launch launch = launch_find();
    *team = (struct team){.processes = 1};
    if (!launch.mpi)
        return CODE_DONE;
    report_keep(true);
    enum code code = start(team, launch.mpi);
    if (code != CODE_DONE) {
        fail_alone(team, code, &launch);
        return code;
    }
    if (!team_leads(team) && !freopen("/dev/null", "w", stdout)) {
        report_error("/dev/null cannot be opened");
        code = CODE_FAILED;
    }
    code = team_agree(team, code);
    return code == CODE_DONE ? compare_words(team, count, words) : code;
}

enum code team_join(struct team *team) {
    return team->mpi ? CODE_DONE : start(team, NULL);
}

sct_world_options team_options(const struct args *args) {
    return (sct_world_options){.size = sizeof(sct_world_options),
                               .ranks_per_node = (int)args->nodes,
                               .seed = (uint64_t)args->seed,
                               .delay_us = (int)args->delay,
                               .deferred = args->deferred,
                               .path = (sct_path)args->path};
}

enum code team_start(struct team *team, struct args *args) {
    team->by_processes = args->engine == ENGINE_MPI;
    team->ranks = (int)args->ranks;
    team->count = team->ranks;
    if (!team->by_processes)
        return CODE_DONE;
    team->first = team->process;
    team->count = 1;
    sct_world_options options = team_options(args);
    sct_status status = team->mpi->create_world(&options, &team->world);
    if (status != SCT_OK)
        report_error("%s: %s", sct_status_name(status), sct_last_reason());
    enum code code = team_agree(team, report_code(status));
    if (code == CODE_DONE)
        args->nodes = sct_world_ranks_per_node(team->world);
    return code;
}

enum code team_close(struct team *team, enum code code) {
    char text[REPORT_TEXT];
    code = team_agree(team, code);
    report_take(text);
    if (team_leads(team))
        report_show(text);
    sct_world_destroy(team->world);
    if (team->mpi)
        team->mpi->stop();
    free(team->codes);
    return code;
}
