/* planned_calls.c - a run makes the calls of CUDA that its plan asks for, and no more: a copy for
 * each piece of a far operand, a product for each step, a kernel for each piece that is added. The
 * last ones, and no others, are atomic and urgent. Streams wait for each other only where a step
 * uses what another stream has filled, or fills what it has used. */
#include "cuda/stand_in.h"
#include "exec/job.h"
#include "plan/walk.h"
#include "support/check.h"
#include "whole/support/operands.h"

enum { RANKS = 3, SIZE = 48, PRODUCTS = 2 };
enum { STREAMS = PRODUCTS + 2 }; /* of products, gets and additions */

/* Calls that a plan asks for. */
typedef struct planned {
    int64_t copies, products, kernels, fetches, steps, waits, sends, adds;
    int64_t streams; /* with products */
} planned;

typedef struct counter {
    int rank;
    bool used[PRODUCTS]; /* streams of products */
    planned calls;
} counter;

/* Pieces of this rank's own part are copied by kernels. */
static sct_status count_fetch(void *self, const sct_operand *operand, int64_t slot) {
    counter *c = self;
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    (void)slot;
    c->calls.fetches++;
    while (sct_fragments_next(&fragments, &f))
        (*(f.place.rank == c->rank ? &c->calls.kernels : &c->calls.copies))++;
    return SCT_OK;
}

/* Products into one slice of C share a stream. */
static void use_stream(counter *c, const sct_task *task) {
    int64_t slice =
        task->piece[SCT_DIM_M].indices.first.lo + task->piece[SCT_DIM_N].indices.first.lo;
    bool *used = &c->used[slice % PRODUCTS];
    c->calls.streams += !*used;
    *used = true;
}

/* A product waits until its factors are in their slots, and until its sum's slot is free. */
static int64_t waits_of(const sct_task *task) {
    bool claims = task->fresh && !task->operand[SCT_MAT_C].in_place;
    return (task->slot[SCT_MAT_A] >= 0) + (task->slot[SCT_MAT_B] >= 0) + claims;
}

/* Gets wait for the product of a step before they fill its slots again. */
static sct_status count_retired(void *self, const sct_task *task) {
    (void)task;
    ((counter *)self)->calls.waits++;
    return SCT_OK;
}

static int64_t factors(const sct_operand *operand) {
    return operand->in_place ? sct_operand_fragments(operand) : 1;
}

static sct_status count_step(void *self, const sct_task *task) {
    counter *c = self;
    c->calls.steps++;
    use_stream(c, task);
    c->calls.waits += waits_of(task) + task->flush; /* additions wait for the product */
    c->calls.products += factors(&task->operand[SCT_MAT_A]) * factors(&task->operand[SCT_MAT_B]);
    if (!task->flush)
        return SCT_OK;
    c->calls.sends++;
    c->calls.adds += sct_operand_fragments(&task->operand[SCT_MAT_C]);
    return SCT_OK;
}

static void count_calls(const sct_plan *plan, counter *c) {
    static const sct_actor actor = {
        .fetch = count_fetch, .multiply = count_step, .retire = count_retired};
    CHECK(sct_plan_walk(plan, &actor, c) == SCT_OK);
}

typedef struct request {
    const char *layout[SCT_MATS];
    sct_type type;
    sct_options options;
    planned of[RANKS];
    int64_t before[CALLS], after[CALLS];
} request;

/* Rank 0 notes the counts while no rank is at work. */
static void note(sct_world *world, int64_t counts[CALLS]) {
    CHECK(sct_world_barrier(world) == SCT_OK);
    for (int i = 0; i < CALLS && sct_world_rank(world) == 0; i++)
        counts[i] = stand_in_count((stand_in_call)i);
    CHECK(sct_world_barrier(world) == SCT_OK);
}

static int run_job(sct_world *world, void *arg) {
    request *r = arg;
    const sct_scalar one = sct_scalar_real(sct_type_sum(r->type), 1), zero = {{0}};
    const operands_spec spec = {.layout = {r->layout[0], r->layout[1], r->layout[2]},
                                .type = r->type,
                                .size = SIZE,
                                .options = &r->options};
    operands o;
    operands_create(world, &spec, &o);
    counter c = {.rank = sct_world_rank(world)};
    count_calls(o.plan, &c);
    r->of[c.rank] = c.calls;
    for (int run = 0; run < 2; run++) { /* handles and workspaces are made in the first */
        CHECK(sct_job_start(o.job, &one, &zero) == SCT_OK);
        note(world, r->before);
        CHECK(sct_job_wait(o.job) == SCT_OK);
        note(world, r->after);
    }
    operands_destroy(&o);
    return 0;
}

