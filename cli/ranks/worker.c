/* worker.c - runs work on all ranks. */
#include "ranks/worker.h"

#include "args/args.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
    worker_work *work;
    void *context;
    struct worker *workers;
};

/* Keeps the first reason. */
static void note(struct worker *worker, sct_status status) {
    if (status == SCT_OK || worker->code != CODE_DONE)
        return;
    worker->code = report_code(status);
    snprintf(worker->text, sizeof worker->text, "%s: %s", sct_status_name(status),
             sct_last_reason());
}

sct_status worker_fail(struct worker *worker, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(worker->text, sizeof worker->text, format, list);
    va_end(list);
    worker->code = CODE_FAILED;
    return SCT_FAILED;
}

static const struct worker *first_failed(int count, const struct worker *workers) {
    for (int i = 0; i < count; i++)
        if (workers[i].code != CODE_DONE)
            return &workers[i];
    return NULL;
}

/* Takes over the failure of another rank. */
static void adopt(struct worker *worker, enum code code, const char *text) {
    worker->code = code;
    snprintf(worker->text, sizeof worker->text, "%.*s", (int)sizeof worker->text - 1, text);
}

/* Each thread reads the others' codes between two barriers, so that none changes meanwhile. */
static sct_status settle_threads(struct worker *worker, sct_status status) {
    sct_status met = sct_world_barrier(worker->world);
    const struct worker *failed = first_failed(worker->group->count, worker->mates);
    if (met == SCT_OK)
        met = sct_world_barrier(worker->world);
    if (!failed || met != SCT_OK)
        return status != SCT_OK ? status : met;
    if (failed != worker)
        adopt(worker, failed->code, failed->text);
    return SCT_FAILED;
}

static sct_status settle_processes(struct worker *worker, sct_status status) {
    char text[REPORT_TEXT] = "";
    if (worker->code != CODE_DONE && !rank_group_leads(worker->group))
        snprintf(text, sizeof text, "rank %d: %s", worker->rank, worker->text);
    else
        snprintf(text, sizeof text, "%s", worker->text);
    enum code code = rank_group_meet(worker->group, worker->code, text);
    if (code == CODE_DONE)
        return SCT_OK;
    adopt(worker, code, text);
    return status != SCT_OK ? status : SCT_FAILED;
}

sct_status worker_settle(struct worker *worker, sct_status status) {
    note(worker, status);
    return worker->group->by_processes ? settle_processes(worker, status)
                                       : settle_threads(worker, status);
}

static void set_to_work(struct worker *worker, sct_world *world, const struct task *task) {
    worker->world = world;
    note(worker, task->work(worker, task->context));
}

static int enter(sct_world *world, void *context) {
    const struct task *task = context;
    struct worker *worker = &task->workers[sct_world_rank(world)];
    set_to_work(worker, world, task);
    return worker->code != CODE_DONE;
}

static enum code run_threads(const struct args *args, const struct task *task) {
    union engine_options own;
    sct_world_options options = rank_group_options(args, &own);
    sct_status status = sct_run((int)args->ranks, &options, enter, (void *)task);
    const struct worker *failed = first_failed((int)args->ranks, task->workers);
    if (failed)
        report_error("%s", failed->text);
    else if (status != SCT_OK)
        report_error("%s: %s", sct_status_name(status), sct_last_reason());
    return failed ? failed->code : report_code(status);
}

static enum code run_process(struct rank_group *group, const struct task *task) {
    struct worker *worker = &task->workers[0];
    set_to_work(worker, group->world, task);
    if (worker->code != CODE_DONE)
        report_error("%s", worker->text);
    return worker->code;
}

enum code workers_run(const struct args *args, enum code code, worker_work *work, void *context) {
    struct rank_group *group = args->group;
    struct task task = {work, context, calloc((size_t)group->count, sizeof *task.workers)};
    if (code == CODE_DONE && !task.workers) {
        report_error("no memory for %d ranks", group->ranks);
        code = CODE_FAILED;
    }
    code = rank_group_agree(group, code);
    if (code == CODE_DONE) {
        assert(task.workers);
        for (int i = 0; i < group->count; i++)
            task.workers[i] =
                (struct worker){.group = group, .rank = group->first + i, .mates = task.workers};
        code = group->by_processes ? run_process(group, &task) : run_threads(args, &task);
        code = rank_group_agree(group, code);
    }
    free(task.workers);
    return code;
}
