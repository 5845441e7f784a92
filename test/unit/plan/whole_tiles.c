/* whole_tiles.c - plans that get whole tiles: bytes and workspace, worked out by hand for small
 * examples and by marking tiles for others. */
#include "layout/layout.h"
#include "support/check.h"
#include "support/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MATRICES = 3, MOST_TILES = 200 };
enum { M, N, K, DIMS };

typedef struct problem {
    sct_layout *layout[MATRICES];
    sct_slice view[MATRICES];
    sct_problem value;
    sct_options options;
} problem;

/* Describes a problem: each stored matrix has `margin` more rows and columns than are used, on
 * every side. */
typedef struct recipe {
    int ranks;
    int64_t size[DIMS], margin;
    const char *text[MATRICES];
    sct_op op[MATRICES];
} recipe;

static void make(const recipe *r, problem *p) {
    static const int dims[MATRICES][2] = {{M, K}, {K, N}, {M, N}};
    *p = (problem){.options = {.size = sizeof p->options, .fetch = SCT_FETCH_TILE}};
    for (int i = 0; i < MATRICES; i++) {
        bool turned = r->op[i] != SCT_N;
        int64_t rows = r->size[dims[i][turned]], cols = r->size[dims[i][!turned]];
        p->view[i] = (sct_slice){{r->margin, r->margin + rows}, {r->margin, r->margin + cols}};
        CHECK(sct_layout_parse(r->text[i], rows + 2 * r->margin, cols + 2 * r->margin, r->ranks,
                               &p->layout[i]) == SCT_OK);
    }
    p->value = problem_with(SCT_F64, p->layout, r->ranks);
    p->value.op_a = r->op[0];
    p->value.op_b = r->op[1];
    p->value.view_a = &p->view[0];
    p->value.view_b = &p->view[1];
    p->value.view_c = &p->view[2];
    p->value.ranks_per_node = 1;
    p->options.stay = SCT_STAY_C;
    p->options.prefetch = -1;
    p->options.products_in_flight = 1;
    p->options.result = SCT_RESULT_PARTIAL;
}

static void clear(problem *p) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(p->layout[i]);
}

/* ---- By hand ---- */

/* A cuts k at 5, B at 4. Rank 0 uses three of the six rows of rank 1's tile of A, and all of its
 * tile of B, in two steps. */
static void test_misaligned(void) {
    problem p;
    sct_cost cost;
    make(&(recipe){2, {6, 4, 10}, 0, {"col", "cuts:4x-@0,1", "row"}, {SCT_N}}, &p);
    CHECK(cost_of(&p.value, 0, &p.options, &cost) == SCT_OK && cost.steps == 3);
    CHECK(cost.bytes_got == (6 * 5 + 6 * 4) * 8 && cost.bytes_gathered == 0);
    CHECK(cost.workspace == 256 + 192);
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_OK &&
          cost.bytes_got == (6 * 5 + 4 * 4) * 8);
    p.options.workspace = 256 + 192 - 1;
    CHECK(cost_of(&p.value, 0, &p.options, &cost) == SCT_WORKSPACE &&
          strstr(sct_last_reason(), "too small by 1"));
    p.options.workspace++;
    CHECK(cost_of(&p.value, 0, &p.options, &cost) == SCT_OK);
    p.options.fetch = SCT_FETCH_SLICE;
    p.options.slicing = SCT_SLICE_TILE;
    CHECK(cost_of(&p.value, 0, &p.options, &cost) == SCT_OK &&
          cost.bytes_got == (3 * 5 + 6 * 4) * 8);
    p.options.fetch = SCT_FETCH_TILE;
    p.value.ranks_per_node = 2; /* another rank's tile is copied although it is within reach */
    CHECK(cost_of(&p.value, 0, &p.options, &cost) == SCT_OK && cost.bytes_got == 0);
    CHECK(cost.bytes_gathered == (6 * 5 + 6 * 4) * 8 && cost.bytes_in_place == cost.bytes_gathered);
    clear(&p);
}

/* Only the part of a tile inside the view is fetched, but all of that part, even what only other
 * replicas of C need. */
static void test_extent(void) {
    problem p;
    sct_cost cost;
    make(&(recipe){2, {6, 4, 10}, 3, {"row@1", "row*2", "row*2"}, {SCT_N}}, &p);
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_OK && cost.flops == 2 * 6 * 4 * 5);
    CHECK(cost.bytes_got == 6 * 10 * 8);
    clear(&p);
}

