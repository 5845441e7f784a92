/* rank_threads.c - each thread publishes its contribution and copies those of the others. */
#include "support/rank_threads.h"

#include "support/check.h"

#include <string.h>

void rank_threads_run(int ranks, void *(*body)(void *), void *members, size_t bytes) {
    rank_group group = {.ranks = ranks};
    pthread_t threads[RANK_THREADS_MOST];
    pthread_barrier_init(&group.barrier, NULL, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        void *member = (char *)members + (size_t)r * bytes;
        ((rank_thread *)member)->group = &group;
        ((rank_thread *)member)->rank = r;
        CHECK(pthread_create(&threads[r], NULL, body, member) == 0);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(threads[r], NULL);
    pthread_barrier_destroy(&group.barrier);
}

int rank_threads_allgather(void *context, const void *mine, size_t bytes, void *all) {
    rank_thread *self = context;
    rank_group *group = self->group;
    group->contribution[self->rank] = mine;
    pthread_barrier_wait(&group->barrier);
    for (int r = 0; r < group->ranks; r++)
        memcpy((char *)all + (size_t)r * bytes, group->contribution[r], bytes);
    pthread_barrier_wait(&group->barrier);
    return ++self->gathers == self->fails_at;
}

sct_bootstrap rank_threads_bootstrap(rank_thread *self) {
    return (sct_bootstrap){.size = sizeof(sct_bootstrap),
                           .rank = self->rank,
                           .ranks = self->group->ranks,
                           .allgather = rank_threads_allgather,
                           .context = self};
}