static int64_t made(const request *r, stand_in_call call) {
    return r->after[call] - r->before[call];
}

static void run_counted(request *r) {
    sct_world_options world = {.size = sizeof world, .engine = "cuda"};
    r->options.size = sizeof r->options;
    stand_in_start((stand_in_machine){.devices = RANKS, .delay_us = 20, .seed = 1});
    CHECK_CASE(sct_run(RANKS, &world, run_job, r) == SCT_OK, "%s", sct_last_reason());
    stand_in_end();
}

static void compare(request *r) {
    run_counted(r);
    planned all = {.copies = 0};
    for (int i = 0; i < RANKS; i++) {
        const planned *p = &r->of[i];
        all = (planned){
            all.copies + p->copies,   all.products + p->products, all.kernels + p->kernels,
            all.fetches + p->fetches, all.steps + p->steps,       all.waits + p->waits,
            all.sends + p->sends,     all.adds + p->adds,         all.streams + p->streams};
    }
    /* Where ranks add to each other's C, each stream waits, before its first command, until all
     * ranks have prepared C. Where they do not, each stream of products waits, even if it has no
     * product, until its rank has. */
    bool moves = r->options.stay != SCT_STAY_C;
    int64_t streams = RANKS + all.streams + (all.sends > 0 ? RANKS : 0);
    int64_t unused = PRODUCTS * RANKS - all.streams;
    CHECK(all.steps > 20 && all.copies > 0);
    CHECK(made(r, CALL_COPY) == all.copies && made(r, CALL_ATTRIBUTES) == 0);
    CHECK(made(r, CALL_GEMM) == all.products);
    CHECK(made(r, CALL_LAUNCH) == all.kernels + all.adds);
    CHECK(made(r, CALL_LAUNCH_ATOMIC) == all.adds && made(r, CALL_LAUNCH_URGENT) == all.adds);
    /* At the end the host waits for each stream. It needs a new event of those that have waited
     * after their last one. */
    int64_t last = RANKS + (moves ? 0 : unused);
    CHECK(made(r, CALL_EVENT_RECORD) == all.fetches + all.steps + all.sends + last);
    CHECK(made(r, CALL_WAIT_EVENT) == all.waits + (moves ? streams : 0));
    CHECK(made(r, CALL_SYNCHRONIZE) == STREAMS * RANKS && made(r, CALL_QUERY) == 0);
    CHECK(made(r, CALL_SET_DEVICE) ==
          all.copies + all.products + all.kernels + all.adds + made(r, CALL_EVENT_CREATE));
    CHECK(made(r, CALL_MALLOC) == 0 && made(r, CALL_STREAM_CREATE) == 0);
    CHECK(made(r, CALL_BLAS_CREATE) == 0 && made(r, CALL_COPY_PEER) == 0);
}

/* Where one product makes each element of a C of bf16, it rounds them; sums of several products are
 * rounded by a kernel. */
static void count_roundings(const char *b, int products) {
    request r = {.layout = {"row", b, "row"},
                 .type = SCT_BF16,
                 .options = {.stay = SCT_STAY_C, .slicing = SCT_SLICE_TILE}};
    run_counted(&r);
    CHECK(made(&r, CALL_GEMM) == RANKS * products);
    CHECK_CASE(made(&r, CALL_LAUNCH) == (products == 1 ? 0 : RANKS),
               "%lld kernels after %d products", (long long)made(&r, CALL_LAUNCH), products);
}

int main(void) {
    const sct_stay stays[] = {SCT_STAY_A, SCT_STAY_B, SCT_STAY_C};
    const char *const layouts[] = {"cyclic:4x4@1x3", "cyclic:7x5@3x1"};
    for (int i = 0; i < 6; i++)
        compare(&(request){.layout = {layouts[i / 3], layouts[i / 3], layouts[i / 3]},
                           .type = SCT_F64,
                           .options = {.stay = stays[i % 3],
                                       .slicing = SCT_SLICE_TILE,
                                       .products_in_flight = PRODUCTS,
                                       .accumulates_in_flight = 2}});
    count_roundings("row@1*3", 1);
    count_roundings("cyclic:24x48@1x1*3", 2);
    return check_report("planned_calls");
}
