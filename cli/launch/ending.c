/* ending.c - see ending.h. */
#include "launch/ending.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Exit codes as those of a shell: of a process ended by a signal, and of a host that is gone. */
enum { CODE_SIGNAL = 128, CODE_HOST_LOST = 255 };

bool ending_only_notifies(int signal) {
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

void ending_pass_signal(struct supervisor *supervisor, int signal) {
    for (int i = 0; i < supervisor->count; i++)
        signal_member(supervisor, &supervisor->members[i], signal);
}

void supervisor_kill(struct supervisor *supervisor, int started) {
    for (int i = 0; i < started; i++)
        signal_member(supervisor, &supervisor->members[i], SIGKILL);
}

void ending_plan(struct supervisor *supervisor, int ms, int signal) {
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

void ending_begin(struct supervisor *supervisor) {
    ending_pass_signal(supervisor, supervisor->signal);
    supervisor->next = 0;
    if (supervisor->signal != SIGKILL)
        ending_plan(supervisor, ENDING_PATIENCE_MS, SIGKILL);
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

/* True if a rank has failed, and the others have not been notified of that yet. */
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

void ending_of_rank(struct supervisor *supervisor, struct member *member, int rank, int status) {
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

void ending_of_host(struct supervisor *supervisor, struct member *member, bool foreign) {
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

void ending_of_output(struct supervisor *supervisor) {
    report_error("launch: the output cannot be written: %s", strerror(errno));
    silence(supervisor);
    if (supervisor->code == 0)
        supervisor->code = CODE_FAILED;
    ending_pass_signal(supervisor, SIGTERM);
    ending_plan(supervisor, ENDING_PATIENCE_MS, SIGKILL);
}
