/* keeper.c - waits for what members, signals and the launcher have to say, and acts on it. */
#include "launch/keeper.h"

#include "launch/ending.h"
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

/* After this time hosts that have not answered are named; ssh may be waiting for a password. */
enum { SLOW_MS = 5000 };

enum { PIECE = 4096 };

/* With so many bytes to be told upwards, no more output is read. */
enum { FULL = 1 << 18 };

int64_t keeper_now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/* ---- What there is to say ---- */

/* Failure to write is ignored: that the other side has closed the connection is noticed on reading.
 * If there is no memory for a message, no later one is sent either: the other side must not take an
 * output with a gap for a complete one. */
void keeper_send(struct keeper *keeper, struct member *member, struct parcel *parcel) {
    struct queue *queue = member ? &member->told : &keeper->out;
    if (keeper->scarce || !queue_add(queue, parcel))
        keeper->scarce = true;
    (void)queue_flush(queue, member ? member->fd : keeper->up);
}

void keeper_tell(struct keeper *keeper, struct member *member, enum frame_kind kind,
                 const void *data, size_t bytes) {
    struct parcel *parcel = frame_create(kind, data, bytes);
    keeper_send(keeper, member, parcel);
    parcel_drop(parcel);
}

/* Where what goes upwards is written to. */
static int out_fd(const struct keeper *keeper) {
    return keeper->up < 0 ? STDOUT_FILENO : keeper->up;
}

static void write_out(struct keeper *keeper) {
    if (!queue_flush(&keeper->out, out_fd(keeper)) && keeper->up < 0)
        ending_of_output(keeper);
}

/* ---- What there is to hear ---- */

static void close_member(struct keeper *keeper, struct member *member, bool foreign) {
    close(member->fd);
    member->fd = -1;
    if (member->host)
        ending_of_host(keeper, member, foreign);
    meeting_break(keeper);
}

static void print(struct keeper *keeper, const struct frame *frame) {
    if (keeper->mute)
        return;
    struct parcel *text = parcel_create(frame->bytes);
    if (text)
        memcpy(text->data, frame->data, frame->bytes);
    if (!queue_add(&keeper->out, text))
        ending_of_output(keeper);
    parcel_drop(text);
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
        print(keeper, &frame);
    } else if (member->host && frame.kind == FRAME_FAIL) {
        meeting_break(keeper);
    } else if (member->host && frame.kind == FRAME_ENDED && frame.bytes == sizeof end &&
               member->ended < member->ranks) {
        memcpy(&end, frame.data, sizeof end);
        ending_of_rank(keeper, member, end.rank, end.status);
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
        ending_pass_signal(keeper, SIGKILL);
    }
    if (came != FRAME_WHOLE)
        return;
    if (frame.kind == FRAME_ALL)
        meeting_answer(keeper, &frame);
    else if (frame.kind == FRAME_FAIL)
        meeting_break(keeper);
    else if (frame.kind == FRAME_SIGNAL && frame.bytes == sizeof signal) {
        memcpy(&signal, frame.data, sizeof signal);
        ending_pass_signal(keeper, signal);
    }
    free(frame.data);
}

/* Passes on some output of the ranks, and returns its length in bytes. */
static int hear_output(struct keeper *keeper) {
    char text[PIECE];
    ssize_t bytes = read(keeper->output, text, sizeof text);
    if (bytes > 0)
        keeper_tell(keeper, NULL, FRAME_OUTPUT, text, (size_t)bytes);
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
                ending_of_rank(keeper, member, member->first, status);
        }
    }
}

/* Ranks do not stop by themselves: most have process groups of their own, which a terminal does not
 * reach. */
