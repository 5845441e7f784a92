/* large_stack.c - runs the tool with a stack that is large enough, whatever `ulimit -s` says. */
#include "ranks/large_stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/* An MPI and the drivers of devices need more than the tool. */
static const size_t enough = 8 << 20, small = 1 << 20;

struct call {
    int (*run)(int count, char **words);
    int count;
    char **words;
    sigset_t signals; /* those that are blocked */
    int result;
};

static bool is_small(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < small;
}

static void *run_call(void *arg) {
    struct call *call = arg;
    pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
    call->result = call->run(call->count, call->words);
    return NULL;
}

/* False if there is no such thread. All signals go to it: this one only waits. */
static bool run_in_thread(struct call *call) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &call->signals);
    bool started = pthread_attr_setstacksize(&attributes, enough) == 0 &&
                   pthread_setattr_default_np(&attributes) == 0 &&
                   pthread_create(&thread, NULL, run_call, call) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &call->signals, NULL);
    return started;
}

int large_stack_run(int (*run)(int count, char **words), int count, char **words) {
    struct call call = {.run = run, .count = count, .words = words};
    if (!is_small() || !run_in_thread(&call))
        return run(count, words);
    return call.result;
}
