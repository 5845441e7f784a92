/* plan.c - the plans of all ranks together, without data: coverage, owners, shares, workspace. */
#include "layout/layout.h"
#include "support/check.h"
#include "support/layouts.h"
#include "support/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 12, CASES = 600, MATRICES = 3, DIMS = 3 };
enum { M, K, N };

/* A random problem, and how often its steps do each (i, l, j). */
typedef struct problem {
    sct_layout *layout[MATRICES];
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
}

static void free_problem(problem *p) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(p->layout[i]);
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

/* Whether the owner that a step names is that of all elements, or -1 and they have several; and
 * whether what is used in place is within reach. */
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

/* The share of the stationary matrix's replica in its free dimension. */
static bool in_share(const problem *p, int stay, int rank, const int64_t *list, int64_t count) {
    int64_t copies = sct_layout_replicas(p->layout[stay]), size = p->size[free_dim[stay]];
    int64_t home = sct_layout_home(p->layout[stay], rank);
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
    bool right = in_share(p, stay, rank, list[free_dim[stay]], set[free_dim[stay]]->count) &&
                 owners[stay] == rank;
    for (int i = 0; i < MATRICES; i++)
        right &= owner_right(p, i, rank, set, list, owners[i], reaches[i], blocks[i]);
    return right;
}

static double flops_of(const problem *p) {
    bool complex = p->value.type == SCT_CF32 || p->value.type == SCT_CF64;
    return (complex ? 8.0 : 2.0) * (double)p->size[M] * (double)p->size[K] * (double)p->size[N];
}

/* Each (i, l, j) once, by all ranks. */
static bool covered(const problem *p) {
    for (int64_t i = 0; i < p->size[M]; i++)
        for (int64_t l = 0; l < p->size[K]; l++)
            for (int64_t j = 0; j < p->size[N]; j++)
                if (p->done[i][l][j] != 1)
                    return false;
    return true;
}

/* For the text of a failure. */
static const char *name_of(int number, const problem *p) {
    static char text[400];
    char layout[MATRICES][100];
    for (int i = 0; i < MATRICES; i++)
        sct_layout_print(p->layout[i], layout[i], sizeof layout[i]);
    snprintf(text, sizeof text,
             "case %d: %" PRId64 "x%" PRId64 "x%" PRId64 " on %d ranks, a %s b %s c %s stay %d",
             number, p->size[M], p->size[N], p->size[K], p->value.ranks, layout[0], layout[1],
             layout[2], (int)p->options.stay);
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

static sct_status cost_of(const problem *p, int rank, const sct_options *options, sct_cost *cost) {
    sct_plan *plan;
    sct_status status = sct_plan_create(&p->value, rank, options, &plan);
    if (status)
        return status;
    sct_plan_cost(plan, cost);
    sct_plan_destroy(plan);
    return SCT_OK;
}

/* Slicing by class never makes more steps than slicing by tile. */
static void test_slicings(int number, const problem *p) {
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_options options = p->options;
        sct_cost by_class, by_tile;
        options.fetch = SCT_FETCH_SLICE;
        options.slicing = SCT_SLICE_CLASS;
        CHECK(cost_of(p, rank, &options, &by_class) == SCT_OK);
        options.slicing = SCT_SLICE_TILE;
        CHECK(cost_of(p, rank, &options, &by_tile) == SCT_OK);
        CHECK_CASE(by_class.steps <= by_tile.steps, "%s: rank %d has %" PRId64 " > %" PRId64,
                   name_of(number, p), rank, by_class.steps, by_tile.steps);
    }
}

/* Without what is of other orders alone. */
static sct_options in_order(const problem *p, sct_schedule schedule) {
    sct_options options = p->options;
    options.schedule = schedule;
    if (schedule == SCT_DIRECT)
        options.transfers_in_group = 0;
    else
        options.prefetch = 0;
    return options;
}

/* Without a limit no order moves more than another. */
static void test_orders(int number, const problem *p) {
    for (int rank = 0; rank < p->value.ranks; rank++) {
        sct_options options = in_order(p, SCT_DIRECT);
        sct_cost direct, other;
        CHECK(cost_of(p, rank, &options, &direct) == SCT_OK);
        for (int order = SCT_GREEDY; order < SCT_EXHAUSTIVE; order++) {
            options = in_order(p, (sct_schedule)order);
            CHECK(cost_of(p, rank, &options, &other) == SCT_OK);
            CHECK_CASE(other.steps == direct.steps && other.bytes_got == direct.bytes_got &&
                           other.bytes_gathered == direct.bytes_gathered &&
                           other.bytes_in_place == direct.bytes_in_place &&
                           other.bytes_accumulated == direct.bytes_accumulated &&
                           other.bytes_scattered == direct.bytes_scattered,
                       "%s: rank %d moves other bytes in order %d", name_of(number, p), rank,
                       order);
        }
    }
}

