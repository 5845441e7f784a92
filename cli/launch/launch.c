/* launch.c - starts the ranks of a program, here or on other hosts, and keeps them.
 *
 * Hosts are in a file, one on each line: its name, and optionally how many ranks it takes,
 * otherwise 1, as `node 2` or `node:2`. Lines that name the same host one after the other add up.
 * # begins a comment. */
#include "args/verbs.h"
#include "launch/start.h"
#include "launch/supervisor.h"
#include "print/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Hosts ---- */

/* No line is longer, but for its comment. */
enum { MOST_RANKS = 4096, LINE = 4096 };

/* Batch systems name a host once for each of its ranks. */
static enum code add(struct supervisor *supervisor, const char *name, int ranks) {
    struct member *last =
        supervisor->count > 0 ? &supervisor->members[supervisor->count - 1] : NULL;
    if (last && strcmp(last->host, name) == 0) {
        last->ranks += ranks;
        supervisor->ranks += ranks;
        return CODE_DONE;
    }
    struct member *members =
        realloc(supervisor->members, ((size_t)supervisor->count + 1) * sizeof *supervisor->members);
    if (members)
        supervisor->members = members;
    char *host = strdup(name);
    if (!members || !host) {
        free(host);
        report_error("no memory for the hosts");
        return CODE_FAILED;
    }
    members[supervisor->count++] =
        (struct member){.host = host, .first = supervisor->ranks, .ranks = ranks, .fd = -1};
    supervisor->ranks += ranks;
    return CODE_DONE;
}

/* The number of ranks in a word; 0: it is none. */
static int read_ranks(const char *word) {
    char *end;
    long ranks = strtol(word, &end, 10);
    return *end == '\0' && ranks >= 1 && ranks <= MOST_RANKS ? (int)ranks : 0;
}

/* Whether a word has the form [USER@]HOST, where HOST is a name or an address. Others are unsafe:
 * ssh would read a word that begins with a dash as an option, and a shell might run what follows a
 * character such as `;`. */
static bool is_host(const char *word) {
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+=,~@:/%[]";
    const char *at = strrchr(word, '@');
    return word[0] != '\0' && word[0] != '-' && word[strspn(word, signs)] == '\0' &&
           !strstr(word, "//-") && !(at && at[1] == '-');
}

/* Cuts the number of ranks off a name such as node:2, as MPICH has it; NULL: there is none. More
 * colons are in an address of IPv6, which may be in brackets, or in ssh://host:port. */
static char *cut_count(char *name) {
    char *bracket = strchr(name, ']');
    char *colon = strchr(bracket ? bracket : name, ':');
    if (!colon || strchr(colon + 1, ':') || strncmp(colon, "://", 3) == 0)
        return NULL;
    *colon = '\0';
    return colon + 1;
}

/* Takes away the brackets that part an address from a number: ssh has none around the host. */
static void drop_brackets(char *name) {
    char *at = strrchr(name, '@'), *host = at ? at + 1 : name;
    size_t length = strlen(host);
    if (host[0] != '[' || host[length - 1] != ']')
        return;
    memmove(host, host + 1, length - 2);
    host[length - 2] = '\0';
}

/* Lines may end as on Windows. */
static const char gaps[] = " \t\r\n";

/* Reads the words after the name of a host: its number of ranks, unless that is `cut` off the name,
 * as a number or as slots=2 of Open MPI; other words NAME=VALUE are for the MPIs. */
static bool read_rest(char **rest, const char *cut, int *ranks) {
    static const char slots[] = "slots=";
    const char *number = cut;
    for (const char *word; (word = strtok_r(NULL, gaps, rest)) != NULL;) {
        bool counts = strncmp(word, slots, sizeof slots - 1) == 0;
        if (!counts && word[0] != '=' && strchr(word, '='))
            continue;
        if (number)
            return false;
        number = counts ? word + sizeof slots - 1 : word;
    }
    *ranks = number ? read_ranks(number) : 1;
    return *ranks > 0;
}

/* Reads a line into a text of LINE bytes and returns its length; -1 at the end of the file. A
 * longer line is cut, since a file such as /dev/zero is one endless line. */
static ssize_t take_line(FILE *file, char text[LINE]) {
    ssize_t length = 0;
    for (int sign; length < LINE - 1 && (sign = getc(file)) != EOF;) {
        text[length++] = (char)sign;
        if (sign == '\n')
            break;
    }
    text[length] = '\0';
    return length > 0 ? length : -1;
}

static enum code read_line(const char *path, int number, char *line, size_t length,
                           struct supervisor *supervisor) {
    char *rest;
    int ranks = 0;
    bool whole = strlen(line) == length && length < LINE - 1;
    line[strcspn(line, "#")] = '\0';
    char *name = strtok_r(line, gaps, &rest);
    if (whole && !name)
        return CODE_DONE;
    const char *cut = name ? cut_count(name) : NULL;
    bool right = whole && name && is_host(name) && read_rest(&rest, cut, &ranks);
    if (right)
        drop_brackets(name);
    if (right && ranks <= MOST_RANKS - supervisor->ranks)
        return add(supervisor, name, ranks);
    if (right)
        report_error("%s: line %d: the hosts take more than %d ranks", path, number, MOST_RANKS);
    else
        report_error("%s: line %d: must be the name of a host, and optionally its number of ranks, "
                     "as 'node 2' or 'node:2'",
                     path, number);
    return CODE_USAGE;
}

/* Leaves out ranks, and hosts, beyond those that are wanted. */
static enum code limit(const char *path, int64_t ranks, struct supervisor *supervisor) {
    if (supervisor->ranks == 0) {
        report_error(
            "%s: it names no host: each line must have the name of one, and optionally its "
            "number of ranks, as 'node 2'",
            path);
        return CODE_USAGE;
    }
    if (ranks > supervisor->ranks) {
        report_error("%s: the hosts take %d rank%s, fewer than %lld", path, supervisor->ranks,
                     supervisor->ranks == 1 ? "" : "s", (long long)ranks);
        return CODE_USAGE;
    }
    while (ranks > 0 && supervisor->ranks > ranks) {
        struct member *last = &supervisor->members[supervisor->count - 1];
        int surplus = supervisor->ranks - (int)ranks;
        int dropped = surplus < last->ranks ? surplus : last->ranks;
        last->ranks -= dropped;
        supervisor->ranks -= dropped;
        if (last->ranks == 0) {
            free(last->host);
            supervisor->count--;
        }
    }
    return CODE_DONE;
}

/* Reads the hosts for so many ranks, or for all that they take if that is 0. Reports errors. Free
 * the names and the members. */
static enum code hosts_file_read(const char *path, int64_t ranks, struct supervisor *supervisor) {
    char line[LINE];
    ssize_t length;
    FILE *file = fopen(path, "r");
    enum code code = CODE_DONE;
    for (int number = 1; file && code == CODE_DONE; number++) {
        if ((length = take_line(file, line)) < 0)
            break;
        code = read_line(path, number, line, (size_t)length, supervisor);
    }
    if (!file || (code == CODE_DONE && ferror(file))) {
        report_error("%s: %s", path, strerror(errno));
        code = CODE_FAILED;
    }
    if (file)
        fclose(file);
    return code == CODE_DONE ? limit(path, ranks, supervisor) : code;
}

/* ---- The launch ---- */

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
