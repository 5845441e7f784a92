/* keeper.c - waits for what members, signals and the launcher have to say, and acts on it. */
#include "launch/keeper.h"

#include "launch/meeting.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In milliseconds: how long the others may go on once a rank has failed, since they may be about to
 * say why; and how long once they have been told to end. */
enum { GRACE_MS = 1000, PATIENCE_MS = 3000 };

/* After this time hosts that have not answered are named; ssh may be waiting for a password. */
enum { SLOW_MS = 5000 };

enum { OUTPUT = 4096 };

/* Exit codes as those of a shell: of a process ended by a signal, and of a host that is gone. */
enum { CODE_SIGNAL = 128, CODE_HOST_LOST = 255 };

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/* ---- Ending ranks ---- */

/* True of signals that only notify a program. All others stop or end it. */
static bool is_message(int signal) {
    return signal == SIGUSR1 || signal == SIGUSR2;
}

static void signal_member(const struct member *member, int signal) {
    int32_t number = signal;
    if (member->ended == member->ranks)
        return;
    if (!member->host)
        kill(member->grouped ? -member->process : member->process, signal);
    else if (member->ready && member->fd >= 0)
        (void)frame_send(member->fd, FRAME_SIGNAL, &number, sizeof number);
    else if (!member->ready && !is_message(signal))
        kill(member->process, signal); /* ends ssh: nobody on the host listens yet */
}

static void pass_signal(const struct keeper *keeper, int signal) {
    for (int i = 0; i < keeper->count; i++)
        signal_member(&keeper->members[i], signal);
}

void keeper_kill(const struct keeper *keeper, int started) {
    for (int i = 0; i < started; i++)
        signal_member(&keeper->members[i], SIGKILL);
}

static void end_later(struct keeper *keeper, int ms, int signal) {
    keeper->next = now_ms() + ms;
    keeper->signal = signal;
}

/* Asks first, then insists. */
static void end_now(struct keeper *keeper) {
    pass_signal(keeper, keeper->signal);
    keeper->next = 0;
    if (keeper->signal != SIGKILL)
        end_later(keeper, PATIENCE_MS, SIGKILL);
}

