/* naps.c - preloaded for programs on an MPI, whose processes poll while they wait: sleeps a little
 * after some polls in vain. With more processes than cores, each message would otherwise take a
 * time slice of the system, and all waiting takes processor time from other tests. */
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { POLLS = 50, NAP_NS = 20000 };

/* The function of UCX, on which MPICH is built, that a waiting process calls. */
unsigned ucp_worker_progress(void *worker);

static void poll_in_vain(bool in_vain) {
    static int idle;
    idle = in_vain ? idle + 1 : 0;
    if (idle < POLLS)
        return;
    idle = 0;
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*original)(void *);
    if (!original) { /* also in a library that the program has loaded late */
        void *library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        void *symbol = dlsym(library, "ucp_worker_progress");
        memcpy(&original, &symbol, sizeof symbol);
    }
    unsigned progress = original(worker);
    poll_in_vain(progress == 0);
    return progress;
}

/* What Open MPI calls after each poll in vain. */
int sched_yield(void) {
    poll_in_vain(true);
    return 0;
}
