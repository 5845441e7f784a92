/* supervisor.c - waits for what members, signals and the launcher have to say, and acts on it:
 * passes signals on, and ends ranks if one fails. */
#include "launch/supervisor.h"

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

/* ---- The rendezvous of ranks ---- */

static bool all_have_come(const struct supervisor *supervisor) {
    for (int i = 0; i < supervisor->count; i++)
        if (!supervisor->members[i].sent.data)
            return false;
    return true;
}

static void take(struct member *member) {
    free(member->sent.data);
    member->sent = (struct frame){.data = NULL};
}

/* What all members sent; NULL if ranks sent different numbers of bytes, or for lack of memory. */
static struct parcel *join(const struct supervisor *supervisor) {
    const struct member *first = &supervisor->members[0];
    size_t each = first->sent.bytes / (size_t)first->ranks;
    struct parcel *all = frame_create(supervisor->up >= 0 ? FRAME_GATHER : FRAME_ALL, NULL,
                                      each * (size_t)supervisor->ranks);
    char *to = all ? all->data + FRAME_HEAD : NULL;
    for (int i = 0; i < supervisor->count && all; i++) {
        const struct frame *sent = &supervisor->members[i].sent;
        size_t bytes = each * (size_t)supervisor->members[i].ranks;
        if (sent->bytes != bytes) {
            parcel_drop(all);
            return NULL;
        }
        memcpy(to, sent->data, bytes);
        to += bytes;
    }
    return all;
}

static void answer(struct supervisor *supervisor, struct parcel *all) {
    for (int i = 0; i < supervisor->count; i++) {
        take(&supervisor->members[i]);
        supervisor_send(supervisor, &supervisor->members[i], all);
    }
}

/* Ends a rendezvous: passes on to all members what the launcher has sent, the bytes of all ranks.
 */
static void rendezvous_answer(struct supervisor *supervisor, const struct frame *frame) {
    struct parcel *all = frame_create(FRAME_ALL, frame->data, frame->bytes);
    answer(supervisor, all);
    parcel_drop(all);
}

/* Called when a rank has ended. Ranks that wait for it at a rendezvous, now or later, are notified.
 */
static void rendezvous_break(struct supervisor *supervisor) {
    bool first = !supervisor->broken;
    supervisor->broken = true;
    if (first && supervisor->up >= 0)
        supervisor_notify(supervisor, NULL, FRAME_FAIL, NULL, 0);
    for (int i = 0; i < supervisor->count; i++) {
        struct member *member = &supervisor->members[i];
        bool waits = member->host ? first : member->sent.data != NULL;
        if (member->fd < 0 || !waits)
            continue;
        take(member);
        supervisor_notify(supervisor, member, FRAME_FAIL, NULL, 0);
    }
}

/* Completes the rendezvous if all members have come. */
static void rendezvous_try(struct supervisor *supervisor) {
    if (supervisor->broken)
        rendezvous_break(supervisor);
    if (supervisor->broken || !all_have_come(supervisor))
        return;
    struct parcel *all = join(supervisor);
    if (!all)
        rendezvous_break(supervisor);
    else if (supervisor->up >= 0)
        supervisor_send(supervisor, NULL, all);
    else
        answer(supervisor, all);
    parcel_drop(all);
}

/* In milliseconds, how long the other ranks have to end: once a rank has failed, so that they can
 * still say why; once a signal has ended a rank, which they notice only after they have computed
 * what they are at; and once they have been notified of the end. */
enum { ENDING_GRACE_MS = 1000, ENDING_KILLED_MS = 5000, ENDING_NOTIFIED_MS = 3000 };

/* ---- Ending ---- */

/* Exit codes as those of a shell: of a process ended by a signal, and of a host that is gone. */
enum { CODE_SIGNAL = 128, CODE_HOST_LOST = 255 };

/* True of signals that only notify a program. All others stop or end it. */
static bool ending_only_notifies(int signal) {
    return signal == SIGUSR1 || signal == SIGUSR2;
}

static void signal_member(struct supervisor *supervisor, struct member *member, int signal) {
    int32_t number = signal;
    if (member->ended == member->ranks)
        return;
    if (!member->host)
        kill(member->grouped ? -member->process : member->process, signal);
    else if (member->ready && member->fd >= 0)
        supervisor_notify(supervisor, member, FRAME_SIGNAL, &number, sizeof number);
    else if (!member->ready && !ending_only_notifies(signal))
        kill(member->process, signal); /* ends ssh: nobody on the host listens yet */
}