static void report_end(int rank, int status) {
    if (WIFSIGNALED(status))
        report_error("launch: rank %d was ended by signal %d (%s)", rank, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else
        report_error("launch: rank %d ended with code %d", rank, WEXITSTATUS(status));
}

/* The first failure gives the exit code, and ends the other ranks. */
static void note_end(struct keeper *keeper, struct member *member, int rank, int status) {
    member->ended++;
    if (keeper->up >= 0) {
        const struct frame_end end = {rank, status};
        (void)frame_send(keeper->up, FRAME_ENDED, &end, sizeof end);
    } else if (status != 0 && keeper->code == 0) {
        report_end(rank, status);
        keeper->code = WIFSIGNALED(status) ? CODE_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
        if (keeper->next == 0)
            end_later(keeper, GRACE_MS, SIGTERM);
    }
}

/* A host is gone, and its ranks with it. */
static void lose_host(struct keeper *keeper, struct member *member, bool foreign) {
    if (member->ended == member->ranks)
        return;
    member->ended = member->ranks;
    if (keeper->code == 0) {
        if (foreign)
            report_error("launch: host %s has answered something else than sectile does; its shell "
                         "must print nothing by itself",
                         member->host);
        else
            report_error("launch: host %s is gone, or could not be reached", member->host);
        keeper->code = CODE_HOST_LOST;
        if (keeper->next == 0)
            end_later(keeper, GRACE_MS, SIGTERM);
    }
}

/* ---- What there is to hear ---- */

static void close_member(struct keeper *keeper, struct member *member, bool foreign) {
    close(member->fd);
    member->fd = -1;
    if (member->host)
        lose_host(keeper, member, foreign);
    meeting_break(keeper);
}

/* Nobody reads what the ranks print, so they end, as ranks of this host would by themselves. */
static void write_output(struct keeper *keeper, const struct frame *frame) {
    if (keeper->mute || frame_write(STDOUT_FILENO, frame->data, frame->bytes))
        return;
    keeper->mute = true;
    report_error("launch: the output cannot be written: %s", strerror(errno));
    if (keeper->code == 0)
        keeper->code = CODE_FAILED;
    pass_signal(keeper, SIGTERM);
    end_later(keeper, PATIENCE_MS, SIGKILL);
}

static void hear_member(struct keeper *keeper, struct member *member) {
    struct frame frame;
    struct frame_end end;
    enum frame_came came = frame_read(member->fd, &member->heard, &frame);
    if (came == FRAME_GONE)
        close_member(keeper, member, frame.kind > FRAME_LAST);
    if (came != FRAME_WHOLE)
        return;
    member->ready = true;
    if (frame.kind == FRAME_GATHER && !member->sent.data) {
        member->sent = frame;
        meeting_try(keeper);
        return;
    }
    if (member->host && frame.kind == FRAME_OUTPUT) {
        write_output(keeper, &frame);
    } else if (member->host && frame.kind == FRAME_FAIL) {
        meeting_break(keeper);
    } else if (member->host && frame.kind == FRAME_ENDED && frame.bytes == sizeof end &&
               member->ended < member->ranks) {
        memcpy(&end, frame.data, sizeof end);
        note_end(keeper, member, end.rank, end.status);
    }
    free(frame.data);
}

/* Without the launcher, nobody wants the ranks. */
static void hear_launcher(struct keeper *keeper) {
    struct frame frame;
    int32_t signal = SIGKILL;
    enum frame_came came = frame_read(keeper->down, &keeper->heard, &frame);
    if (came == FRAME_GONE) {
        keeper->down = -1;
        pass_signal(keeper, SIGKILL);
    }
    if (came != FRAME_WHOLE)
        return;
    if (frame.kind == FRAME_ALL)
        meeting_answer(keeper, frame.data, frame.bytes);
    else if (frame.kind == FRAME_FAIL)
        meeting_break(keeper);
    else if (frame.kind == FRAME_SIGNAL && frame.bytes == sizeof signal) {
        memcpy(&signal, frame.data, sizeof signal);
        pass_signal(keeper, signal);
    }
    free(frame.data);
}

/* Passes on some output of the ranks, and returns its length in bytes. */
static int hear_output(struct keeper *keeper) {
    char text[OUTPUT];
    ssize_t bytes = read(keeper->output, text, sizeof text);
    if (bytes > 0)
        (void)frame_send(keeper->up, FRAME_OUTPUT, text, (size_t)bytes);
    else if (bytes == 0 || (errno != EINTR && errno != EAGAIN))
        keeper->output = -1;
    return bytes > 0 ? (int)bytes : 0;
}

/* Passes on all output that the ranks have written so far. */
static void hear_all_output(struct keeper *keeper) {
    int left = 0;
    if (keeper->output < 0 || ioctl(keeper->output, FIONREAD, &left) != 0)
        return;
    while (left > 0 && keeper->output >= 0)
        left -= hear_output(keeper);
}

/* Passes on a rank's output before it reports that the rank has ended. */
static void reap(struct keeper *keeper) {
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        hear_all_output(keeper);
        for (int i = 0; i < keeper->count; i++) {
            struct member *member = &keeper->members[i];
            if (member->process == ended && !member->host && member->ended == 0)
                note_end(keeper, member, member->first, status);
        }
    }
}

/* Ranks do not stop by themselves: most have process groups of their own, which a terminal does not
 * reach. */
static void stop_all(const struct keeper *keeper) {
    pass_signal(keeper, SIGTSTP);
    raise(SIGSTOP);
    pass_signal(keeper, SIGCONT);
}

static void hear_signal(struct keeper *keeper) {
    struct signalfd_siginfo info;
    if (read(keeper->signals, &info, sizeof info) != sizeof info)
        return;
    int number = (int)info.ssi_signo;
    if (number == SIGCHLD) {
        reap(keeper);
    } else if (number == SIGTSTP) {
        stop_all(keeper);
    } else {
        pass_signal(keeper, number);
        if (!is_message(number))
            end_later(keeper, PATIENCE_MS, SIGKILL);
    }
}

