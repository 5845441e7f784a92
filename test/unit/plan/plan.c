/* plan.c - the plans of all ranks together, without data: coverage, owners, shares, workspace. */
#include "planner/planner.h"
#include "support/check.h"
#include "support/layouts.h"
#include "support/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 12, CASES = 600, MATRICES = 3, DIMS = 3 };
enum { M, K, N };

/* A random problem, and how many steps do each (i, l, j). */
typedef struct problem {
    sct_layout *layout[MATRICES], *work;
    sct_slice view[MATRICES];
    sct_op op[MATRICES];
    int64_t size[DIMS];
    sct_problem value;
    sct_options options;
    int done[MOST][MOST][MOST];
} problem;

/* The dimensions of A, B and C. */
static const int dims[MATRICES][2] = {{M, K}, {K, N}, {M, N}};
static const int free_dim[MATRICES] = {N, M, K};

static void make_matrix(uint64_t *random, int matrix, problem *p) {
    bool turned = p->op[matrix] != SCT_N;
    int64_t extent[2], lo[2];
    for (int i = 0; i < 2; i++) {
        lo[i] = check_between(random, 0, 1) * check_between(random, 0, 5);
        extent[i] = p->size[dims[matrix][i != turned]];
    }
    p->view[matrix] = (sct_slice){{lo[0], lo[0] + extent[0]}, {lo[1], lo[1] + extent[1]}};
    p->layout[matrix] =
        make_random_layout(random, lo[0] + extent[0] + check_between(random, 0, 3) * (lo[0] > 0),
                           lo[1] + extent[1] + check_between(random, 0, 3) * (lo[1] > 0));
}

/* A random work layout of the shape that `stay` names, or the one that a plan would choose, or
 * none. Making it here spares each rank's plan the choice. */
static void make_work(uint64_t *random, problem *p) {
    int64_t which = check_between(random, 0, 3);
    int shape = p->options.stay == SCT_STAY_AUTO ? 2 : (int)p->options.stay - 1;
    if (which > 1) {
        CHECK(sct_plan_decide(&p->value, &p->options, &p->options.stay, &p->work) == SCT_OK);
    } else if (which == 1) {
        p->work = make_random_layout(random, p->size[dims[shape][0]], p->size[dims[shape][1]]);
        int ranks = sct_layout_ranks(p->work);
        p->value.ranks = ranks > p->value.ranks ? ranks : p->value.ranks;
    }
    p->options.work = p->work;
}

static void make_problem(uint64_t *random, problem *p) {
    *p = (problem){.options = {.size = sizeof p->options}};
    int ranks = 1;
    for (int dim = 0; dim < DIMS; dim++)
        p->size[dim] = check_between(random, check_between(random, 0, 1), MOST);
    for (int i = 0; i < MATRICES; i++) {
        p->op[i] = i == 2 ? SCT_N : (sct_op)check_between(random, 0, 2);
        make_matrix(random, i, p);
        int used = sct_layout_ranks(p->layout[i]);
        ranks = used > ranks ? used : ranks;
    }
    p->value = (sct_problem){.size = sizeof p->value,
                             .type = (sct_type)check_between(random, 0, 3),
                             .op_a = p->op[0],
                             .op_b = p->op[1],
                             .a = p->layout[0],
                             .b = p->layout[1],
                             .c = p->layout[2],
                             .view_a = &p->view[0],
                             .view_b = &p->view[1],
                             .view_c = &p->view[2],
                             .ranks = ranks + (int)check_between(random, 0, 2),
                             .ranks_per_node = (int)check_between(random, 0, 4),
                             .ranks_per_node_a = (int)check_between(random, 0, 2),
                             .ranks_per_node_b = (int)check_between(random, 0, 2),
                             .ranks_per_node_c = (int)check_between(random, 0, 2)};
    p->options.stay = (sct_stay)check_between(random, 0, 3);
    p->options.slicing = (sct_slicing)check_between(random, 0, 1);
    p->options.fetch = (sct_fetch)(check_between(random, 0, 3) == 0);
    p->options.result = (sct_result)check_between(random, 0, 2);
    p->options.products_in_flight = (int)check_between(random, 0, 3);
    p->options.accumulates_in_flight = (int)check_between(random, 0, 3);
    p->options.schedule = (sct_schedule)check_between(random, 0, SCT_COST);
    p->options.start = (sct_start)check_between(random, 0, 1);
    if (p->options.schedule == SCT_DIRECT)
        p->options.prefetch = (int)check_between(random, -1, 3);
    else
        p->options.transfers_in_group = (int)check_between(random, 0, 3);
    make_work(random, p);
}