static void ending_pass_signal(struct supervisor *supervisor, int signal) {
    for (int i = 0; i < supervisor->count; i++)
        signal_member(supervisor, &supervisor->members[i], signal);
}

void supervisor_kill(struct supervisor *supervisor, int started) {
    for (int i = 0; i < started; i++)
        signal_member(supervisor, &supervisor->members[i], SIGKILL);
}

/* Ends the ranks later, by a signal. */
static void ending_plan(struct supervisor *supervisor, int ms, int signal) {
    supervisor->next = supervisor_now_ms() + ms;
    supervisor->signal = signal;
}

static void silence(struct supervisor *supervisor) {
    supervisor->mute = true;
    queue_clear(&supervisor->out);
}

/* A launcher that is to end no longer waits for a reader of the output. */
static void give_up_output(struct supervisor *supervisor) {
    if (supervisor->code == 0 && supervisor->out.bytes > 0)
        supervisor->code = CODE_SIGNAL + supervisor->stopped;
    silence(supervisor);
}

/* Ends them, as planned: asks first, then insists. */
static void ending_begin(struct supervisor *supervisor) {
    ending_pass_signal(supervisor, supervisor->signal);
    supervisor->next = 0;
    if (supervisor->signal != SIGKILL)
        ending_plan(supervisor, ENDING_NOTIFIED_MS, SIGKILL);
    else if (supervisor->stopped && supervisor->up < 0)
        give_up_output(supervisor);
}

