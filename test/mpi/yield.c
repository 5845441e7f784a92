/* yield.c - preloaded for programs on MPICH, whose processes poll while they wait: gives the core
 * to another process after some polls in vain. With more processes than cores, each message would
 * otherwise take a time slice of the system. */
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

/* The function of UCX, on which MPICH is built, that a waiting process calls. */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
    enum { POLLS = 50 };
    static unsigned (*original)(void *);
    static int idle;
    if (!original) {
        void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
        memcpy(&original, &symbol, sizeof symbol);
    }
    unsigned progress = original(worker);
    idle = progress ? 0 : idle + 1;
    if (idle >= POLLS) {
        idle = 0;
        sched_yield();
    }
    return progress;
}