static void free_problem(problem *p) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(p->layout[i]);
    sct_layout_destroy(p->work);
}

/* The rank that stores an element of the product, in the replica where `rank` is at home. */
static int owner_of(const problem *p, int matrix, int rank, int64_t i, int64_t j) {
    bool turned = p->op[matrix] != SCT_N;
    const sct_slice *view = &p->view[matrix];
    return sct_layout_owner(p->layout[matrix], sct_layout_home(p->layout[matrix], rank),
                            view->rows.lo + (turned ? j : i), view->cols.lo + (turned ? i : j));
}

/* Lists an index set; returns whether it is in order and within its dimension. */
static bool list_set(const sct_indices *set, int64_t size, int64_t *list) {
    int64_t count = 0, last = -1;
    for (int64_t r = 0; r < set->ranges; r++) {
        sct_range range = sct_indices_range(set, r);
        if (range.lo <= last || range.lo >= range.hi || range.hi > size)
            return false;
        for (int64_t i = range.lo; i < range.hi; i++)
            list[count++] = i;
        last = range.hi;
    }
    return count == set->count && count > 0;
}

/* Whether the owner that a step names owns all elements, or is -1 and there are several; and
 * whether operands used in place are within reach. */
static bool owner_right(const problem *p, int matrix, int rank, const sct_indices *set[DIMS],
                        int64_t list[DIMS][MOST], int named, sct_reach reach, int64_t blocks) {
    int first = dims[matrix][0], second = dims[matrix][1];
    int owner = owner_of(p, matrix, rank, list[first][0], list[second][0]);
    bool several = false;
    for (int64_t i = 0; i < set[first]->count; i++)
        for (int64_t j = 0; j < set[second]->count; j++)
            several |= owner_of(p, matrix, rank, list[first][i], list[second][j]) != owner;
    const int nodes[] = {p->value.ranks_per_node_a, p->value.ranks_per_node_b,
                         p->value.ranks_per_node_c};
    int node = nodes[matrix] ? nodes[matrix] : p->value.ranks_per_node;
    node = node ? node : p->value.ranks;
    bool near = several ? blocks > 1 && node == p->value.ranks : owner / node == rank / node;
    return named == (several ? -1 : owner) && (near || reach == SCT_BY_COPY);
}

/* Whether indices are in the share of a replica of the work layout, in its free dimension. */
static bool in_share(const problem *p, const sct_layout *work, int stay, int rank,
                     const int64_t *list, int64_t count) {
    int64_t copies = sct_layout_replicas(work), size = p->size[free_dim[stay]];
    int64_t home = sct_layout_home(work, rank), block = work->share_block;
    bool dealt = true;
    for (int64_t i = 0; i < count && block > 0; i++)
        dealt &= list[i] / block % copies == home;
    if (block > 0)
        return dealt;
    return list[0] >= home * size / copies && list[count - 1] < (home + 1) * size / copies;
}

