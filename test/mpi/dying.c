/* dying.c - ranks at work for ever, until one of them is killed: see dying.sh. */
#include "support/check.h"
#include "whole/support/elements.h"

#include <sectile/sectile_mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 300, VICTIM = 1, LIMIT = 60 };

static const double one = 1;

static void *kill_later(void *arg) {
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    fputs("rank 1 is killed\n", stderr);
    kill(getpid(), SIGKILL);
    return NULL;
}

typedef struct stage {
    sct_world *world;
    sct_matrix *matrix[3];
    sct_block block; /* as large as a tile of the first */
} stage;

typedef sct_status work(stage *s);

static sct_status get(stage *s) {
    sct_tile next = {(sct_world_rank(s->world) + 1) % sct_world_size(s->world), 0};
    return sct_matrix_get_tile(s->matrix[0], next, SCT_HERE, &s->block);
}

static sct_status add(stage *s) {
    sct_tile next = {(sct_world_rank(s->world) + 1) % sct_world_size(s->world), 0};
    return sct_matrix_accumulate_tile(s->matrix[0], next, SCT_HERE, &s->block);
}

static sct_status meet(stage *s) {
    return sct_world_barrier(s->world);
}

static sct_status multiply(stage *s) {
    return sct_multiply(SCT_N, SCT_N, &one, sct_whole(s->matrix[0]), sct_whole(s->matrix[1]), &one,
                        sct_whole(s->matrix[2]), NULL);
}

static const struct mode {
    const char *name;
    work *work;
} modes[] = {{"get", get}, {"add", add}, {"meet", meet}, {"multiply", multiply}};

static work *find(const char *name) {
    for (int i = 0; i < 4; i++)
        if (strcmp(modes[i].name, name) == 0)
            return modes[i].work;
    exit(2);
}

static void prepare(stage *s) {
    static const char *const texts[] = {"row", "col", "2d"};
    for (int i = 0; i < 3; i++) {
        sct_layout *layout = layout_of(texts[i], SIZE, SIZE, sct_world_size(s->world));
        CHECK(sct_matrix_create(s->world, SCT_F64, layout, &s->matrix[i]) == SCT_OK);
        sct_layout_destroy(layout);
        matrix_set(s->world, s->matrix[i], (element){1, 0});
    }
    s->block = (sct_block){.data = calloc(SIZE * SIZE, sizeof(double)),
                           .ld = SIZE,
                           .rows = SIZE / sct_world_size(s->world),
                           .cols = SIZE};
}

/* dying MODE RANKS_PER_NODE: ends by a signal. */
int main(int argc, char **argv) {
    int level;
    if (argc != 3)
        return 2;
    work *chosen = find(argv[1]);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    sct_world_options options = {.size = sizeof options,
                                 .ranks_per_node = (int)strtol(argv[2], NULL, 10),
                                 .path = SCT_PATH_SERVICE};
    stage s = {.world = NULL};
    pthread_t killer;
    alarm(LIMIT);
    if (!CHECK(sct_world_create_mpi(MPI_COMM_WORLD, &options, &s.world) == SCT_OK))
        return 1;
    prepare(&s);
    if (sct_world_rank(s.world) == VICTIM)
        CHECK(pthread_create(&killer, NULL, kill_later, NULL) == 0);
    while (chosen(&s) == SCT_OK)
        continue;
    /* An MPI may tell of the death, and then it is over, too. */
    return 1;
}
