/* ranks.c - ranks without MPI: those that `sectile launch` has started, or else as many forks of
 * this process as SECTILE_TEST_RANKS says. Forks meet in memory that they share. */
#include "processes/ranks.h"

#include "fabric/processes/processes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16, SLOT = 8192, NAME = 64 };

/* What forks share. `barriers`: by the number of ranks that meet. */
typedef struct meeting {
    pthread_barrier_t barriers[MOST + 1];
    char slots[MOST][SLOT];
} meeting;

static sct_bootstrap everyone;
static meeting *shared;
static pid_t children[MOST];

/* ---- Forks ---- */

/* An allgather of the first so many forks, whose number is the context. */
static int gather_forks(void *context, const void *mine, size_t bytes, void *all) {
    int ranks = *(const int *)context;
    for (size_t at = 0; at < bytes || at == 0; at += SLOT) {
        size_t part = bytes - at < SLOT ? bytes - at : SLOT;
        memcpy(shared->slots[everyone.rank], (const char *)mine + at, part);
        pthread_barrier_wait(&shared->barriers[ranks]);
        for (int r = 0; r < ranks; r++)
            memcpy((char *)all + (size_t)r * bytes + at, shared->slots[r], part);
        pthread_barrier_wait(&shared->barriers[ranks]);
    }
    return 0;
}

/* The test fails if a fork does. */
static void await_forks(int code, void *unused) {
    (void)unused;
    bool failed = false;
    for (int r = 1; everyone.rank == 0 && r < everyone.ranks; r++) {
        int status = 0;
        waitpid(children[r], &status, 0);
        failed = failed || status != 0;
    }
    if (failed && code == 0) {
        fflush(stdout);
        _exit(1);
    }
}

static void start_forks(int ranks) {
    static int size;
    pthread_barrierattr_t across;
    if (ranks < 1 || ranks > MOST)
        exit(2);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_init(&across);
    pthread_barrierattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
    for (int r = 1; r <= ranks; r++)
        pthread_barrier_init(&shared->barriers[r], &across, (unsigned)r);
    size = ranks;
    everyone = (sct_bootstrap){
        .size = sizeof everyone, .ranks = ranks, .allgather = gather_forks, .context = &size};
    on_exit(await_forks, NULL);
    for (int r = 1; r < ranks && everyone.rank == 0; r++)
        if ((children[r] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            everyone.rank = r;
        }
}

/* ---- All ranks ---- */

void ranks_start(int argc, char **argv) {
    const char *forks = getenv("SECTILE_TEST_RANKS");
    (void)argc;
    (void)argv;
    if (sct_bootstrap_launched(&everyone) != SCT_OK)
        start_forks(forks ? atoi(forks) : 1);
}

int ranks_rank(void) {
    return everyone.rank;
}

int ranks_size(void) {
    return everyone.ranks;
}

sct_status ranks_create_world(int ranks, const sct_world_options *options, sct_world **world) {
    emulated_options own;
    sct_world_options chosen = ranks_engine(options, "processes", &own);
    sct_bootstrap first = everyone;
    if (shared) {
        first.ranks = ranks;
        first.context = &first.ranks;
    } else if (ranks < everyone.ranks) {
        exit(2); /* those of a launcher are all or none */
    }
    return sct_world_create(&first, &chosen, world);
}

sct_status ranks_open_fabric(const sct_world_options *options, sct_fabric **fabric) {
    return sct_fabric_processes(&everyone, options, fabric);
}

void ranks_gather(const void *mine, size_t bytes, void *all) {
    everyone.allgather(everyone.context, mine, bytes, all);
}

int ranks_on_node(void) {
    char own[NAME] = "", *all = malloc((size_t)everyone.ranks * NAME);
    int count = 0;
    gethostname(own, sizeof own - 1);
    ranks_gather(own, sizeof own, all);
    for (int r = 0; r < everyone.ranks; r++)
        count += !strcmp(all + (size_t)r * NAME, own);
    free(all);
    return count;
}

sct_path ranks_path(const char *argument) {
    return strcmp(argument, "nvshmem") ? SCT_PATH_AUTO : SCT_PATH_NVSHMEM;
}
