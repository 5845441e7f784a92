/* wait_limit.c - ranks wait for one that does not come, for as long as wait_seconds or the variable
 * allows, or until one of them is interrupted: then the calls of all fail and name it. A rank that
 * is busy in a call is waited for longer. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 3, VICTIM = 1, SIZE = 60, SECONDS = 1, LONG_MS = 3000, SOON_MS = 200, LIMIT = 150 };

static const double one = 1;

static void pause_for(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

typedef struct rank_state {
    sct_world *world;
    sct_matrix *matrix[3];
    bool is_victim;
} rank_state;

static sct_status multiply(rank_state *s) {
    return sct_multiply(SCT_N, SCT_N, &one, sct_whole(s->matrix[0]), sct_whole(s->matrix[1]), &one,
                        sct_whole(s->matrix[2]), NULL);
}

static void check_failed(const rank_state *s, sct_status status, const char *reason) {
    CHECK_CASE(status == SCT_FAILED && strstr(sct_last_reason(), reason), "rank %d: %s (%s)",
               sct_world_rank(s->world), sct_status_name(status), sct_last_reason());
}

static void check_unheard(const rank_state *s, sct_status status) {
    check_failed(s, status, "rank 1 did not respond for 1 s");
}

/* ---- What happens to a rank ---- */

/* It does something else for too long. */
static void be_late(rank_state *s) {
    if (s->is_victim)
        pause_for(LONG_MS);
    check_unheard(s, multiply(s));
    check_unheard(s, sct_world_barrier(s->world));
}

/* It does something else, but each time for less than the limit. */
static void be_slow(rank_state *s) {
    for (int i = 0; i < 4; i++) {
        if (s->is_victim)
            pause_for(2 * SOON_MS);
        CHECK(sct_world_barrier(s->world) == SCT_OK);
    }
}

static void take_long(void *context, const sct_trace_event *event) {
    bool *done = context;
    (void)event;
    if (!*done)
        pause_for(LONG_MS);
    *done = true;
}

/* It is in a call for long. */
static void be_busy(rank_state *s) {
    bool done = !s->is_victim;
    const sct_observer observer = {.size = sizeof observer, .event = take_long, .context = &done};
    const sct_layout *layout[3];
    for (int i = 0; i < 3; i++)
        layout[i] = sct_matrix_layout(s->matrix[i]);
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = RANKS,
                           .ranks_per_node = sct_matrix_ranks_per_node(s->matrix[0])};
    sct_plan *plan;
    sct_job *job;
    if (!CHECK(sct_plan_create(&problem, sct_world_rank(s->world), NULL, &plan) == SCT_OK) ||
        !CHECK(sct_job_create(s->world, plan, sct_whole(s->matrix[0]), sct_whole(s->matrix[1]),
                              sct_whole(s->matrix[2]), &job) == SCT_OK))
        return;
    CHECK(sct_job_observe(job, &observer) == SCT_OK);
    CHECK(sct_job_start(job, &one, &one) == SCT_OK);
    CHECK(sct_job_wait(job) == SCT_OK);
    CHECK(done);
    CHECK(sct_world_barrier(s->world) == SCT_OK);
    sct_job_destroy(job);
    sct_plan_destroy(plan);
}

static void *stop_soon(void *unused) {
    (void)unused;
    pause_for(SOON_MS);
    kill(getpid(), SIGSTOP);
    return NULL;
}

/* Its process is stopped. It goes on once the others have failed. */
static void be_stopped(rank_state *s) {
    pid_t process[RANKS], own = getpid();
    pthread_t stopper;
    sct_status status;
    CHECK(sct_world_gather(s->world, &own, sizeof own, process) == SCT_OK);
    if (process[0] == process[VICTIM]) /* the ranks are threads */
        return;
    if (s->is_victim)
        CHECK(pthread_create(&stopper, NULL, stop_soon, NULL) == 0);
    while ((status = multiply(s)) == SCT_OK)
        continue;
    if (s->is_victim) {
        CHECK(status == SCT_FAILED); /* the others may have gone since */
        pthread_join(stopper, NULL);
        return;
    }
    check_unheard(s, status);
    if (sct_world_rank(s->world) == 0)
        kill(process[VICTIM], SIGCONT);
}

static _Thread_local bool is_interrupted;

static int interrupted(void *context) {
    return *(const bool *)context && is_interrupted;
}

/* It is interrupted while it waits for another. */
static void be_interrupted(rank_state *s) {
    is_interrupted = s->is_victim;
    if (sct_world_rank(s->world) == 0)
        pause_for(LONG_MS);
    check_failed(s, sct_world_barrier(s->world), "rank 1 was interrupted");
    is_interrupted = false;
}

/* ---- The scenarios ---- */

typedef void fate(rank_state *s);

static int rank_main(sct_world *world, void *arg) {
    static const char *const texts[] = {"row", "col", "2d"};
    fate *const *happens = arg;
    rank_state s = {.world = world, .is_victim = sct_world_rank(world) == VICTIM};
    for (int i = 0; i < 3; i++) {
        s.matrix[i] = matrix_new(world, SCT_F64, texts[i], SIZE, SIZE);
        matrix_set(world, s.matrix[i], (element){1, 0});
    }
    (*happens)(&s);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(s.matrix[i]);
    return 0;
}

int main(void) {
    static fate *const fates[] = {be_late, be_slow, be_busy, be_stopped, be_interrupted};
    static const bool yes = true;
    alarm(LIMIT);
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++)
        for (int per_node = 0; per_node < 2; per_node++) {
            bool limited = fates[i] != be_interrupted, by_variable = fates[i] == be_late;
            setenv("SECTILE_WAIT_SECONDS", by_variable ? "1" : "", 1);
            emulated_options emulated = {.host = 1, .ranks_per_node = per_node};
            sct_world_options options = emulated_world(&emulated);
            options.wait_seconds = limited && !by_variable ? SECONDS : 0;
            options.interrupted = limited ? NULL : interrupted;
            options.interrupted_context = (void *)&yes;
            CHECK(sct_run(RANKS, &options, rank_main, (void *)&fates[i]) == SCT_OK);
            unsetenv("SECTILE_WAIT_SECONDS");
        }
    return check_report("wait_limit");
}