/* A limit holds, or the reason tells how much it lacks, and with that it holds. A limit of what a
 * plan takes is no limit. */
static void test_workspace(int number, problem *p, uint64_t *random) {
    int rank = (int)check_between(random, 0, p->value.ranks - 1);
    sct_options options = p->options;
    sct_cost cost, limited;
    CHECK(cost_of(p, rank, &options, &cost) == SCT_OK);
    options.workspace = (size_t)check_between(random, 1, 1 + (int64_t)cost.workspace);
    unsigned long long limit, lacks;
    sct_status status = cost_of(p, rank, &options, &limited);
    if (status) {
        CHECK_CASE(status == SCT_WORKSPACE &&
                       sscanf(sct_last_reason(), "workspace of %llu bytes lacks %llu", &limit,
                              &lacks) == 2 &&
                       limit == options.workspace,
                   "%s: rank %d: %s", name_of(number, p), rank, sct_last_reason());
        options.workspace += (size_t)lacks;
        CHECK_CASE(cost_of(p, rank, &options, &limited) == SCT_OK, "%s: rank %d: %s",
                   name_of(number, p), rank, sct_last_reason());
    }
    CHECK_CASE(limited.workspace <= options.workspace, "%s: rank %d takes %" PRIu64 " of %zu",
               name_of(number, p), rank, limited.workspace, options.workspace);
    CHECK_CASE(limited.flops == cost.flops, "%s: rank %d, limited", name_of(number, p), rank);
    options.workspace = (size_t)limited.workspace;
    CHECK_CASE(cost_of(p, rank, &options, &limited) == SCT_OK, "%s: rank %d: %s",
               name_of(number, p), rank, sct_last_reason());
    options.workspace = (size_t)cost.workspace;
    CHECK(cost_of(p, rank, &options, &limited) == SCT_OK && limited.steps == cost.steps);
}

static void test_random(int number, uint64_t *random) {
    static problem p;
    make_problem(random, &p);
    test_steps(number, &p);
    test_slicings(number, &p);
    test_orders(number, &p);
    test_workspace(number, &p, random);
    free_problem(&p);
}

/* Three matrices in one layout each. */
static void make_plain(int64_t m, int64_t k, int64_t n, int ranks, const char *const text[MATRICES],
                       problem *p) {
    *p = (problem){.size = {m, k, n}, .options = {.size = sizeof p->options}};
    parse_three(m, k, n, ranks, text, p->layout);
    p->value = problem_with(SCT_F64, p->layout, ranks);
}

/* A 4096-cube in 64-blocks on a 2 x 2 grid: two products by class, 32 x 32 x 64 by tile. */
static void test_classes(void) {
    static problem p;
    static const char *const cyclic[] = {"cyclic:64x64", "cyclic:64x64", "cyclic:64x64"};
    make_plain(4096, 4096, 4096, 4, cyclic, &p);
    for (int rank = 0; rank < 4; rank++) {
        sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
        sct_cost cost;
        CHECK(cost_of(&p, rank, &options, &cost) == SCT_OK && cost.steps == 2);
        CHECK(cost.workspace == 0 && cost.bytes_gathered == 0);
        CHECK(cost.bytes_in_place == 2u * 2048 * 2048 * 8);
        options.slicing = SCT_SLICE_TILE;
        CHECK(cost_of(&p, rank, &options, &cost) == SCT_OK && cost.steps == 65536);
    }
    free_problem(&p);
}

/* Where all are near, B is used in panels of 1 MiB rather than let A be read from memory for each
 * of its owners: on 2 ranks it is multiplied where it lies, with A still in the cache; on 4 ranks
 * that would be too often, and B is brought together. Beyond reach, owners part it. */
static void test_panels(void) {
    static problem p;
    static const char *const cols[] = {"col", "col", "col"};
    make_plain(256, 65536, 256, 2, cols, &p);
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_A};
    sct_cost cost;
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK && cost.steps == 64);
    CHECK(cost.bytes_gathered == 0 && cost.workspace == 1 << 19);
    CHECK(cost.bytes_in_place == 32768 * 128 * 8);
    p.value.ranks_per_node = 1;
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK && cost.bytes_gathered == 0);
    CHECK(cost.bytes_got == 32768 * 128 * 8);
    free_problem(&p);
    make_plain(256, 65536, 256, 4, cols, &p);
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK && cost.steps == 32);
    CHECK(cost.bytes_gathered == 16384 * 256 * 8 && cost.workspace == 3 << 19);
    CHECK(cost.bytes_in_place == 16384 * 192 * 8);
    free_problem(&p);
}

/* A limit that does not hold the sums of C is refused before steps get so many that it takes time,
 * by the bytes with which it holds. */
