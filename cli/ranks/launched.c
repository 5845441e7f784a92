/* launched.c - processes that meet without MPI: by the allgather of their bootstrap. */
#include "ranks/launched.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

sct_status launched_start(int *rank, int *ranks) {
    sct_bootstrap all;
    sct_status status = sct_bootstrap_launched(&all);
    if (status == SCT_OK) {
        *rank = all.rank;
        *ranks = all.ranks;
    }
    return status;
}

static int start(int *rank, int *ranks) {
    return launched_start(rank, ranks) != SCT_OK;
}

static sct_status create_world(const sct_world_options *options, sct_world **world) {
    sct_bootstrap all;
    sct_status status = sct_bootstrap_launched(&all);
    return status == SCT_OK ? sct_world_create(&all, options, world) : status;
}

static bool gather_all(const sct_bootstrap *ranks, char *all, size_t bytes) {
    return ranks->allgather(ranks->context, all + (size_t)ranks->rank * bytes, bytes, all) == 0;
}

/* An allgather in a thread of its own, so that the process can give up waiting for it. */
struct gathering {
    sct_bootstrap ranks;
    size_t bytes;
    bool gathered;
    char all[];
};

static void *gather_now(void *arg) {
    struct gathering *g = arg;
    g->gathered = gather_all(&g->ranks, g->all, g->bytes);
    return NULL;
}

/* False if it fails or does not end in time. If it does not end, its thread keeps its memory. */
static bool gather_within(const sct_bootstrap *ranks, char *all, size_t bytes, double seconds) {
    size_t room = (size_t)ranks->ranks * bytes;
    struct gathering *g = malloc(sizeof *g + room);
    pthread_t thread;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds + 1;
    if (g) {
        *g = (struct gathering){.ranks = *ranks, .bytes = bytes};
        memcpy(g->all, all, room);
    }
    if (!g || pthread_create(&thread, NULL, gather_now, g) != 0) {
        free(g);
        return false;
    }
    if (pthread_timedjoin_np(thread, NULL, &end) != 0)
        return false;
    bool gathered = g->gathered;
    if (gathered)
        memcpy(all, g->all, room);
    free(g);
    return gathered;
}

static bool gather(void *all, int bytes, double seconds) {
    sct_bootstrap ranks;
    return sct_bootstrap_launched(&ranks) == SCT_OK &&
           (seconds < 0 ? gather_all(&ranks, all, (size_t)bytes)
                        : gather_within(&ranks, all, (size_t)bytes, seconds));
}

/* The other processes send as much, which is little. */
static bool spread(void *bytes, int count, int from, double seconds) {
    sct_bootstrap ranks;
    char *all = NULL;
    if (sct_bootstrap_launched(&ranks) == SCT_OK)
        all = calloc((size_t)ranks.ranks, (size_t)count);
    if (!all)
        return false;
    memcpy(all + (size_t)ranks.rank * (size_t)count, bytes, (size_t)count);
    bool spread = gather(all, count, seconds);
    if (spread)
        memcpy(bytes, all + (size_t)from * (size_t)count, (size_t)count);
    free(all);
    return spread;
}

/* The others are ended by sectile launch, or notice that a connection is lost. */
__attribute__((noreturn)) static void end_all(int code) {
    fflush(NULL);
    _exit(code);
}

static void stop(void) {}

const struct engine launched_engine = {.size = sizeof(struct engine),
                                       .start = start,
                                       .create_world = create_world,
                                       .gather = gather,
                                       .spread = spread,
                                       .abort = end_all,
                                       .stop = stop};
