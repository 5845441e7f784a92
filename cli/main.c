/* main.c - finds the verb and runs it. */
#include "args/args.h"
#include "args/flags.h"
#include "args/help.h"
#include "args/verbs.h"
#include "launch/start.h"
#include "output/replacement.h"
#include "print/report.h"
#include "ranks/rank_count.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"
#include "run/reference.h"
#include "values/nearest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reopens closed standard streams on /dev/null, so that no file gets their numbers. They are open
 * for reading only, so that writing to them fails. */
static void keep_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY) == -1)
            _exit(CODE_FAILED);
}

static bool is(const char *word, const char *name) {
    return strcmp(word, name) == 0;
}

static bool asks_for_help(const char *word) {
    return is(word, "help") || is(word, "--help") || is(word, "-h");
}

static enum code find_verb(const char *name, enum verb *verb) {
    *verb = verbs_find(name);
    if (*verb != VERBS)
        return CODE_DONE;
    struct nearest nearest = nearest_begin(name, strlen(name));
    for (enum verb each = 0; each < VERBS; each++)
        nearest_consider(&nearest, verbs[each].name);
    nearest_consider(&nearest, "help");
    nearest_consider(&nearest, "--help");
    nearest_consider(&nearest, "--version");
    nearest_consider(&nearest, "--completion");
    /* A word that follows help may be one of these. */
    if (nearest.name && !is(nearest.name, name))
        report_error("there is no verb '%s'; did you mean %s?", name, nearest.name);
    else
        report_error("there is no verb '%s'; sectile --help lists all verbs", name);
    return CODE_USAGE;
}

static enum code help(const char *name, bool all) {
    enum verb verb;
    if (!name || asks_for_help(name)) {
        help_print();
        return CODE_DONE;
    }
    if (is(name, "layouts")) {
        help_print_layouts();
        return CODE_DONE;
    }
    enum code code = find_verb(name, &verb);
    if (code == CODE_DONE)
        help_print_verb(verb, all);
    return code;
}

static enum code work(enum verb verb, struct args *args) {
    enum code code =
        verbs_without_ranks(verb, args) ? CODE_DONE : rank_group_start(args->group, args);
    return code == CODE_DONE ? verbs[verb].work(args) : code;
}

static enum code complete(const char *shell) {
    if (shell && completion_print(shell))
        return CODE_DONE;
    report_error("--completion: '%s' is not allowed; allowed: bash, zsh or fish",
                 shell ? shell : "");
    return CODE_USAGE;
}

/* Handles --help, --version and --completion; false if the words are none of them. */
static bool answer(int count, char **words, enum code *code) {
    bool helps = count < 2 || asks_for_help(words[1]);
    bool completes = !helps && is(words[1], "--completion");
    bool all = helps && count > 3 && is(words[3], "--all");
    int most = all ? 4 : helps || completes ? 3 : 2;
    if (!helps && !completes && !is(words[1], "--version"))
        return false;
    if (count > most) {
        report_error("%s: '%s' is one argument too many", words[1], words[most]);
        *code = CODE_USAGE;
    } else if (completes) {
        *code = complete(count > 2 ? words[2] : NULL);
    } else if (helps) {
        *code = help(count > 2 ? words[2] : NULL, all);
    } else {
        printf("sectile %s\n", sct_version());
        *code = CODE_DONE;
    }
    return true;
}

/* The log goes to stderr: what the environment asks for, otherwise what --verbose does. */
static enum code start_log(const struct args *args) {
    if (args->verbose)
        sct_log(SCT_LOG_INFO, NULL, NULL);
    return sct_log_from_environment() == SCT_OK ? CODE_DONE : report_status(SCT_BAD_ARGUMENT);
}

static enum code dispatch(int count, char **words, struct rank_group *group) {
    enum verb verb;
    struct args args;
    enum code code;
    sct_machine *machine = NULL;
    if (answer(count, words, &code))
        return code;
    code = find_verb(words[1], &verb);
    if (code == CODE_DONE)
        code = args_parse(verb, count - 2, words + 2, group, &args);
    if (code != CODE_DONE)
        return code;
    report_set_color((enum report_color)args.color);
    if (args.help)
        return help(words[1], is(words[count - 1], "--all"));
    args.loaded = &machine;
    code = start_log(&args);
    if (code == CODE_DONE)
        code = ranks_resolve(verb, &args);
    if (code == CODE_DONE)
        code = work(verb, &args);
    sct_machine_destroy(machine);
    return code;
}

/* Runs as one of the tool's own helper processes; false if the words are not for one. */
static bool serve(int count, char **words, enum code *code) {
    if (count == 2 && is(words[1], reference_verb))
        *code = reference_serve();
    else if (count == 2 && is(words[1], host_verb))
        *code = host_serve();
    else
        return false;
    return true;
}

static bool launches(int count, char **words) {
    return count > 1 && is(words[1], verbs[VERB_LAUNCH].name);
}

/* True for a process that starts ranks and is none. */
static bool starts_ranks(int count, char **words) {
    return launches(count, words) || (count == 2 && is(words[1], host_verb));
}

static enum code launch(int count, char **words) {
    struct args args;
    enum code code = args_parse(VERB_LAUNCH, count - 2, words + 2, NULL, &args);
    if (code != CODE_DONE)
        return code;
    report_set_color((enum report_color)args.color);
    if (args.help)
        return help(words[1], is(words[count - 1], "--all"));
    code = company_check_start();
    return code == CODE_DONE ? launch_work(&args) : code;
}

/* Where the command begins that sectile launch is to start. */
static int find_command(int count, char **words) {
    struct flag flag;
    int at = 2;
    for (; at < count && words[at][0] == '-' && !is(words[at], "--"); at++)
        at += flags_find(VERB_LAUNCH, words[at], strlen(words[at]), &flag) && flag.value;
    return at < count ? at : count;
}

/* Also where the words are wrong, so these are not parsed. */
static bool wants_json(int count, char **words) {
    int own = launches(count, words) ? find_command(count, words) : count;
    for (int i = 1; i < own; i++)
        if (is(words[i], "--json") || strncmp(words[i], "--json=", 7) == 0)
            return true;
    return false;
}

static enum code work_in_group(int count, char **words) {
    struct rank_group group;
    enum code code = rank_group_open(count - 1, words + 1, &group);
    if (code == CODE_DONE)
        code = dispatch(count, words, &group);
    if (code == CODE_DONE && !report_flush())
        code = CODE_FAILED;
    return rank_group_close(&group, code);
}

static int run(int count, char **words) {
    enum code code;
    if (!starts_ranks(count, words))
        system_limit_blas_threads(words);
    cleanup_signal_catch();
    if (serve(count, words, &code))
        return (int)code;
    code = launches(count, words) ? launch(count, words) : work_in_group(count, words);
    if (code != CODE_DONE && wants_json(count, words))
        report_json(code);
    return (int)code;
}

int main(int count, char **words) {
    keep_streams();
    return large_stack_run(run, count, words);
}
