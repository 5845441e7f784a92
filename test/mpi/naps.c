/* naps.c - preloaded for programs on MPICH, whose processes poll while they wait: sleeps a little
 * after some polls in vain. With more processes than cores, each message would otherwise take a
 * time slice of the system, and all waiting takes processor time from other tests. */
#include <dlfcn.h>
#include <string.h>
#include <time.h>

/* The function of UCX, on which MPICH is built, that a waiting process calls. */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
    enum { POLLS = 50, NAP_NS = 20000 };
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
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
    return progress;
}
