/* world.c - makes a world of threads, and matrices of memory, that a program already has. The
 * threads only need an allgather of a few bytes. */
#include <sectile/sectile.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, ROWS = 4, SIZE = RANKS * ROWS };

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "world: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* What the threads share: in an allgather, each shows the others where its bytes are. */
typedef struct team {
    pthread_barrier_t barrier;
    const void *shown[RANKS];
} team;

/* What each thread has: its rank, and its rows of A, B and C. */
typedef struct member {
    team *team;
    int rank;
    double a[ROWS][SIZE], b[ROWS][SIZE], c[ROWS][SIZE];
} member;

static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    member *self = context;
    self->team->shown[self->rank] = mine;
    pthread_barrier_wait(&self->team->barrier);
    for (int rank = 0; rank < RANKS; rank++)
        memcpy((char *)all + (size_t)rank * bytes, self->team->shown[rank], bytes);
    pthread_barrier_wait(&self->team->barrier);
    return 0;
}

static void *serve(void *context) {
    member *self = context;
    sct_bootstrap bootstrap = {.size = sizeof bootstrap,
                               .rank = self->rank,
                               .ranks = RANKS,
                               .allgather = allgather,
                               .context = self};
    sct_world *world;
    sct_layout *rows;
    sct_matrix *a, *b, *c;
    must(sct_world_create(&bootstrap, NULL, &world));
    must(sct_layout_create_row(SIZE, SIZE, RANKS, &rows));
    must(sct_matrix_wrap(world, SCT_F64, rows, self->a, SIZE, &a));
    must(sct_matrix_wrap(world, SCT_F64, rows, self->b, SIZE, &b));
    must(sct_matrix_wrap(world, SCT_F64, rows, self->c, SIZE, &c));

    /* C = A^T B */
    double one = 1, zero = 0;
    must(sct_multiply(SCT_T, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c), NULL));

    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
    sct_layout_destroy(rows);
    sct_world_destroy(world);
    return NULL;
}

int main(void) {
    static team shared;
    static member members[RANKS];
    pthread_t threads[RANKS];
    if (pthread_barrier_init(&shared.barrier, NULL, RANKS) != 0)
        return 1;
    for (int rank = 0; rank < RANKS; rank++) {
        member *self = &members[rank];
        self->team = &shared;
        self->rank = rank;
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < SIZE; j++) {
                self->a[i][j] = j;
                self->b[i][j] = 1;
            }
        if (pthread_create(&threads[rank], NULL, serve, self) != 0)
            return 1;
    }
    for (int rank = 0; rank < RANKS; rank++)
        pthread_join(threads[rank], NULL);
    pthread_barrier_destroy(&shared.barrier);

    /* Each element of row i of A^T is i and each of B is 1, so those of row i of C are SIZE * i. */
    double last = members[RANKS - 1].c[ROWS - 1][0];
    printf("C(%d, 0) = %g\n", SIZE - 1, last);
    return last != SIZE * (SIZE - 1);
}