/* Two tiles of C in different rows use one tile of A and one of B, which are got once. */
static void test_shared(void) {
    problem p;
    sct_cost cost;
    make(&(recipe){2, {6, 4, 10}, 0, {"row@1", "row@1", "cuts:3x-@1,1"}, {SCT_N}}, &p);
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_OK && cost.steps == 2);
    CHECK(cost.bytes_got == (6 * 10 + 10 * 4) * 8 && cost.workspace == 512 + 320);
    clear(&p);
}

/* Tiles cannot be cut to save workspace, so slices of C are. Rank 1 gets one tile of A; one slice
 * of C is computed while another is sent. */
static void test_limit(void) {
    enum { TILE = 32 * 1024 * 8, SLICE = 32 * 64 * 8 };
    problem p;
    sct_cost cost;
    make(&(recipe){2, {64, 64, 1024}, 0, {"row", "row", "row"}, {SCT_N}}, &p);
    p.options.stay = SCT_STAY_B;
    p.options.accumulates_in_flight = 1;
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_OK && cost.bytes_got == TILE);
    CHECK(cost.steps == 2 && cost.workspace == TILE + 2 * SLICE);
    p.options.workspace = TILE + SLICE;
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_OK && cost.bytes_got == TILE);
    CHECK(cost.steps == 4 && cost.workspace == TILE + SLICE);
    p.options.workspace = TILE;
    CHECK(cost_of(&p.value, 1, &p.options, &cost) == SCT_WORKSPACE);
    clear(&p);
}

/* ---- By marking tiles ---- */

/* One tile of A or B, as the steps of a rank use it. */
typedef struct tile {
    uint64_t bytes; /* 0: not copied */
    int owner;
    int64_t first, last; /* step */
} tile;

typedef struct tally {
    tile tile[2][MOST_TILES];
    uint64_t got, gathered;
} tally;

/* Whether an operand goes through workspace even if the rank owns it. */
static bool converted(const problem *p, int matrix) {
    sct_op op = matrix ? p->value.op_b : p->value.op_a;
    bool turned = sct_layout_order(p->layout[matrix]) != sct_layout_order(p->layout[2]);
    return p->value.type == SCT_F16 || (p->value.type == SCT_CF64 && op == SCT_C && turned);
}

static int64_t clipped(sct_range bounds, sct_range view) {
    int64_t lo = bounds.lo > view.lo ? bounds.lo : view.lo;
    int64_t hi = bounds.hi < view.hi ? bounds.hi : view.hi;
    return hi - lo;
}

/* Marks the tile of an operand's first element; returns whether it must have been copied. */
static bool mark(const problem *p, int rank, int matrix, const sct_indices *set[2], int64_t step,
                 tally *t) {
    const sct_layout *layout = p->layout[matrix];
    const sct_slice *view = &p->view[matrix];
    bool turned = (matrix ? p->value.op_b : p->value.op_a) != SCT_N;
    int64_t row = view->rows.lo + set[turned]->first.lo;
    int64_t col = view->cols.lo + set[!turned]->first.lo;
    int64_t i = sct_axis_block(&layout->rows, row), j = sct_axis_block(&layout->cols, col);
    tile *at = &t->tile[matrix][i * layout->cols.blocks + j];
    int owner = sct_layout_owner(layout, sct_layout_home(layout, rank), row, col);
    if (owner == rank && !converted(p, matrix))
        return false;
    if (at->bytes == 0) {
        at->first = step;
        at->owner = owner;
    }
    at->last = step;
    at->bytes = sct_type_bytes(p->value.type) *
                (uint64_t)clipped(sct_axis_bounds(&layout->rows, i), view->rows) *
                (uint64_t)clipped(sct_axis_bounds(&layout->cols, j), view->cols);
    return true;
}

/* The largest number of tiles held at once, each for as long as it is used, times the largest size.
 */
static uint64_t room(const problem *p, const tile tiles[MOST_TILES], int64_t steps) {
    uint64_t most = 0, largest = 0;
    for (int64_t step = 0; step < steps; step++) {
        uint64_t kept = 0;
        for (int i = 0; i < MOST_TILES; i++)
            kept += tiles[i].bytes && tiles[i].first <= step && step <= tiles[i].last;
        most = kept > most ? kept : most;
    }
    for (int i = 0; i < MOST_TILES; i++)
        largest = tiles[i].bytes > largest ? tiles[i].bytes : largest;
    if (p->value.type == SCT_F16)
        largest *= 2;
    return most * ((largest + 63) / 64 * 64);
}

static void add_bytes(const problem *p, int rank, tally *t) {
    int node = p->value.ranks_per_node ? p->value.ranks_per_node : p->value.ranks;
    for (int matrix = 0; matrix < 2; matrix++)
        for (int i = 0; i < MOST_TILES; i++) {
            const tile *at = &t->tile[matrix][i];
            *(at->owner / node == rank / node ? &t->gathered : &t->got) += at->bytes;
        }
}

