/* small_stack.c - worlds, products, copies, plans and searches on threads that have as little stack
 * as docs/model.md says. */
#include "engine/emulated.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/elements.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ROOM is what a thread has beside what glibc takes. */
enum {
    RANKS = 3,
    SIZE = 48,
    ROOM = 32 << 10,
    GUARD = 1 << 20,
    TEXT = 4000,
    MOST = 4,
    DEEP = 500000
};

static void works(sct_status status) {
    CHECK_CASE(status == SCT_OK, "%s", sct_last_reason());
}

/* ---- Collective calls ---- */

typedef struct member {
    rank_thread thread;
    const sct_world_options *options;
} member;

static void multiply(const void *one, sct_view a, sct_view b, sct_view c) {
    const sct_options options[] = {{.size = sizeof *options},
                                   {.size = sizeof *options, .stay = SCT_STAY_A},
                                   {.size = sizeof *options, .stay = SCT_STAY_B, .ordered = 1},
                                   {.size = sizeof *options, .stay = SCT_STAY_C},
                                   {.size = sizeof *options, .schedule = SCT_EXHAUSTIVE},
                                   {.size = sizeof *options, .schedule = SCT_COST},
                                   {.size = sizeof *options, .effort = SCT_MEASURE}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        works(sct_multiply(SCT_N, SCT_T, one, a, b, one, c, &options[i]));
}

static void measure(sct_world *world, sct_view a, sct_view b, sct_view c) {
    char wisdom[TEXT];
    sct_stay stay;
    sct_layout *work = NULL;
    works(sct_plan_measure(SCT_N, SCT_T, a, b, c, NULL, &stay, &work));
    CHECK(sct_world_wisdom(world, wisdom, sizeof wisdom) < sizeof wisdom);
    works(sct_world_add_wisdom(world, wisdom));
    sct_layout_destroy(work);
}

static void move(sct_view from, sct_view to, sct_matrix *replicas) {
    sct_type type = sct_matrix_type(replicas);
    works(sct_copy(SCT_T, from, to, NULL));
    works(sct_matrix_broadcast_replica(replicas, 0));
    if (type == sct_type_sum(type))
        works(sct_matrix_reduce_replicas(replicas, 0));
}

static void use(sct_world *world, sct_type type) {
    static const char *const layout[] = {"cyclic:2x5", "row", "col*3"};
    static const float single[2] = {1};
    static const double twice[2] = {1};
    bool wide = type == SCT_F64 || type == SCT_CF64;
    sct_matrix *x[3];
    sct_view view[3];
    for (int i = 0; i < 3; i++) {
        x[i] = matrix_new(world, type, layout[i], SIZE, SIZE);
        matrix_fill(world, x[i], (source){.seed = 1, .most = 1});
        view[i] = sct_whole(x[i]);
    }
    multiply(wide ? (const void *)twice : single, view[0], view[1], view[2]);
    measure(world, view[0], view[1], view[2]);
    move(view[0], view[1], x[2]);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(x[i]);
}

static void *be_rank(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_world *world = NULL;
    works(sct_world_create(&bootstrap, self->options, &world));
    for (sct_type type = SCT_F32; type <= SCT_BF16 && world; type++)
        use(world, type);
    sct_world_destroy(world);
    return NULL;
}

static void run_ranks(const char *engine, const void *options) {
    const sct_world_options world = {
        .size = sizeof world, .engine = engine, .engine_options = options};
    member members[RANKS];
    for (int r = 0; r < RANKS; r++)
        members[r] = (member){.options = &world};
    rank_threads_run(RANKS, be_rank, members, sizeof *members);
}

static void run_engines(void) {
    for (int per_node = 0; per_node < 2; per_node++) {
        const sct_threads_options threads = {.size = sizeof threads, .ranks_per_node = per_node};
        const sct_processes_options processes = {.size = sizeof processes,
                                                 .ranks_per_node = per_node};
        const emulated_options devices = {.size = sizeof devices, .ranks_per_node = per_node};
        run_ranks("threads", &threads);
        run_ranks("processes", &processes);
        run_ranks("emulated", &devices);
    }
}

/* ---- Calls of one thread ---- */

static void choose(const sct_machine *machine) {
    const sct_search search = {.size = sizeof search,
                               .type = SCT_F32,
                               .m = 4000,
                               .n = 3000,
                               .k = 2000,
                               .ranks = sct_machine_ranks(machine),
                               .machine = machine};
    sct_choice choice[MOST];
    int count = 0;
    works(sct_choose(&search, MOST, choice, &count));
    sct_choices_clear(choice, count);
}

static void choose_group(const sct_machine *machine) {
    const sct_products_search search = {.size = sizeof search,
                                        .type = SCT_F32,
                                        .ranks = sct_machine_ranks(machine),
                                        .machine = machine};
    sct_products_choice choice = {.matrices = 0};
    sct_products *products = NULL;
    works(sct_products_parse("Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X", "m=512,h=512,f=2048",
                             &products));
    works(sct_products_backward(products));
    works(sct_products_choose(products, &search, &choice));
    sct_products_choice_clear(&choice);
    sct_products_destroy(products);
}

static void plan(const sct_machine *machine) {
    sct_layout *layout = layout_of("cyclic:7x5*2", 400, 400, sct_machine_ranks(machine));
    const sct_problem problem = {.size = sizeof problem,
                                 .type = SCT_F32,
                                 .a = layout,
                                 .b = layout,
                                 .c = layout,
                                 .ranks = sct_machine_ranks(machine)};
    const sct_options options = {.size = sizeof options, .machine = machine};
    sct_forecast forecast;
    works(sct_simulate(&problem, &options, machine, NULL, &forecast));
    works(sct_plan_check(&problem, &options));
    sct_layout_destroy(layout);
}

/* A text that a parser would recurse for. */
static void refuse_deep(void) {
    char *text = calloc(DEEP + 1, 1);
    sct_machine *machine = NULL;
    CHECK(text != NULL);
    memset(text, '[', DEEP);
    CHECK(sct_machine_parse(text, "deep", &machine) == SCT_BAD_ARGUMENT);
    free(text);
}

static void *be_alone(void *arg) {
    sct_machine *machine = NULL;
    (void)arg;
    works(sct_machine_load("h100x8", &machine));
    if (machine) {
        choose(machine);
        choose_group(machine);
        plan(machine);
    }
    sct_machine_destroy(machine);
    refuse_deep();
    return NULL;
}

/* ---- Stacks ---- */

/* How much of its stack is gone when a thread begins: glibc takes room there for the thread-local
 * variables of all libraries. */
static void *find_lost(void *lost) {
    pthread_attr_t own;
    void *lowest;
    size_t bytes;
    char here;
    CHECK(pthread_getattr_np(pthread_self(), &own) == 0);
    CHECK(pthread_attr_getstack(&own, &lowest, &bytes) == 0);
    pthread_attr_destroy(&own);
    *(size_t *)lost = (size_t)((uintptr_t)lowest + bytes - (uintptr_t)&here);
    return NULL;
}

static void run_thread(void *(*body)(void *), void *arg) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, arg) == 0);
    pthread_join(thread, NULL);
}

/* No frame reaches across the guard. */
static void limit_stacks(size_t bytes) {
    pthread_attr_t all;
    CHECK(pthread_attr_init(&all) == 0);
    CHECK(pthread_attr_setstacksize(&all, bytes) == 0);
    CHECK(pthread_attr_setguardsize(&all, GUARD) == 0);
    CHECK(pthread_setattr_default_np(&all) == 0);
    pthread_attr_destroy(&all);
}

int main(void) {
    size_t lost = 0;
    run_thread(find_lost, &lost);
    limit_stacks(lost + ROOM);
    run_engines();
    run_thread(be_alone, NULL);
    return check_report("small_stack");
}
