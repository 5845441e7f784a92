/* worker.c - a rank at work. */
#include "ranks/worker.h"

#include "args/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
    member_work *work;
    void *context;
    struct member *members;
};

/* The first reason counts. */
static void note(struct member *member, sct_status status) {
    if (status == SCT_OK || member->code != CODE_DONE)
        return;
    member->code = report_code(status);
    snprintf(member->text, sizeof member->text, "%s: %s", sct_status_name(status),
             sct_last_reason());
}

sct_status member_fail(struct member *member, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(member->text, sizeof member->text, format, list);
    va_end(list);
    member->code = CODE_FAILED;
    return SCT_FAILED;
}

static const struct member *first_failed(int count, const struct member *members) {
    for (int i = 0; i < count; i++)
        if (members[i].code != CODE_DONE)
            return &members[i];
    return NULL;
}

static void adopt(struct member *member, enum code code, const char *text) {
    member->code = code;
    snprintf(member->text, sizeof member->text, "%.*s", (int)sizeof member->text - 1, text);
}

/* Each looks at the others while all stand still. */
static sct_status settle_threads(struct member *member, sct_status status) {
    sct_status met = sct_world_barrier(member->world);
    const struct member *failed = first_failed(member->team->count, member->mates);
    if (met == SCT_OK)
        met = sct_world_barrier(member->world);
    if (!failed || met != SCT_OK)
        return status != SCT_OK ? status : met;
    if (failed != member)
        adopt(member, failed->code, failed->text);
    return SCT_FAILED;
}

static sct_status settle_processes(struct member *member, sct_status status) {
    char text[REPORT_TEXT] = "";
    if (member->code != CODE_DONE && !team_leads(member->team))
        snprintf(text, sizeof text, "rank %d: %s", member->rank, member->text);
    else
        snprintf(text, sizeof text, "%s", member->text);
    enum code code = team_meet(member->team, member->code, text);
    if (code == CODE_DONE)
        return SCT_OK;
    adopt(member, code, text);
    return status != SCT_OK ? status : SCT_FAILED;
}

sct_status member_settle(struct member *member, sct_status status) {
    note(member, status);
    return member->team->by_processes ? settle_processes(member, status)
                                      : settle_threads(member, status);
}

static void set_to_work(struct member *member, sct_world *world, const struct task *task) {
    member->world = world;
    note(member, task->work(member, task->context));
}

static int enter(sct_world *world, void *context) {
    const struct task *task = context;
    struct member *member = &task->members[sct_world_rank(world)];
    set_to_work(member, world, task);
    return member->code != CODE_DONE;
}

static enum code run_threads(const struct args *args, const struct task *task) {
    sct_world_options options = team_options(args);
    sct_status status = sct_run((int)args->ranks, &options, enter, (void *)task);
    const struct member *failed = first_failed((int)args->ranks, task->members);
    if (failed)
        report_error("%s", failed->text);
    else if (status != SCT_OK)
        report_error("%s: %s", sct_status_name(status), sct_last_reason());
    return failed ? failed->code : report_code(status);
}

static enum code run_process(struct team *team, const struct task *task) {
    struct member *member = &task->members[0];
    set_to_work(member, team->world, task);
    if (member->code != CODE_DONE)
        report_error("%s", member->text);
    return member->code;
}

enum code member_run_all(const struct args *args, enum code code, member_work *work,
                         void *context) {
    struct team *team = args->team;
    struct task task = {work, context, calloc((size_t)team->count, sizeof *task.members)};
    if (code == CODE_DONE && !task.members) {
        report_error("no memory for %d ranks", team->ranks);
        code = CODE_FAILED;
    }
    code = team_agree(team, code);
    if (code == CODE_DONE) {
        for (int i = 0; i < team->count; i++)
            task.members[i] =
                (struct member){.team = team, .rank = team->first + i, .mates = task.members};
        code = team->by_processes ? run_process(team, &task) : run_threads(args, &task);
        code = team_agree(team, code);
    }
    free(task.members);
    return code;
}
