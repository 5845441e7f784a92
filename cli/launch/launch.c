/* launch.c - starts the ranks of a program, here or on other hosts, and keeps them. */
#include "args/verbs.h"
#include "launch/hosts_file.h"
#include "launch/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The remote shell, unless --ssh names one. */
static const char *shell_of(const struct args *args) {
    const char *variable = getenv("SECTILE_SSH");
    return args->ssh ? args->ssh : variable ? variable : "ssh";
}

/* An empty command would make a command of the host's name. */
static enum code read_hosts(const struct args *args, struct supervisor *supervisor) {
    if (shell_of(args)[0] != '\0')
        return hosts_file_read(args->hosts, args->ranks, supervisor);
    report_error("SECTILE_SSH: '' is not a command");
    return CODE_USAGE;
}

/* All variables of --export must be set, since a wrong name would go unnoticed. */
static enum code check_exported(const char *list) {
    char name[256];
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (name[0] != '\0' && !strchr(name, '=') && getenv(name))
            continue;
        report_error("--export: '%s' is no variable that is set here", name);
        return CODE_USAGE;
    }
    return CODE_DONE;
}

/* Starts all members; on failure ends those that have been started. */
static bool start_all(const struct args *args, struct supervisor *supervisor) {
    const struct command command = {.words = args->command,
                                    .ranks = supervisor->ranks,
                                    .count = supervisor->ranks,
                                    .binds = args->bind,
                                    .exported = args->exported,
                                    .output = -1};
    for (int i = 0; i < supervisor->count; i++) {
        struct member *member = &supervisor->members[i];
        bool works = args->hosts ? start_host(member, &command, shell_of(args))
                                 : start_rank(member, &command, i, i == 0);
        if (works)
            continue;
        supervisor_kill(supervisor, i);
        return false;
    }
    return true;
}

enum code launch_work(const struct args *args) {
    struct supervisor supervisor = {.up = -1, .down = -1, .output = -1};
    int ranks = args->ranks > 0 ? (int)args->ranks : 1;
    enum code code = CODE_DONE;
    for (int i = 0; code == CODE_DONE && args->exported[i]; i++)
        code = check_exported(args->exported[i]);
    if (code == CODE_DONE)
        code =
            args->hosts ? read_hosts(args, &supervisor) : supervisor_add_ranks(&supervisor, ranks);
    if (code == CODE_DONE)
        code = supervisor_prepare(&supervisor);
    if (code == CODE_DONE)
        code = start_all(args, &supervisor) ? (enum code)supervisor_run(&supervisor) : CODE_FAILED;
    supervisor_free(&supervisor);
    return code;
}