static void stop_all(struct keeper *keeper) {
    ending_pass_signal(keeper, SIGTSTP);
    raise(SIGSTOP);
    ending_pass_signal(keeper, SIGCONT);
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
        ending_pass_signal(keeper, number);
        if (ending_only_notifies(number))
            return;
        keeper->stopped = number;
        ending_plan(keeper, ENDING_PATIENCE_MS, SIGKILL);
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

/* What is still to be said is said first, if there is somebody to hear it. */
static bool is_done(const struct keeper *keeper) {
    bool is_heard = keeper->up < 0 || keeper->down >= 0;
    return all_ended(keeper) && (keeper->out.bytes == 0 || !is_heard);
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
    left = at - keeper_now_ms();
    return left > 0 ? (int)left : 0;
}

enum { SIGNALS, DOWN, OUTPUT, OUT, MEMBERS }; /* what is watched, in this order */

static struct pollfd watch(int fd, int events) {
    return (struct pollfd){.fd = events ? fd : -1, .events = (short)events};
}

/* A rank that meets again before it has read the answer of the last time is not heard, so that no
 * more than one answer waits for it. The launcher is always heard: it may wait to be. */
static void watch_all(const struct keeper *keeper, struct pollfd *watched) {
    bool full = keeper->out.bytes >= FULL;
    watched[SIGNALS] = watch(keeper->signals, POLLIN);
    watched[DOWN] = watch(keeper->down, POLLIN);
    watched[OUTPUT] = watch(keeper->output, full ? 0 : POLLIN);
    watched[OUT] = watch(out_fd(keeper), keeper->out.bytes > 0 ? POLLOUT : 0);
    for (int i = 0; i < keeper->count; i++) {
        const struct member *member = &keeper->members[i];
        bool writes = member->told.bytes > 0, listens = member->host ? !full : !writes;
        watched[MEMBERS + i] = watch(member->fd, (listens ? POLLIN : 0) | (writes ? POLLOUT : 0));
    }
}

static bool can_read(const struct pollfd *one) {
    return (one->events & POLLIN) && (one->revents & ~POLLOUT);
}

static void write_and_hear(struct keeper *keeper, const struct pollfd *watched) {
    if (watched[OUT].revents)
        write_out(keeper);
    if (can_read(&watched[OUTPUT]))
        hear_output(keeper);
    if (can_read(&watched[SIGNALS]))
        hear_signal(keeper);
    if (can_read(&watched[DOWN]))
        hear_launcher(keeper);
    for (int i = 0; i < keeper->count; i++) {
        struct member *member = &keeper->members[i];
        if (watched[MEMBERS + i].revents)
            (void)queue_flush(&member->told, member->fd);
        if (can_read(&watched[MEMBERS + i]))
            hear_member(keeper, member);
    }
}

static bool wait_and_act(struct keeper *keeper, struct pollfd *watched) {
    watch_all(keeper, watched);
    if (poll(watched, (nfds_t)keeper->count + MEMBERS, time_left(keeper)) < 0 && errno != EINTR)
        return false;
    if (keeper->next > 0 && keeper_now_ms() >= keeper->next)
        ending_begin(keeper);
    if (keeper->slow > 0 && keeper_now_ms() >= keeper->slow)
        name_slow_hosts(keeper);
    write_and_hear(keeper, watched);
    return !keeper->scarce;
}

int keeper_run(struct keeper *keeper) {
    struct pollfd *watched = calloc((size_t)keeper->count + MEMBERS, sizeof *watched);
    bool works = watched != NULL;
    keeper->slow = keeper_now_ms() + SLOW_MS;
    while (works && !is_done(keeper))
        works = wait_and_act(keeper, watched);
    if (!works && !is_done(keeper)) {
        report_error("launch: the ranks cannot be watched");
        ending_pass_signal(keeper, SIGKILL);
        keeper->code = CODE_FAILED;
    }
    free(watched);
    return keeper->code;
}

void keeper_free(struct keeper *keeper) {
    for (int i = 0; i < keeper->count; i++) {
        struct member *member = &keeper->members[i];
        free(member->host);
        queue_clear(&member->told);
        free(member->sent.data);
        free(member->heard.frame.data);
    }
    free(keeper->members);
    queue_clear(&keeper->out);
    free(keeper->heard.frame.data);
}