static bool step_right(problem *p, const sct_plan *plan, int rank, int64_t index) {
    sct_step step;
    int64_t list[DIMS][MOST];
    if (sct_plan_step(plan, index, &step))
        return false;
    const sct_indices *set[DIMS] = {&step.m, &step.k, &step.n};
    for (int dim = 0; dim < DIMS; dim++)
        if (!list_set(set[dim], p->size[dim], list[dim]))
            return false;
    for (int64_t i = 0; i < step.m.count; i++)
        for (int64_t l = 0; l < step.k.count; l++)
            for (int64_t j = 0; j < step.n.count; j++)
                p->done[list[M][i]][list[K][l]][list[N][j]]++;
    int stay = (int)(sct_plan_stay(plan) - SCT_STAY_A);
    const int owners[] = {step.owner_a, step.owner_b, step.owner_c};
    const sct_reach reaches[] = {step.a, step.b, step.c};
    const int64_t blocks[] = {step.blocks_a, step.blocks_b, 1};
    const sct_layout *work = sct_plan_work(plan);
    bool right = in_share(p, work ? work : p->layout[stay], stay, rank, list[free_dim[stay]],
                          set[free_dim[stay]]->count) &&
                 (work || owners[stay] == rank);
    for (int i = 0; i < MATRICES; i++)
        right &= owner_right(p, i, rank, set, list, owners[i], reaches[i], blocks[i]);
    return right;
}

static double flops_of(const problem *p) {
    bool complex = p->value.type == SCT_CF32 || p->value.type == SCT_CF64;
    return (complex ? 8.0 : 2.0) * (double)p->size[M] * (double)p->size[K] * (double)p->size[N];
}

/* Whether all ranks together do each (i, l, j) once. */
static bool covered(const problem *p) {
    for (int64_t i = 0; i < p->size[M]; i++)
        for (int64_t l = 0; l < p->size[K]; l++)
            for (int64_t j = 0; j < p->size[N]; j++)
                if (p->done[i][l][j] != 1)
                    return false;
    return true;
}

/* For the messages of failed checks. */
static const char *name_of(int number, const problem *p) {
    static char text[600];
    char layout[MATRICES][100], work[100] = "none";
    for (int i = 0; i < MATRICES; i++)
        sct_layout_print(p->layout[i], layout[i], sizeof layout[i]);
    if (p->work)
        sct_layout_print(p->work, work, sizeof work);
    snprintf(text, sizeof text,
             "case %d: %" PRId64 "x%" PRId64 "x%" PRId64
             " on %d ranks, a %s b %s c %s work %s stay %d",
             number, p->size[M], p->size[N], p->size[K], p->value.ranks, layout[0], layout[1],
             layout[2], work, (int)p->options.stay);
    return text;
}

static void test_steps(int number, problem *p) {
    double flops = 0;
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_plan *plan;
        sct_cost cost;
        if (!CHECK(sct_plan_create(&p->value, rank, &p->options, &plan) == SCT_OK))
            return;
        CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
        bool right = true;
        for (int64_t step = 0; step < cost.steps; step++)
            right &= step_right(p, plan, rank, step);
        CHECK_CASE(right, "%s: steps of rank %d", name_of(number, p), rank);
        sct_step step;
        CHECK(sct_plan_step(plan, cost.steps, &step) == SCT_BAD_ARGUMENT);
        CHECK(sct_plan_step(plan, -1, &step) == SCT_BAD_ARGUMENT);
        flops += cost.flops;
        sct_plan_destroy(plan);
    }
    CHECK_CASE(covered(p), "%s: not each once", name_of(number, p));
    CHECK_CASE(flops == flops_of(p), "%s: %g flops", name_of(number, p), flops);
    CHECK_CASE(sct_plan_check(&p->value, &p->options) == SCT_OK, "%s: %s", name_of(number, p),
               sct_last_reason());
}

/* Before pieces are cut, slicing by class never makes more steps than slicing by tile. */
static void test_slicings(int number, const problem *p) {
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_options options = p->options;
        int64_t by_class = 0, by_tile = 0;
        options.fetch = SCT_FETCH_SLICE;
        options.slicing = SCT_SLICE_CLASS;
        CHECK(sct_plan_least_steps(&p->value, rank, &options, &by_class) == SCT_OK);
        options.slicing = SCT_SLICE_TILE;
        CHECK(sct_plan_least_steps(&p->value, rank, &options, &by_tile) == SCT_OK);
        CHECK_CASE(by_class <= by_tile, "%s: rank %d has %" PRId64 " > %" PRId64,
                   name_of(number, p), rank, by_class, by_tile);
    }
}