static void test_rank(const problem *p, int rank, const char *name) {
    static tally t;
    sct_plan *plan;
    sct_cost cost;
    sct_step step;
    bool right = true, c_in_place = true;
    t = (tally){.got = 0};
    if (!CHECK(sct_plan_create(&p->value, rank, &p->options, &plan) == SCT_OK))
        return;
    sct_plan_cost(plan, &cost);
    for (int64_t i = 0; i < cost.steps; i++) {
        CHECK(sct_plan_step(plan, i, &step) == SCT_OK);
        right &= mark(p, rank, 0, (const sct_indices *[]){&step.m, &step.k}, i, &t) ==
                 (step.a == SCT_BY_COPY);
        right &= mark(p, rank, 1, (const sct_indices *[]){&step.k, &step.n}, i, &t) ==
                 (step.b == SCT_BY_COPY);
        c_in_place &= step.c == SCT_IN_PLACE;
    }
    add_bytes(p, rank, &t);
    uint64_t rooms = room(p, t.tile[0], cost.steps) + room(p, t.tile[1], cost.steps);
    CHECK_CASE(right, "%s: rank %d copies the wrong operands", name, rank);
    CHECK_CASE(cost.bytes_got == t.got && cost.bytes_gathered == t.gathered,
               "%s: rank %d gets %" PRIu64 ", not %" PRIu64 ", gathers %" PRIu64 ", not %" PRIu64,
               name, rank, cost.bytes_got, t.got, cost.bytes_gathered, t.gathered);
    CHECK_CASE(c_in_place ? cost.workspace == rooms : cost.workspace > rooms,
               "%s: rank %d takes %" PRIu64 " for tiles of %" PRIu64, name, rank, cost.workspace,
               rooms);
    sct_plan_destroy(plan);
}

static void test_problem(const recipe *r, sct_type type, int node, sct_stay stay) {
    problem p;
    char name[300];
    make(r, &p);
    p.value.type = type;
    p.value.sum_c = type == SCT_F16;
    p.value.ranks_per_node = node;
    p.options.stay = stay;
    snprintf(name, sizeof name, "a %s b %s c %s margin %d op %c%c type %s nodes %d stay %d",
             r->text[0], r->text[1], r->text[2], (int)r->margin, "NTC"[r->op[0]], "NTC"[r->op[1]],
             sct_type_name(type), node, (int)stay);
    CHECK_CASE(sct_plan_check(&p.value, &p.options) == SCT_OK, "%s: %s", name, sct_last_reason());
    for (int rank = 0; rank < r->ranks; rank++)
        test_rank(&p, rank, name);
    clear(&p);
}

static void test_problems(void) {
    static const sct_type types[] = {SCT_F64, SCT_CF64, SCT_F16};
    static const sct_op ops[][2] = {{SCT_N, SCT_N}, {SCT_T, SCT_C}, {SCT_C, SCT_T}};
    static const recipe recipes[] = {
        {2, {6, 4, 10}, 0, {"col", "cuts:4x-@0,1", "row"}, {SCT_N}},
        {4, {9, 7, 11}, 2, {"cyclic:2x3@2x2", "row*2", "cyclic:4x2@2x2"}, {SCT_N}},
        {3, {9, 7, 11}, 0, {"cuts:2,5x4@0,1,2,0,1,1", "col", "cuts:3x2,5@1,0,0,2,1,0"}, {SCT_N}},
        {3, {9, 9, 9}, 1, {"cuts:2x4@0,1,2,0", "cuts:4x4@2,2,1,0/f", "row*3"}, {SCT_N}},
        {6, {12, 10, 8}, 1, {"2d:2x3/f", "cyclic:1x5", "row*3"}, {SCT_N}},
        {5, {3, 14, 9}, 0, {"row@1", "2d:1x5", "col*5/f"}, {SCT_N}},
        {3, {12, 10, 8}, 0, {"cyclic:2x20@3x1", "row", "row"}, {SCT_N}},
    };
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        for (int round = 0; round < 81; round++) {
            recipe r = recipes[i];
            memcpy(r.op, ops[round % 3], sizeof ops[0]);
            test_problem(&r, types[round / 3 % 3], round / 9 % 3,
                         (sct_stay)(SCT_STAY_A + round / 27));
        }
}

int main(void) {
    test_misaligned();
    test_extent();
    test_shared();
    test_limit();
    test_problems();
    return check_report("fetch");
}
