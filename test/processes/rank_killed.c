/* rank_killed.c - ranks that work until one of them is killed; run by rank_killed.sh. */
#include "processes/ranks.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 300, VICTIM = 1, LIMIT = 60, CHILD_LIVES = 20 };

static const double one = 1;

/* A child that has what this process has, and outlives it. */
static void fork_child(void) {
    if (fork() > 0)
        return;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    sleep(CHILD_LIVES);
    _exit(0);
}

static void *kill_later(void *forks) {
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (forks)
        fork_child();
    fputs("rank 1 is killed\n", stderr);
    kill(getpid(), SIGKILL);
    return NULL;
}

typedef struct rank_state {
    sct_world *world;
    sct_matrix *matrix[3];
    sct_block block; /* as large as a tile of matrix[0] */
} rank_state;

typedef sct_status work(rank_state *s);

static sct_status get(rank_state *s) {
    sct_tile next = {(sct_world_rank(s->world) + 1) % sct_world_size(s->world), 0};
    return sct_matrix_get_tile(s->matrix[0], next, SCT_HERE, &s->block);
}

/* Memory of its own, which tells a rank nothing of others; now and then. */
static sct_status stay(rank_state *s) {
    sct_tile own = {sct_world_rank(s->world), 0};
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    return sct_matrix_get_tile(s->matrix[0], own, SCT_HERE, &s->block);
}

static sct_status add(rank_state *s) {
    sct_tile next = {(sct_world_rank(s->world) + 1) % sct_world_size(s->world), 0};
    return sct_matrix_accumulate_tile(s->matrix[0], next, SCT_HERE, &s->block);
}

static sct_status meet(rank_state *s) {
    return sct_world_barrier(s->world);
}

static sct_status multiply(rank_state *s) {
    return sct_multiply(SCT_N, SCT_N, &one, sct_whole(s->matrix[0]), sct_whole(s->matrix[1]), &one,
                        sct_whole(s->matrix[2]), NULL);
}

static const struct mode {
    const char *name;
    work *work;
} modes[] = {{"get", get}, {"stay", stay}, {"add", add}, {"meet", meet}, {"multiply", multiply}};

static work *find(const char *name) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, name) == 0)
            return modes[i].work;
    exit(2);
}

static void prepare(rank_state *s) {
    static const char *const texts[] = {"row", "col", "2d"};
    for (int i = 0; i < 3; i++) {
        s->matrix[i] = matrix_new(s->world, SCT_F64, texts[i], SIZE, SIZE);
        matrix_set(s->world, s->matrix[i], (element){1, 0});
    }
    s->block = (sct_block){.data = calloc(SIZE * SIZE, sizeof(double)),
                           .ld = SIZE,
                           .rows = SIZE / sct_world_size(s->world),
                           .cols = SIZE};
}

/* The calls of the others have failed, so the world is of no use, but they can end it and go on. */
static void survive(rank_state *s) {
    int rank = sct_world_rank(s->world);
    printf("rank %d: %s\n", rank, sct_last_reason());
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(s->matrix[i]);
    sct_world_destroy(s->world);
    free(s->block.data);
    printf("rank %d goes on\n", rank);
    fflush(stdout);
}

/* rank_killed MODE RANKS_PER_NODE [survive]: never ends with success. With RANK_FORKS in the
 * environment, the rank has a child when it is killed. */
int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    work *chosen = find(argv[1]);
    ranks_start(1, argv);
    const sct_processes_options nodes = {.size = sizeof nodes,
                                         .ranks_per_node = (int)strtol(argv[2], NULL, 10)};
    sct_world_options options = {
        .size = sizeof options, .engine_options = &nodes, .path = ranks_path("")};
    rank_state s = {.world = NULL};
    pthread_t killer;
    alarm(LIMIT);
    if (!CHECK(ranks_create_world(ranks_size(), &options, &s.world) == SCT_OK))
        return 1;
    prepare(&s);
    if (sct_world_rank(s.world) == VICTIM)
        CHECK(pthread_create(&killer, NULL, kill_later, getenv("RANK_FORKS")) == 0);
    while (chosen(&s) == SCT_OK)
        continue;
    /* An MPI may report the failure as an error, which also ends the work, or end the process. */
    if (argc > 3)
        survive(&s);
    return 1;
}