/* Decisions survive as text, and a plan made from them is the same. */
static void test_replay(int number, const problem *p) {
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_plan *plan, *again = NULL;
        sct_decisions decided, read;
        char text[200], printed[200];
        sct_options options = p->options;
        if (!CHECK(sct_plan_create(&p->value, rank, &options, &plan) == SCT_OK))
            continue;
        CHECK(sct_plan_decisions(plan, &decided) == SCT_OK);
        CHECK(sct_decisions_print(&decided, text, sizeof text) < sizeof text);
        CHECK_CASE(sct_decisions_parse(text, &read) == SCT_OK, "%s: %s", text, sct_last_reason());
        sct_decisions_print(&read, printed, sizeof printed);
        CHECK_CASE(strcmp(text, printed) == 0, "%s, not %s", printed, text);
        options.decisions = &read;
        options.start = SCT_START_SHIFTED; /* decisions say where loops begin */
        if (CHECK(sct_plan_create(&p->value, rank, &options, &again) == SCT_OK))
            CHECK_CASE(sct_plan_hash(again) == sct_plan_hash(plan) &&
                           again->cost.workspace == plan->cost.workspace,
                       "%s: rank %d, %s", name_of(number, p), rank, text);
        sct_plan_destroy(again);
        sct_plan_destroy(plan);
    }
}

/* Whatever is decided, the plans of all ranks are the product. */
static void test_any_decisions(int number, const problem *p, uint64_t *random) {
    static const int nests[][SCT_DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    sct_options options = p->options;
    bool looks = options.schedule == SCT_DIRECT && options.prefetch == 0;
    sct_decisions any = {.size = sizeof any, .ahead = looks ? (int)check_between(random, 0, 4) : 0};
    char text[200];
    memcpy(any.nest, nests[check_between(random, 0, 5)], sizeof any.nest);
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        any.most[dim] = check_between(random, 0, 4);
        any.begin[dim] = (sct_begin)check_between(random, 0, SCT_BEGIN_HALFWAY);
        for (int side = 0; side < 2; side++)
            any.gather[dim][side] = (int)check_between(random, 0, 1);
    }
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        any.blocks[matrix] = check_between(random, 0, 4);
    sct_decisions_print(&any, text, sizeof text);
    options.decisions = &any;
    options.start = SCT_START_SHIFTED;
    CHECK_CASE(sct_plan_check(&p->value, &options) == SCT_OK, "%s, %s: %s", name_of(number, p),
               text, sct_last_reason());
}

/* The problem's options without those of other orders. */
static sct_options in_order(const problem *p, sct_schedule schedule) {
    sct_options options = p->options;
    options.schedule = schedule;
    if (schedule == SCT_DIRECT)
        options.transfers_in_group = 0;
    else
        options.prefetch = 0;
    return options;
}

/* Without a workspace limit all orders move the same bytes; only sums that are brought together may
 * be stored and scattered less often, in an order that completes them first. */
static void test_orders(int number, const problem *p) {
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_options options = in_order(p, SCT_DIRECT);
        sct_cost direct, other;
        CHECK(cost_of(&p->value, rank, &options, &direct) == SCT_OK);
        for (int order = SCT_GREEDY; order < SCT_EXHAUSTIVE; order++) {
            options = in_order(p, (sct_schedule)order);
            CHECK(cost_of(&p->value, rank, &options, &other) == SCT_OK);
            CHECK_CASE(other.steps == direct.steps && other.bytes_got == direct.bytes_got &&
                           other.bytes_gathered == direct.bytes_gathered &&
                           other.bytes_in_place == direct.bytes_in_place &&
                           other.bytes_accumulated == direct.bytes_accumulated &&
                           other.bytes_scattered <= direct.bytes_scattered,
                       "%s: rank %d moves other bytes in order %d", name_of(number, p), rank,
                       order);
        }
    }
}