static void test_sums(void) {
    static problem p;
    static const char *const rows[] = {"row", "row", "row"};
    const size_t sums = 2048 * 4096 * sizeof(float);
    make_plain(4096, 4096, 4096, 2, rows, &p);
    p.value.type = SCT_F16;
    for (int round = 0; round < 2; round++) {
        sct_options options = {.size = sizeof options, .workspace = round ? sums - 1 : 1};
        sct_cost cost;
        unsigned long long lacks = 0;
        CHECK(cost_of(&p, 0, &options, &cost) == SCT_WORKSPACE);
        CHECK(sscanf(sct_last_reason(), "workspace of %*u bytes lacks %llu", &lacks) == 1);
        options.workspace += (size_t)lacks;
        CHECK(options.workspace > sums && options.workspace < sums + sums / 64);
        CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK && cost.steps < 100000);
    }
    free_problem(&p);
}

/* What is added to others is done first, so that it travels while the rank's own part is made. */
static void test_own_part_last(void) {
    static problem p;
    static const char *const text[] = {"col", "row", "row"};
    make_plain(90, 60, 30, 3, text, &p);
    p.value.ranks_per_node = 1;
    for (int i = 0; i < 6; i++) {
        int rank = i / 2;
        sct_options options = {.size = sizeof options, .stay = i % 2 ? SCT_STAY_A : SCT_STAY_B};
        sct_plan *plan;
        CHECK(sct_plan_create(&p.value, rank, &options, &plan) == SCT_OK);
        for (int t = 0; t < 3; t++) {
            sct_step step;
            CHECK(sct_plan_step(plan, t, &step) == SCT_OK);
            CHECK(step.owner_a == rank && step.owner_b == rank &&
                  step.owner_c == (rank + 1 + t) % 3);
        }
        sct_plan_destroy(plan);
    }
    free_problem(&p);
}

/* Sizes beyond 32 bits, of elements and of bytes; and many ranks. Rank 0 fetches what its row and
 * its column of the grid have and it has not. */
static void test_large(int ranks, const char *grid, int64_t rows, int64_t cols) {
    static problem p;
    const int64_t size = 1000000;
    const char *const text[] = {grid, grid, grid};
    make_plain(size, size, size, ranks, text, &p);
    p.value.ranks_per_node = 1;
    /* Nothing is cut finer than the grids do, except k, down to 256. */
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_C, .workspace = SIZE_MAX};
    sct_cost cost;
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK);
    uint64_t height = (uint64_t)(size / rows), width = (uint64_t)(size / cols);
    CHECK_CASE(cost.bytes_got ==
                   8 * (height * ((uint64_t)size - width) + ((uint64_t)size - height) * width),
               "%s: %" PRIu64 " bytes", grid, cost.bytes_got);
    CHECK(cost.flops == 2.0 * (double)height * (double)width * (double)size);
    CHECK(cost.steps <= rows + cols + size / 128);
    free_problem(&p);
}

/* Where one matrix alone is beyond reach, it alone is got, rather another one moves, and a caller
 * who does not know of such matrices is not asked for them. */
static void test_reach(void) {
    enum { SIZE = 64, HALF = SIZE * SIZE * 8 / 2 };
    static problem p;
    static const char *const rows[] = {"row", "row", "row"};
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_C}, any = {.size = sizeof any};
    sct_plan *near, *far;
    sct_cost cost;
    make_plain(SIZE, SIZE, SIZE, 2, rows, &p);
    CHECK(sct_plan_create(&p.value, 0, &any, &near) == SCT_OK);
    p.value.ranks_per_node_b = 1;
    CHECK(sct_plan_create(&p.value, 0, &any, &far) == SCT_OK);
    CHECK(sct_plan_stay(near) == SCT_STAY_C && sct_plan_stay(far) == SCT_STAY_B);
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK);
    CHECK(cost.bytes_got == HALF && cost.bytes_in_place == 0);
    p.value.ranks_per_node = 1;
    p.value.ranks_per_node_b = 2;
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK);
    CHECK(cost.bytes_got == 0 && cost.bytes_in_place == HALF);
    p.value.ranks_per_node_a = -1;
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_BAD_ARGUMENT);
    p.value.size = offsetof(sct_problem, ranks_per_node_a);
    CHECK(cost_of(&p, 0, &options, &cost) == SCT_OK && cost.bytes_got == HALF);
    sct_plan_destroy(near);
    sct_plan_destroy(far);
    free_problem(&p);
}

static uint64_t hash_of(const sct_problem *value, int rank, const sct_options *options) {
    sct_plan *plan;
    if (!CHECK(sct_plan_create(value, rank, options, &plan) == SCT_OK))
        return 0;
    uint64_t hash = sct_plan_hash(plan);
    sct_plan_destroy(plan);
    return hash;
}

