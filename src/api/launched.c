/* launched.c - how processes meet that a launcher has started.
 *
 * Each rank that `sectile launch` has started has a connection to it, which it inherits. Where
 * another launcher only says who the ranks are, they connect to rank 0 when one first asks, and
 * stay connected until the process ends: it has one launcher, and starts once. */
#include "base/clock.h"
#include "base/setting.h"
#include "base/status.h"
#include "fabric/barrier.h"
#include "launch/launcher.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- sectile launch ---- */

/* The number in a variable; -1: none. */
static int number_in(const char *variable) {
    int64_t number;
    (void)sct_setting(variable, 0, INT32_MAX, -1, &number);
    return (int)number;
}

/* The context is the descriptor itself, so that there is nothing to free. */
static int gather_by_launcher(void *context, const void *mine, size_t bytes, void *all) {
    return sct_rendezvous_ask((int)(intptr_t)context, number_in("SECTILE_RANKS"),
                              sct_launcher_sectile, mine, bytes, all) != SCT_OK;
}

/* A rank that went on alone without its connection would do the work of all. */
static sct_status join_launch(const sct_launcher *launcher, sct_bootstrap *bootstrap) {
    int fd = number_in("SECTILE_LAUNCHER");
    struct stat about;
    if (fd >= 0 && launcher->rank >= 0 && launcher->ranks > 0 && fstat(fd, &about) == 0 &&
        S_ISSOCK(about.st_mode)) {
        bootstrap->allgather = gather_by_launcher;
        bootstrap->context = (void *)(intptr_t)fd;
        return SCT_OK;
    }
    static const char *const variables[] = {"SECTILE_LAUNCHER", "SECTILE_RANK", "SECTILE_RANKS"};
    size_t set = 0, last = sizeof variables / sizeof *variables - 1;
    while (set < last && !getenv(variables[set]))
        set++;
    return sct_fail(SCT_FAILED,
                    "%s is set, but this process has no connection to sectile launch: what "
                    "has started it may have closed that; SECTILE_LAUNCHER=none is for a process "
                    "that works alone",
                    variables[set]);
}

/* ---- Other launchers ---- */

static struct {
    pthread_mutex_t lock;
    sct_rendezvous rendezvous; /* without descriptors until the ranks have met */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int gather_by_rank_0(void *context, const void *mine, size_t bytes, void *all) {
    return sct_rendezvous_gather(context, mine, bytes, all) != SCT_OK;
}

/* A child that the process forks, even while the ranks meet, must not keep the others waiting if
 * the process is killed. */
static void close_in_child(void) {
    sct_rendezvous_close(&process.rendezvous);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, close_in_child);
}

static sct_status meet(const sct_launcher_kind *kind, const sct_launcher *launcher,
                       sct_rendezvous *rendezvous) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sct_status status = sct_rendezvous_create(launcher->rank, launcher->ranks, rendezvous);
    pthread_once(&once, watch_forks);
    if (!status && launcher->ranks > 1)
        status = kind->meet(launcher, rendezvous);
    if (status)
        sct_rendezvous_destroy(rendezvous);
    return status;
}

static sct_status join_others(const sct_launcher_kind *kind, const sct_launcher *launcher,
                              sct_bootstrap *bootstrap) {
    if (!kind->meet || (!kind->ranks && launcher->ranks < 1))
        return sct_fail(SCT_NO_ENGINE,
                        "%s: its ranks can meet by MPI only; ranks without MPI are started by srun "
                        "--mpi=none, torchrun or sectile launch",
                        launcher->variable);
    if (launcher->rank < 0 || launcher->ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "%s is set, but not %s", kind->sign,
                        launcher->rank < 0 ? kind->rank : kind->ranks);
    if (launcher->ranks > SCT_BARRIER_MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are more than the %d that can meet",
                        launcher->ranks, SCT_BARRIER_MOST_RANKS);
    pthread_mutex_lock(&process.lock);
    sct_status status = process.rendezvous.fds ? SCT_OK : meet(kind, launcher, &process.rendezvous);
    pthread_mutex_unlock(&process.lock);
    bootstrap->allgather = gather_by_rank_0;
    bootstrap->context = &process.rendezvous;
    return status;
}

sct_status sct_bootstrap_launched(sct_bootstrap *bootstrap) {
    sct_status status = sct_check_output("bootstrap", bootstrap);
    const sct_launcher_kind *kind;
    sct_launcher launcher;
    if (!status)
        status = sct_launcher_recognise(&launcher, &kind);
    if (!status)
        status = sct_deadline_check();
    if (status)
        return status;
    if (!kind)
        return sct_fail(SCT_NO_ENGINE, "this process was not started by sectile launch, nor by "
                                       "another launcher that says which rank it is");
    sct_bootstrap made = {.size = sizeof made, .rank = launcher.rank, .ranks = launcher.ranks};
    status = launcher.name == sct_launcher_sectile ? join_launch(&launcher, &made)
                                                   : join_others(kind, &launcher, &made);
    if (!status)
        *bootstrap = made;
    return status;
}
