/* running.c - which processes run: not those that have ended, whether or not anyone knows. And what
 * depends on it: the lock of a process that was killed is taken over. */
#include "fabric/machine.h"

#include "fabric/transfer.h"
#include "support/check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 60 };

/* Starts a process that says when it is ready, and then waits. */
static pid_t start(void (*prepare)(int ready)) {
    int ready[2];
    char byte;
    CHECK(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prepare(ready[1]);
        pause();
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void just_run(int ready) {
    CHECK(write(ready, "", 1) == 1);
}

/* A name that looks like the end of the name and a state. */
static void run_disguised(int ready) {
    prctl(PR_SET_NAME, ") Z 1 1 1 1");
    CHECK(write(ready, "", 1) == 1);
}

static void *go_on(void *arg) {
    usleep(100000); /* until the first thread has ended */
    CHECK(write(*(int *)arg, "", 1) == 1);
    pause();
    return NULL;
}

static void end_first_thread(int ready) {
    pthread_t thread;
    static int fd;
    fd = ready;
    pthread_create(&thread, NULL, go_on, &fd);
    pthread_exit(NULL);
}

static void end(pid_t child) {
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

static void tell(void) {
    uint64_t since = sct_running_since(getpid());
    CHECK(since > 0 && sct_running_since(getpid()) == since);
    void (*const ways[])(int) = {just_run, run_disguised, end_first_thread};
    for (int i = 0; i < 3; i++) {
        pid_t child = start(ways[i]);
        siginfo_t info;
        uint64_t begun = sct_running_since(child);
        CHECK_CASE(begun >= since, "way %d", i);
        CHECK(sct_running_since(child) == begun && !sct_has_ended(child, begun));
        CHECK(!sct_has_ended(child, 0) && sct_has_ended(child, begun + 1));
        kill(child, SIGKILL);
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
        CHECK_CASE(sct_has_ended(child, begun) && sct_has_ended(child, 0), "way %d: killed", i);
        end(child);
        CHECK_CASE(sct_has_ended(child, begun) && sct_has_ended(child, 0), "way %d: gone", i);
        CHECK(sct_running_since(child) == 0);
    }
}

static void add(sct_bands *bands, double *sums) {
    double one[4] = {1, 1, 1, 1};
    sct_memory block = {(char *)sums, sizeof one, 1, sizeof one};
    sct_rectangle all = {0, 0, 1, sizeof one};
    sct_transfer transfer =
        sct_transfer_accumulate(&block, bands, &all, SCT_F64, one, sizeof one, 0);
    sct_transfer_run(&transfer);
}

static void *add_later(void *arg) {
    double *sums = arg;
    add((sct_bands *)(void *)(sums + 4), sums);
    return NULL;
}

/* The lock of a process that runs is waited for; once it has ended, nobody waits. */
static void take_over(void) {
    struct {
        double sums[4];
        sct_bands bands;
    } shared = {.sums = {0}};
    pthread_t thread;
    pid_t child = start(just_run);
    atomic_store(&shared.bands.taken[0], child);
    pthread_create(&thread, NULL, add_later, &shared);
    usleep(100000);
    CHECK(atomic_load(&shared.bands.taken[0]) == child);
    end(child);
    pthread_join(thread, NULL);
    CHECK(shared.sums[0] == 1 && shared.sums[3] == 1 && atomic_load(&shared.bands.taken[0]) == 0);
}

/* Without descriptors nobody can ask, and nobody is taken to have ended. */
static void ask_without_descriptors(void) {
    struct rlimit before, none;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = before;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(!sct_has_ended(getpid(), 0) && !sct_has_ended(INT32_MAX, 0));
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(!sct_has_ended(getpid(), 0) && sct_has_ended(INT32_MAX, 0));
}

int main(void) {
    alarm(LIMIT);
    tell();
    take_over();
    ask_without_descriptors();
    return check_report("running");
}