/* What does not change the steps does not change the hash; whatever does, does. */
static void test_hash(void) {
    enum { OPTIONS = 6, PROBLEMS = 5, RANKS = 4, ALL = RANKS * OPTIONS * PROBLEMS };
    static problem p;
    static const char *const texts[] = {"2d", "row", "cyclic:8x8"};
    make_plain(64, 64, 64, RANKS, texts, &p);
    sct_options plain = {.size = sizeof plain, .stay = SCT_STAY_C}, deep = plain;
    deep.prefetch = deep.products_in_flight = deep.accumulates_in_flight = 3;
    CHECK(hash_of(&p.value, 1, &plain) == hash_of(&p.value, 1, &deep));
    sct_options options[OPTIONS] = {plain, plain, plain, plain, plain, plain};
    options[1].stay = SCT_STAY_A;
    options[2].slicing = SCT_SLICE_TILE;
    options[3].ordered = 1;
    options[4].result = SCT_RESULT_ORIGIN;
    options[5].fetch = SCT_FETCH_TILE;
    sct_problem problems[PROBLEMS] = {p.value, p.value, p.value, p.value, p.value};
    problems[1].type = SCT_F32;
    problems[2].op_a = SCT_T;
    problems[3].ranks_per_node = 1;
    problems[4].b = p.layout[0];
    uint64_t seen[ALL];
    for (int i = 0; i < ALL; i++) {
        const sct_options *asked = &options[i / RANKS % OPTIONS];
        seen[i] = hash_of(&problems[i / RANKS / OPTIONS], i % RANKS, asked);
        for (int j = 0; j < i; j++)
            CHECK_CASE(seen[i] != seen[j], "plans %d and %d have one hash", j, i);
    }
    free_problem(&p);
}

/* Where in k a rank's steps begin. */
static void list_k(const problem *p, int rank, const sct_options *options, int64_t k[4]) {
    sct_plan *plan;
    CHECK(sct_plan_create(&p->value, rank, options, &plan) == SCT_OK);
    for (int i = 0; i < 4; i++) {
        sct_step step;
        CHECK(sct_plan_step(plan, i, &step) == SCT_OK);
        k[i] = step.k.first.lo;
    }
    sct_plan_destroy(plan);
}

/* Another order of the same steps is another plan; one that comes to the same order is not. Rank r
 * starts with piece r / 2 + r % 2 of k, or, if all start alike, each with the first. */
static void test_order_hash(void) {
    static problem p;
    static const char *const texts[] = {"2d", "row", "2d"};
    make_plain(64, 64, 64, 4, texts, &p);
    p.value.ranks_per_node = 1;
    sct_options direct = {.size = sizeof direct, .stay = SCT_STAY_C};
    sct_options greedy = direct, alike = direct;
    greedy.schedule = SCT_GREEDY;
    alike.start = SCT_START_ALIKE;
    for (int rank = 0; rank < 4; rank++) {
        int64_t k[3][4];
        list_k(&p, rank, &direct, k[0]);
        list_k(&p, rank, &greedy, k[1]);
        list_k(&p, rank, &alike, k[2]);
        uint64_t hash = hash_of(&p.value, rank, &direct);
        bool same = memcmp(k[0], k[1], sizeof k[0]) == 0;
        CHECK(k[0][0] == 16 * (rank / 2 + rank % 2) && k[2][0] == 0);
        CHECK((hash_of(&p.value, rank, &greedy) == hash) == same && same == (rank < 3));
        CHECK((hash_of(&p.value, rank, &alike) == hash) == (rank == 0));
    }
    free_problem(&p);
}

/* Where the free dimension is shorter than there are replicas, some replicas have nothing to do. */
static void test_idle_replicas(void) {
    static const char *const text[MATRICES] = {"row", "col", "row*4"};
    static problem p;
    make_plain(6, 2, 5, 8, text, &p);
    p.options.stay = SCT_STAY_C;
    for (int rank = 0; rank < 8; rank++) {
        sct_cost cost;
        int replica = rank / 2;
        CHECK(cost_of(&p, rank, &p.options, &cost) == SCT_OK);
        CHECK_CASE((cost.steps > 0) == (replica * 2 / 4 < (replica + 1) * 2 / 4),
                   "rank %d has %" PRId64 " steps", rank, cost.steps);
    }
    CHECK(sct_plan_check(&p.value, &p.options) == SCT_OK);
    free_problem(&p);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    test_classes();
    test_panels();
    test_sums();
    test_own_part_last();
    test_large(4, "2d:2x2", 2, 2);
    test_large(1000, "2d:25x40", 25, 40);
    test_reach();
    test_hash();
    test_order_hash();
    test_idle_replicas();
    return check_report("plan");
}