static void report_end(int rank, int status) {
    if (WIFSIGNALED(status))
        report_error("launch: rank %d was ended by signal %d (%s)", rank, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else
        report_error("launch: rank %d ended with code %d", rank, WEXITSTATUS(status));
}

/* The other ranks end, unless their end is planned already. */
static void fail(struct supervisor *supervisor, int code, int grace_ms) {
    supervisor->code = code;
    if (supervisor->next == 0)
        ending_plan(supervisor, grace_ms, SIGTERM);
}

/* True if a rank has failed, and the others still have time to end by themselves before they are
 * sent SIGTERM. */
static bool in_grace(const struct supervisor *supervisor) {
    return supervisor->next > 0 && supervisor->signal == SIGTERM;
}

/* True if this end may be the cause of the failure that was noticed first: a signal, or a code that
 * says more than that the rank has failed. */
static bool may_be_cause(const struct supervisor *supervisor, int status) {
    if (!in_grace(supervisor))
        return false;
    return WIFSIGNALED(status)
               ? supervisor->code < CODE_SIGNAL
               : supervisor->code == CODE_FAILED && WEXITSTATUS(status) > CODE_FAILED;
}

/* A rank has ended, with a status as waitpid returns it. The first failure ends the other ranks
 * and gives the exit code. If its code is 1, the code of a rank that has lost another one, a
 * failure with a higher code that follows before the others are ended gives the code instead. A
 * rank that a signal has ended is reported even if another has failed just before. */
static void ending_of_rank(struct supervisor *supervisor, struct member *member, int rank,
                           int status) {
    member->ended++;
    if (supervisor->up >= 0) {
        const struct frame_end end = {rank, status};
        supervisor_notify(supervisor, NULL, FRAME_ENDED, &end, sizeof end);
    } else if (status != 0 && supervisor->code == 0) {
        report_end(rank, status);
        if (WIFSIGNALED(status))
            fail(supervisor, CODE_SIGNAL + WTERMSIG(status), ENDING_KILLED_MS);
        else
            fail(supervisor, WEXITSTATUS(status), ENDING_GRACE_MS);
    } else if (may_be_cause(supervisor, status)) {
        report_end(rank, status);
        if (WIFEXITED(status))
            supervisor->code = WEXITSTATUS(status);
    }
}

/* A host is gone, and its ranks with it. `foreign`: it has answered what is no frame. */
static void ending_of_host(struct supervisor *supervisor, struct member *member, bool foreign) {
    if (member->ended == member->ranks)
        return;
    member->ended = member->ranks;
    if (supervisor->code != 0)
        return;
    if (foreign)
        report_error("launch: host %s has answered something else than sectile does; its shell "
                     "must print nothing by itself",
                     member->host);
    else
        report_error("launch: host %s is gone, or could not be reached", member->host);
    fail(supervisor, CODE_HOST_LOST, ENDING_GRACE_MS);
}

/* What the ranks print cannot be written, as errno explains, so they end, as ranks of this host
 * would by themselves. */
static void ending_of_output(struct supervisor *supervisor) {
    report_error("launch: the output cannot be written: %s", strerror(errno));
    silence(supervisor);
    if (supervisor->code == 0)
        supervisor->code = CODE_FAILED;
    ending_pass_signal(supervisor, SIGTERM);
    ending_plan(supervisor, ENDING_NOTIFIED_MS, SIGKILL);
}

/* ---- Keeping ---- */

/* After this time hosts that have not answered are named; ssh may be waiting for a password. */
enum { SLOW_MS = 5000 };

enum { PIECE = 4096 };

/* With so many bytes that the launcher has not read, no more output is read. */
enum { FULL = 1 << 18 };

int64_t supervisor_now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/* ---- What there is to say ---- */

/* Failure to write is ignored: that the other side has closed the connection is noticed on reading.
 * If there is no memory for a message, no later one is sent either: the other side must not take an
 * output with a gap for a complete one. */
void supervisor_send(struct supervisor *supervisor, struct member *member, struct parcel *parcel) {
    struct queue *queue = member ? &member->outgoing : &supervisor->out;
    if (supervisor->scarce || !queue_add(queue, parcel))
        supervisor->scarce = true;
    (void)queue_flush(queue, member ? member->fd : supervisor->up);
}

void supervisor_notify(struct supervisor *supervisor, struct member *member, enum frame_kind kind,
                       const void *data, size_t bytes) {
    struct parcel *parcel = frame_create(kind, data, bytes);
    supervisor_send(supervisor, member, parcel);
    parcel_drop(parcel);
}

/* Where what goes upwards is written to. */
static int out_fd(const struct supervisor *supervisor) {
    return supervisor->up < 0 ? STDOUT_FILENO : supervisor->up;
}

static void write_out(struct supervisor *supervisor) {
    if (!queue_flush(&supervisor->out, out_fd(supervisor)) && supervisor->up < 0)
        ending_of_output(supervisor);
}

/* ---- What arrives ---- */

static void close_member(struct supervisor *supervisor, struct member *member, bool foreign) {
    close(member->fd);
    member->fd = -1;
    if (member->host)
        ending_of_host(supervisor, member, foreign);
    rendezvous_break(supervisor);
}

static void print(struct supervisor *supervisor, const struct frame *frame) {
    if (supervisor->mute)
        return;
    struct parcel *text = parcel_create(frame->bytes);
    if (text)
        memcpy(text->data, frame->data, frame->bytes);
    if (!queue_add(&supervisor->out, text))
        ending_of_output(supervisor);
    parcel_drop(text);
}

static void read_member(struct supervisor *supervisor, struct member *member) {
    struct frame frame;
    struct frame_end end;
    enum frame_came came = frame_read(member->fd, &member->received, &frame);
    if (came == FRAME_GONE)
        close_member(supervisor, member, frame.kind > FRAME_LAST);
    if (came != FRAME_WHOLE)
        return;
    member->ready = true;
    if (frame.kind == FRAME_GATHER && !member->sent.data) {
        member->sent = frame;
        rendezvous_try(supervisor);
        return;
    }
    if (member->host && frame.kind == FRAME_OUTPUT) {
        print(supervisor, &frame);
    } else if (member->host && frame.kind == FRAME_FAIL) {
        rendezvous_break(supervisor);
    } else if (member->host && frame.kind == FRAME_ENDED && frame.bytes == sizeof end &&
               member->ended < member->ranks) {
        memcpy(&end, frame.data, sizeof end);
        ending_of_rank(supervisor, member, end.rank, end.status);
    }
    free(frame.data);
}

/* Without the launcher, nobody wants the ranks. */
static void read_launcher(struct supervisor *supervisor) {
    struct frame frame;
    int32_t signal = SIGKILL;
    enum frame_came came = frame_read(supervisor->down, &supervisor->received, &frame);
    if (came == FRAME_GONE) {
        supervisor->down = -1;
        ending_pass_signal(supervisor, SIGKILL);
    }
    if (came != FRAME_WHOLE)
        return;
    if (frame.kind == FRAME_ALL)
        rendezvous_answer(supervisor, &frame);
    else if (frame.kind == FRAME_FAIL)
        rendezvous_break(supervisor);
    else if (frame.kind == FRAME_SIGNAL && frame.bytes == sizeof signal) {
        memcpy(&signal, frame.data, sizeof signal);
        ending_pass_signal(supervisor, signal);
    }
    free(frame.data);
}

/* Passes on some output of the ranks, and returns its length in bytes. */
static int read_output(struct supervisor *supervisor) {
    char text[PIECE];
    ssize_t bytes = read(supervisor->output, text, sizeof text);
    if (bytes > 0)
        supervisor_notify(supervisor, NULL, FRAME_OUTPUT, text, (size_t)bytes);
    else if (bytes == 0 || (errno != EINTR && errno != EAGAIN))
        supervisor->output = -1;
    return bytes > 0 ? (int)bytes : 0;
}

/* Passes on all output that the ranks have written so far. */
static void read_all_output(struct supervisor *supervisor) {
    int left = 0;
    if (supervisor->output < 0 || ioctl(supervisor->output, FIONREAD, &left) != 0)
        return;
    while (left > 0 && supervisor->output >= 0)
        left -= read_output(supervisor);
}

/* Passes on a rank's output before it reports that the rank has ended. */
static void reap(struct supervisor *supervisor) {
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        read_all_output(supervisor);
        for (int i = 0; i < supervisor->count; i++) {
            struct member *member = &supervisor->members[i];
            if (member->process == ended && !member->host && member->ended == 0)
                ending_of_rank(supervisor, member, member->first, status);
        }
    }
}

