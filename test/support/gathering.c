/* gathering.c - each thread shows what it has, and copies what the others do. */
#include "support/gathering.h"

#include <string.h>

void gathering_begin(gathering *all, int ranks) {
    all->ranks = ranks;
    pthread_barrier_init(&all->barrier, NULL, (unsigned)ranks);
}

void gathering_end(gathering *all) {
    pthread_barrier_destroy(&all->barrier);
}

int gathering_allgather(void *context, const void *mine, size_t bytes, void *all) {
    const gatherer *self = context;
    gathering *shared = self->all;
    shared->shown[self->rank] = mine;
    pthread_barrier_wait(&shared->barrier);
    for (int r = 0; r < shared->ranks; r++)
        memcpy((char *)all + (size_t)r * bytes, shared->shown[r], bytes);
    pthread_barrier_wait(&shared->barrier);
    return 0;
}

sct_bootstrap gathering_bootstrap(gatherer *self) {
    return (sct_bootstrap){.size = sizeof(sct_bootstrap),
                           .rank = self->rank,
                           .ranks = self->all->ranks,
                           .allgather = gathering_allgather,
                           .context = self};
}