/* ---- The loop ---- */

/* The signals that are passed on, and those by which children end. One that is ignored, as under
 * nohup, stays so: blocked, it would be read. */
static sigset_t signals_to_hear(void) {
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2};
    struct sigaction now;
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (sigaction(passed[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&heard, passed[i]);
    return heard;
}

enum code keeper_add_ranks(struct keeper *keeper, int ranks) {
    keeper->members = calloc((size_t)ranks, sizeof *keeper->members);
    if (!keeper->members) {
        report_error("launch: no memory for the ranks");
        return CODE_FAILED;
    }
    keeper->count = keeper->ranks = ranks;
    return CODE_DONE;
}

enum code keeper_prepare(struct keeper *keeper) {
    sigset_t heard = signals_to_hear();
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &heard, NULL);
    signal(SIGPIPE, SIG_IGN);
    keeper->signals = signalfd(-1, &heard, SFD_CLOEXEC);
    if (keeper->signals < 0) {
        report_error("launch: signals cannot be received: %s", strerror(errno));
        return CODE_FAILED;
    }
    return CODE_DONE;
}

static bool all_ended(const struct keeper *keeper) {
    int ended = 0;
    for (int i = 0; i < keeper->count; i++)
        ended += keeper->members[i].ended;
    return ended == keeper->ranks;
}

static void name_slow_hosts(struct keeper *keeper) {
    keeper->slow = 0;
    for (int i = 0; i < keeper->count; i++) {
        const struct member *member = &keeper->members[i];
        if (member->host && !member->ready && member->fd >= 0)
            report_error("launch: still waiting for host %s", member->host);
    }
}

/* Milliseconds until something is to be done; -1: nothing is. */
static int time_left(const struct keeper *keeper) {
    int64_t at = keeper->next, left;
    if (keeper->slow > 0 && (at == 0 || keeper->slow < at))
        at = keeper->slow;
    if (at == 0)
        return -1;
    left = at - now_ms();
    return left > 0 ? (int)left : 0;
}

static bool heard(const struct pollfd *one) {
    return one->revents != 0;
}

static bool wait_and_hear(struct keeper *keeper, struct pollfd *watched) {
    int count = keeper->count;
    for (int i = 0; i < count; i++)
        watched[i] = (struct pollfd){.fd = keeper->members[i].fd, .events = POLLIN};
    watched[count] = (struct pollfd){.fd = keeper->signals, .events = POLLIN};
    watched[count + 1] = (struct pollfd){.fd = keeper->down, .events = POLLIN};
    watched[count + 2] = (struct pollfd){.fd = keeper->output, .events = POLLIN};
    if (poll(watched, (nfds_t)count + 3, time_left(keeper)) < 0 && errno != EINTR)
        return false;
    if (keeper->next > 0 && now_ms() >= keeper->next)
        end_now(keeper);
    if (keeper->slow > 0 && now_ms() >= keeper->slow)
        name_slow_hosts(keeper);
    if (heard(&watched[count + 2]))
        hear_output(keeper);
    if (heard(&watched[count]))
        hear_signal(keeper);
    if (heard(&watched[count + 1]))
        hear_launcher(keeper);
    for (int i = 0; i < count; i++)
        if (heard(&watched[i]))
            hear_member(keeper, &keeper->members[i]);
    return true;
}

int keeper_run(struct keeper *keeper) {
    struct pollfd *watched = calloc((size_t)keeper->count + 3, sizeof *watched);
    bool works = watched != NULL;
    keeper->slow = now_ms() + SLOW_MS;
    while (works && !all_ended(keeper))
        works = wait_and_hear(keeper, watched);
    if (!works) {
        report_error("launch: the ranks cannot be watched");
        pass_signal(keeper, SIGKILL);
        keeper->code = CODE_FAILED;
    }
    for (int i = 0; i < keeper->count; i++) {
        if (keeper->members[i].fd >= 0)
            close(keeper->members[i].fd);
        free(keeper->members[i].sent.data);
        free(keeper->members[i].heard.frame.data);
    }
    free(keeper->heard.frame.data);
    free(watched);
    return keeper->code;
}