/* Ranks do not stop by themselves: most have process groups of their own, which a terminal does not
 * reach. */
static void stop_all(struct supervisor *supervisor) {
    ending_pass_signal(supervisor, SIGTSTP);
    raise(SIGSTOP);
    ending_pass_signal(supervisor, SIGCONT);
}

static void read_signal(struct supervisor *supervisor) {
    struct signalfd_siginfo info;
    if (read(supervisor->signals, &info, sizeof info) != sizeof info)
        return;
    int number = (int)info.ssi_signo;
    if (number == SIGCHLD) {
        reap(supervisor);
    } else if (number == SIGTSTP) {
        stop_all(supervisor);
    } else {
        ending_pass_signal(supervisor, number);
        if (ending_only_notifies(number))
            return;
        supervisor->stopped = number;
        ending_plan(supervisor, ENDING_NOTIFIED_MS, SIGKILL);
    }
}

/* ---- The loop ---- */

/* The signals that are passed on, and those by which children end. One that is ignored, as under
 * nohup, stays so: blocked, it would be read. */
static sigset_t signals_to_watch(void) {
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGUSR1, SIGUSR2};
    struct sigaction now;
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (sigaction(passed[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&watched, passed[i]);
    return watched;
}

enum code supervisor_add_ranks(struct supervisor *supervisor, int ranks) {
    supervisor->members = calloc((size_t)ranks, sizeof *supervisor->members);
    if (!supervisor->members) {
        report_error("launch: no memory for the ranks");
        return CODE_FAILED;
    }
    supervisor->count = supervisor->ranks = ranks;
    return CODE_DONE;
}

enum code supervisor_prepare(struct supervisor *supervisor) {
    sigset_t watched = signals_to_watch();
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    signal(SIGPIPE, SIG_IGN);
    supervisor->signals = signalfd(-1, &watched, SFD_CLOEXEC);
    if (supervisor->signals < 0) {
        report_error("launch: signals cannot be received: %s", strerror(errno));
        return CODE_FAILED;
    }
    return CODE_DONE;
}

static bool all_ended(const struct supervisor *supervisor) {
    int ended = 0;
    for (int i = 0; i < supervisor->count; i++)
        ended += supervisor->members[i].ended;
    return ended == supervisor->ranks;
}

/* What is still to be sent is sent first, if the launcher still reads. */
static bool is_done(const struct supervisor *supervisor) {
    bool is_read = supervisor->up < 0 || supervisor->down >= 0;
    return all_ended(supervisor) && (supervisor->out.bytes == 0 || !is_read);
}

static void name_slow_hosts(struct supervisor *supervisor) {
    supervisor->slow = 0;
    for (int i = 0; i < supervisor->count; i++) {
        const struct member *member = &supervisor->members[i];
        if (member->host && !member->ready && member->fd >= 0)
            report_error("launch: still waiting for host %s", member->host);
    }
}

/* Milliseconds until something is to be done; -1: nothing is. */
static int time_left(const struct supervisor *supervisor) {
    int64_t at = supervisor->next, left;
    if (supervisor->slow > 0 && (at == 0 || supervisor->slow < at))
        at = supervisor->slow;
    if (at == 0)
        return -1;
    left = at - supervisor_now_ms();
    return left > 0 ? (int)left : 0;
}

enum { SIGNALS, DOWN, OUTPUT, OUT, MEMBERS }; /* what is watched, in this order */

static struct pollfd watch(int fd, int events) {
    return (struct pollfd){.fd = events ? fd : -1, .events = (short)events};
}

/* A rank that meets again before it has read the last answer is not read, so that no
 * more than one answer waits for it. The launcher is always read: it may wait for that. */
static void watch_all(const struct supervisor *supervisor, struct pollfd *watched) {
    bool full = supervisor->out.bytes >= FULL;
    watched[SIGNALS] = watch(supervisor->signals, POLLIN);
    watched[DOWN] = watch(supervisor->down, POLLIN);
    watched[OUTPUT] = watch(supervisor->output, full ? 0 : POLLIN);
    watched[OUT] = watch(out_fd(supervisor), supervisor->out.bytes > 0 ? POLLOUT : 0);
    for (int i = 0; i < supervisor->count; i++) {
        const struct member *member = &supervisor->members[i];
        bool writes = member->outgoing.bytes > 0, listens = member->host ? !full : !writes;
        watched[MEMBERS + i] = watch(member->fd, (listens ? POLLIN : 0) | (writes ? POLLOUT : 0));
    }
}

static bool can_read(const struct pollfd *one) {
    return (one->events & POLLIN) && (one->revents & ~POLLOUT);
}

static void write_and_read(struct supervisor *supervisor, const struct pollfd *watched) {
    if (watched[OUT].revents)
        write_out(supervisor);
    if (can_read(&watched[OUTPUT]))
        read_output(supervisor);
    if (can_read(&watched[SIGNALS]))
        read_signal(supervisor);
    if (can_read(&watched[DOWN]))
        read_launcher(supervisor);
    for (int i = 0; i < supervisor->count; i++) {
        struct member *member = &supervisor->members[i];
        if (watched[MEMBERS + i].revents)
            (void)queue_flush(&member->outgoing, member->fd);
        if (can_read(&watched[MEMBERS + i]))
            read_member(supervisor, member);
    }
}

static bool wait_and_act(struct supervisor *supervisor, struct pollfd *watched) {
    watch_all(supervisor, watched);
    if (poll(watched, (nfds_t)supervisor->count + MEMBERS, time_left(supervisor)) < 0 &&
        errno != EINTR)
        return false;
    if (supervisor->next > 0 && supervisor_now_ms() >= supervisor->next)
        ending_begin(supervisor);
    if (supervisor->slow > 0 && supervisor_now_ms() >= supervisor->slow)
        name_slow_hosts(supervisor);
    write_and_read(supervisor, watched);
    return !supervisor->scarce;
}

int supervisor_run(struct supervisor *supervisor) {
    struct pollfd *watched = calloc((size_t)supervisor->count + MEMBERS, sizeof *watched);
    bool works = watched != NULL;
    supervisor->slow = supervisor_now_ms() + SLOW_MS;
    while (works && !is_done(supervisor))
        works = wait_and_act(supervisor, watched);
    if (!works && !is_done(supervisor)) {
        report_error("launch: the ranks cannot be watched");
        ending_pass_signal(supervisor, SIGKILL);
        supervisor->code = CODE_FAILED;
    }
    free(watched);
    return supervisor->code;
}

void supervisor_free(struct supervisor *supervisor) {
    for (int i = 0; i < supervisor->count; i++) {
        struct member *member = &supervisor->members[i];
        free(member->host);
        queue_clear(&member->outgoing);
        free(member->sent.data);
        free(member->received.frame.data);
    }
    free(supervisor->members);
    queue_clear(&supervisor->out);
    free(supervisor->received.frame.data);
}
