/* threads_fabric.c - a threads fabric whose ranks are threads of the test, joined by an allgather
 * that can be told to fail. */
#include "rules/threads_fabric.h"

#include "engine/far_fabric.h"
#include "fabric/threads/threads.h"
#include "rules/fabric_rules.h"
#include "support/check.h"
#include "support/rank_threads.h"

typedef struct member {
    rank_thread thread;
    const emulated_options *options;
    rank_function *function;
    void *context;
    sct_status status; /* of the fabric's creation */
} member;

static void *run_rank(void *arg) {
    member *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(&self->thread);
    sct_fabric *fabric;
    const emulated_options *options = self->options;
    const sct_world_options world = {.size = sizeof world, .engine_options = options};
    self->status = sct_fabric_threads(&bootstrap, &world, &fabric);
    if (self->status == SCT_OK && options && options->host)
        self->status = far_fabric_open(options, fabric);
    if (self->status == SCT_OK)
        self->function(fabric, self->context);
    return NULL;
}

void threads_fabric_each(int ranks, const emulated_options *options, rank_function *function,
                         void *context) {
    member members[RANK_THREADS_MOST];
    for (int r = 0; r < ranks; r++)
        members[r] = (member){.options = options, .function = function, .context = context};
    rank_threads_run(ranks, run_rank, members, sizeof *members);
    for (int r = 0; r < ranks; r++)
        CHECK(members[r].status == SCT_OK);
}

/* ---- All rules ---- */

typedef struct rules {
    const emulated_options *options;
    uint64_t seed;
} rules;

/* Only the threads fabric promises pointers to wrapped memory of near ranks. */
static void rule_wrapped_peer(sct_fabric *fabric, int per_node) {
    int64_t mine[] = {fabric->rank, -1};
    sct_memory block = {(char *)mine, sizeof mine, 1, sizeof mine[0]};
    sct_segment *segment;
    if (!CHECK(fabric->ops->segment_wrap(fabric, 1, &block, &segment) == SCT_OK))
        return;
    CHECK(fabric->ops->per_node(segment) == per_node);
    for (int r = 0; r < fabric->size; r++) {
        const sct_memory *peer = fabric->ops->peer(segment, r);
        CHECK((peer != NULL) == sct_is_near(fabric->rank, r, per_node));
        CHECK(!peer || *(const int64_t *)peer->base == r);
    }
    fabric->ops->segment_close(segment);
}

static void run_rules(sct_fabric *fabric, void *context) {
    const rules *r = context;
    CHECK(fabric->bytes_got == 0 && fabric->bytes_accumulated == 0);
    int wanted = r->options ? r->options->ranks_per_node : 0;
    bool near = wanted <= 0 || wanted >= fabric->size;
    CHECK(fabric->ranks_per_node == (near ? fabric->size : wanted));
    bool apart = r->options && r->options->wrapped_alone && fabric->size > 1;
    fabric_rules(fabric, NULL, r->seed);
    rule_wrapped_peer(fabric, apart ? 1 : fabric->ranks_per_node);
    fabric->ops->close(fabric);
}

void threads_fabric_rules(int ranks, const emulated_options *options, uint64_t seed) {
    rules context = {options, seed};
    threads_fabric_each(ranks, options, run_rules, &context);
}

/* ---- An allgather that fails ---- */

static void cross_barrier(sct_fabric *fabric, void *context) {
    sct_status *status = context;
    status[fabric->rank] = fabric->ops->barrier(fabric);
    fabric->ops->close(fabric);
}

void threads_fabric_fail_gather(int ranks, const emulated_options *options, int failing, int who,
                                sct_status *status) {
    member members[RANK_THREADS_MOST];
    for (int r = 0; r < ranks; r++) {
        status[r] = SCT_OK;
        members[r] = (member){.thread.fails_at = who < 0 || who == r ? failing : 0,
                              .options = options,
                              .function = cross_barrier,
                              .context = status};
    }
    rank_threads_run(ranks, run_rank, members, sizeof *members);
    for (int r = 0; r < ranks; r++)
        status[r] = members[r].status ? members[r].status : status[r];
}
