/* host.c - keeps the ranks of a host for a launcher on another one, whose remote shell is this
 * process's standard input and output. */
#include "launch/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the launcher has sent. */
struct order {
    struct frame frame;
    struct command command; /* its words lie in the frame */
};

/* The next word, which ends with a zero byte; NULL: there is none. */
static char *next_word(struct frame *frame, size_t *at) {
    char *word = frame->data + *at;
    if (*at >= frame->bytes)
        return NULL;
    *at += strlen(word) + 1;
    return word;
}

/* Takes over the launcher's folder and some of its variables. */
static enum code settle(struct order *order, int variables, size_t *at) {
    const char *folder = next_word(&order->frame, at);
    if (!folder)
        return CODE_USAGE;
    if (chdir(folder) != 0) {
        report_error("launch: %s: %s", folder, strerror(errno));
        return CODE_FAILED;
    }
    for (int i = 0; i < variables; i++) {
        char *variable = next_word(&order->frame, at);
        if (!variable || putenv(variable) != 0)
            return CODE_USAGE;
    }
    return CODE_DONE;
}

/* CODE_USAGE: nothing came, or something else than a launcher says. Reports other errors. */
static enum code read_order(int down, struct order *order) {
    struct command *command = &order->command;
    int variables, count, binds;
    size_t at = 0;
    if (!frame_receive(down, &order->frame) || order->frame.kind != FRAME_START)
        return CODE_USAGE;
    order->frame.data[order->frame.bytes] = '\0';
    const char *numbers = next_word(&order->frame, &at);
    if (!numbers || sscanf(numbers, "%d %d %d %d %d %d", &command->first, &command->count,
                           &command->ranks, &binds, &variables, &count) != 6)
        return CODE_USAGE;
    command->binds = binds;
    if (command->count < 1 || count < 1)
        return CODE_USAGE;
    enum code code = settle(order, variables, &at);
    if (code != CODE_DONE)
        return code;
    command->words = calloc((size_t)count + 1, sizeof *command->words);
    if (!command->words) {
        report_error("launch: no memory for the command");
        return CODE_FAILED;
    }
    for (int i = 0; i < count; i++)
        command->words[i] = next_word(&order->frame, &at);
    return command->words[count - 1] ? CODE_DONE : CODE_USAGE;
}

/* Starts all ranks, whose output comes by a pipe. */
static bool start_all(struct supervisor *supervisor, struct command *command) {
    int pipe[2];
    if (pipe2(pipe, O_CLOEXEC) != 0) {
        report_error("launch: the output of ranks cannot be passed on: %s", strerror(errno));
        return false;
    }
    supervisor->output = pipe[0];
    command->output = pipe[1];
    bool works = true;
    for (int i = 0; i < command->count && works; i++) {
        works = start_rank(&supervisor->members[i], command, command->first + i, false);
        if (!works)
            supervisor_kill(supervisor, i);
    }
    close(pipe[1]);
    return works;
}

enum code host_serve(void) {
    struct order order = {.command.words = NULL};
    struct supervisor supervisor = {.down = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
                                    .up = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
                                    .output = -1};
    enum code code = CODE_USAGE;
    if (frame_add(&supervisor.out, FRAME_READY, NULL, 0) &&
        queue_flush(&supervisor.out, supervisor.up))
        code = read_order(supervisor.down, &order);
    if (code == CODE_USAGE)
        report_error("%s: a launcher has to say what to start", host_verb);
    if (code == CODE_DONE)
        code = supervisor_add_ranks(&supervisor, order.command.count);
    if (code == CODE_DONE)
        code = supervisor_prepare(&supervisor);
    if (code == CODE_DONE)
        code = start_all(&supervisor, &order.command) ? (enum code)supervisor_run(&supervisor)
                                                      : CODE_FAILED;
    supervisor_free(&supervisor);
    free(order.command.words);
    free(order.frame.data);
    return code;
}