/* The most workspace that the plan of a rank takes. The work layout is chosen for all ranks, so
 * that a limit which is less may change the plans of the others too. */
static size_t most_workspace(const problem *p, const sct_options *options) {
    uint64_t most = 0;
    sct_cost cost;
    for (int rank = 0; rank < p->value.ranks; rank++)
        if (CHECK(cost_of(&p->value, rank, options, &cost) == SCT_OK) && cost.workspace > most)
            most = cost.workspace;
    return (size_t)most;
}

/* With the same work layout, a limit of exactly what a plan takes is enough. */
static void test_exact_limit(int number, const problem *p, int rank, sct_options options,
                             size_t workspace) {
    sct_plan *plan;
    sct_cost cost;
    if (!CHECK(sct_plan_create(&p->value, rank, &options, &plan) == SCT_OK))
        return;
    options.stay = sct_plan_stay(plan);
    options.work = sct_plan_work(plan);
    options.workspace = workspace;
    CHECK_CASE(cost_of(&p->value, rank, &options, &cost) == SCT_OK, "%s: rank %d: %s",
               name_of(number, p), rank, sct_last_reason());
    sct_plan_destroy(plan);
}

/* A limit is kept, or the reason says how many bytes are lacking and the plan fits with them. A
 * limit of exactly what plans use changes nothing. */
static void test_workspace(int number, problem *p, uint64_t *random) {
    int rank = (int)check_between(random, 0, p->value.ranks - 1);
    sct_options options = p->options;
    sct_cost cost, limited;
    CHECK(cost_of(&p->value, rank, &options, &cost) == SCT_OK);
    options.workspace = (size_t)check_between(random, 1, 1 + (int64_t)cost.workspace);
    unsigned long long limit = 0, lacks = 0;
    sct_status status = cost_of(&p->value, rank, &options, &limited);
    if (status) {
        CHECK_CASE(status == SCT_WORKSPACE &&
                       sscanf(sct_last_reason(), "a workspace of %llu bytes is too small by %llu",
                              &limit, &lacks) == 2 &&
                       limit == options.workspace,
                   "%s: rank %d: %s", name_of(number, p), rank, sct_last_reason());
        options.workspace += (size_t)lacks;
        CHECK_CASE(cost_of(&p->value, rank, &options, &limited) == SCT_OK, "%s: rank %d: %s",
                   name_of(number, p), rank, sct_last_reason());
    }
    CHECK_CASE(limited.workspace <= options.workspace, "%s: rank %d takes %" PRIu64 " of %zu",
               name_of(number, p), rank, limited.workspace, options.workspace);
    CHECK_CASE(limited.flops == cost.flops, "%s: rank %d, limited", name_of(number, p), rank);
    test_exact_limit(number, p, rank, options, (size_t)limited.workspace);
    options.workspace = most_workspace(p, &p->options);
    CHECK_CASE(cost_of(&p->value, rank, &options, &limited) == SCT_OK &&
                   limited.steps == cost.steps,
               "%s: rank %d: %s", name_of(number, p), rank, sct_last_reason());
}

static void test_random(int number, uint64_t *random) {
    static problem p;
    make_problem(random, &p);
    test_steps(number, &p);
    test_slicings(number, &p);
    test_replay(number, &p);
    test_any_decisions(number, &p, random);
    test_orders(number, &p);
    test_workspace(number, &p, random);
    free_problem(&p);
}

/* A sum over ranks has the workspace of the rank that needs the most. */
static void test_sum(void) {
    const sct_cost ranks[] = {
        {.steps = 1, .workspace = 5}, {.steps = 2, .workspace = 9}, {.steps = 4}};
    sct_cost sum = {.steps = 0};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        sct_cost_add(&ranks[i], &sum);
    CHECK(sum.steps == 7 && sum.workspace == 9);
}

int main(void) {
    test_sum();
    uint64_t random = check_seed(1);
    for (int i = 0, cases = check_cases(CASES); i < cases; i++)
        test_random(i, &random);
    return check_report("plan");
}
