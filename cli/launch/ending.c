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

static void signal_member(struct keeper *keeper, struct member *member, int signal) {
    int32_t number = signal;
    if (member->ended == member->ranks)
        return;
    if (!member->host)
        kill(member->grouped ? -member->process : member->process, signal);
    else if (member->ready && member->fd >= 0)
        keeper_tell(keeper, member, FRAME_SIGNAL, &number, sizeof number);
    else if (!member->ready && !ending_only_notifies(signal))
        kill(member->process, signal); /* ends ssh: nobody on the host listens yet */
}

void ending_pass_signal(struct keeper *keeper, int signal) {
    for (int i = 0; i < keeper->count; i++)
        signal_member(keeper, &keeper->members[i], signal);
}

void keeper_kill(struct keeper *keeper, int started) {
    for (int i = 0; i < started; i++)
        signal_member(keeper, &keeper->members[i], SIGKILL);
}

void ending_plan(struct keeper *keeper, int ms, int signal) {
    keeper->next = keeper_now_ms() + ms;
    keeper->signal = signal;
}

static void silence(struct keeper *keeper) {
    keeper->mute = true;
    queue_clear(&keeper->out);
}

/* A launcher that is to end no longer waits for a reader of the output. */
static void give_up_output(struct keeper *keeper) {
    if (keeper->code == 0 && keeper->out.bytes > 0)
        keeper->code = CODE_SIGNAL + keeper->stopped;
    silence(keeper);
}

void ending_begin(struct keeper *keeper) {
    ending_pass_signal(keeper, keeper->signal);
    keeper->next = 0;
    if (keeper->signal != SIGKILL)
        ending_plan(keeper, ENDING_PATIENCE_MS, SIGKILL);
    else if (keeper->stopped && keeper->up < 0)
        give_up_output(keeper);
}

static void report_end(int rank, int status) {
    if (WIFSIGNALED(status))
        report_error("launch: rank %d was ended by signal %d (%s)", rank, WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
    else
        report_error("launch: rank %d ended with code %d", rank, WEXITSTATUS(status));
}

/* The other ranks end, unless their end is planned already. */
static void fail(struct keeper *keeper, int code, int grace_ms) {
    keeper->code = code;
    if (keeper->next == 0)
        ending_plan(keeper, grace_ms, SIGTERM);
}

/* True if a rank has failed, and the others have not been told to end yet. */
static bool in_grace(const struct keeper *keeper) {
    return keeper->next > 0 && keeper->signal == SIGTERM;
}

/* True if a signal has ended this rank while the others are still ending because of a failure: the
 * signal may have come first, and be the cause. */
static bool may_be_cause(const struct keeper *keeper, int status) {
    return WIFSIGNALED(status) && keeper->code < CODE_SIGNAL && in_grace(keeper);
}

void ending_of_rank(struct keeper *keeper, struct member *member, int rank, int status) {
    member->ended++;
    if (keeper->up >= 0) {
        const struct frame_end end = {rank, status};
        keeper_tell(keeper, NULL, FRAME_ENDED, &end, sizeof end);
    } else if (status != 0 && keeper->code == 0) {
        report_end(rank, status);
        if (WIFSIGNALED(status))
            fail(keeper, CODE_SIGNAL + WTERMSIG(status), ENDING_KILLED_MS);
        else
            fail(keeper, WEXITSTATUS(status), ENDING_GRACE_MS);
    } else if (may_be_cause(keeper, status)) {
        report_end(rank, status);
    }
}

void ending_of_host(struct keeper *keeper, struct member *member, bool foreign) {
    if (member->ended == member->ranks)
        return;
    member->ended = member->ranks;
    if (keeper->code != 0)
        return;
    if (foreign)
        report_error("launch: host %s has answered something else than sectile does; its shell "
                     "must print nothing by itself",
                     member->host);
    else
        report_error("launch: host %s is gone, or could not be reached", member->host);
    fail(keeper, CODE_HOST_LOST, ENDING_GRACE_MS);
}

void ending_of_output(struct keeper *keeper) {
    report_error("launch: the output cannot be written: %s", strerror(errno));
    silence(keeper);
    if (keeper->code == 0)
        keeper->code = CODE_FAILED;
    ending_pass_signal(keeper, SIGTERM);
    ending_plan(keeper, ENDING_PATIENCE_MS, SIGKILL);
}
