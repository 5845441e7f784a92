/* errors_matrix.c - matrices created with bad arguments, passed by all ranks or by one; and bad
 * calls on tiles, replicas and local products. */
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLS = 6, ROOM = 64 };

/* The arguments from which a matrix is created. */
typedef struct making {
    sct_world *world;
    sct_type type;
    const char *layout; /* NULL: no layout */
    int ranks;          /* of the layout */
    enum { CREATE, WRAP, WRAP_BLOCKS } how;
    void *part;
    int64_t ld;
    int count;
    const sct_block *blocks;
    sct_block block[2];
    double memory[ROOM];
} making;

typedef void spoil(making *m);

static sct_status make(making *m, sct_matrix **matrix) {
    sct_layout *layout = m->layout ? layout_of(m->layout, ROWS, COLS, m->ranks) : NULL;
    sct_status status = SCT_FAILED;
    switch (m->how) {
    case CREATE:
        status = sct_matrix_create(m->world, m->type, layout, matrix);
        break;
    case WRAP:
        status = sct_matrix_wrap(m->world, m->type, layout, m->part, m->ld, matrix);
        break;
    case WRAP_BLOCKS:
        status = sct_matrix_wrap_blocks(m->world, m->type, layout, m->count, m->blocks, matrix);
        break;
    }
    sct_layout_destroy(layout);
    return status;
}

/* Good arguments: with "row" each rank has 2 x 6 elements, with "cuts" two tiles of 2 x 3. */
static void start(making *m, sct_world *world, int how) {
    static const char *const layouts[] = {"2d", "row", "cuts:2,4,6x3@0,1,2,3,3,2,1,0"};
    *m = (making){.world = world, .type = SCT_F64, .ranks = ERROR_RANKS, .how = how};
    m->layout = layouts[how];
    m->part = m->memory;
    m->count = 2;
    m->blocks = m->block;
    for (int i = 0; i < 2; i++)
        m->block[i] = (sct_block){.data = m->memory + i * 6, .ld = 3, .rows = 2, .cols = 3};
}

static void no_layout(making *m) {
    m->layout = NULL;
}

static void layout_of_more_ranks(making *m) {
    m->layout = "row";
    m->ranks = ERROR_RANKS + 1;
}

static void no_type(making *m) {
    m->type = (sct_type)6;
}

static void short_ld(making *m) {
    m->ld = COLS - 1;
}

static void negative_ld(making *m) {
    m->ld = -COLS;
}

static void huge_ld(making *m) {
    m->ld = INT64_MAX;
}

static void between_elements(making *m) {
    m->part = (char *)m->memory + 1;
}

static void tiles_in_one_part(making *m) {
    m->layout = "cuts:2,4,6x3@0,1,2,3,3,2,1,0";
}

static void one_block(making *m) {
    m->count = 1;
}

static void fewer_than_none(making *m) {
    m->count = -1;
}

static void no_blocks(making *m) {
    m->blocks = NULL;
}

static void order_of_block(making *m) {
    m->block[1].order = SCT_COL_MAJOR;
}

static void rows_of_block(making *m) {
    m->block[1].rows = 3;
}

static void cols_of_block(making *m) {
    m->block[0].cols = 2;
}

static void ld_of_block(making *m) {
    m->block[1].ld = 2;
}

static void other_layout(making *m) {
    m->layout = "row/f";
}

static void other_type(making *m) {
    m->type = SCT_CF64;
}

static void nothing_wrapped(making *m) {
    m->how = CREATE;
}

static const struct row {
    const char *name;
    int how;
    spoil *spoils;
    outcome expected;
} rows[] = {
    {"no layout", CREATE, no_layout, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "layout"}},
    {"more ranks", CREATE, layout_of_more_ranks, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "5 ranks"}},
    {"no type", CREATE, no_type, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "type 6"}},
    {"wrap: no layout", WRAP, no_layout, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "layout"}},
    {"wrap: no type", WRAP, no_type, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "type 6"}},
    {"short ld", WRAP, short_ld, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "dimension of 5"}},
    {"negative ld", WRAP, negative_ld, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "dimension of -6"}},
    {"huge ld", WRAP, huge_ld, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "dimension of 9223"}},
    {"not aligned", WRAP, between_elements, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "aligned"}},
    {"tiles", WRAP, tiles_in_one_part, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "1 block given"}},
    {"one block", WRAP_BLOCKS, one_block, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "1 block given"}},
    {"-1 blocks", WRAP_BLOCKS, fewer_than_none, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "-1 blocks"}},
    {"no blocks", WRAP_BLOCKS, no_blocks, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "0 blocks"}},
    {"order", WRAP_BLOCKS, order_of_block, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "block 1"}},
    {"rows", WRAP_BLOCKS, rows_of_block, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "block 1"}},
    {"columns", WRAP_BLOCKS, cols_of_block, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "block 0"}},
    {"block's ld", WRAP_BLOCKS, ld_of_block, {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "block 1"}},
    {"other layout", CREATE, other_layout, {SCT_OK, SCT_DISAGREE, "rank"}},
    {"other type", CREATE, other_type, {SCT_OK, SCT_DISAGREE, "rank"}},
    {"wrap: other type", WRAP, other_type, {SCT_OK, SCT_DISAGREE, "rank"}},
    {"create or wrap", WRAP, nothing_wrapped, {SCT_OK, SCT_DISAGREE, "rank"}},
};

static void try(sct_world *world, const struct row *row) {
    for (int i = 0; i < CULPRITS; i++) {
        making m;
        sct_matrix *matrix = NULL;
        start(&m, world, row->how);
        if (is_culprit(world, &culprits[i]))
            row->spoils(&m);
        sct_status status = make(&m, &matrix);
        CHECK_CASE(!status == (matrix != NULL), "%s: written though it failed", row->name);
        check_outcome(world, row->name, &culprits[i], status, row->expected);
        sct_matrix_destroy(matrix);
    }
}

/* Two long layouts that differ in their last cut: the reason shows that cut of both. */
static void try_long(sct_world *world) {
    enum { CUTS = 500, STEP = 3 };
    static const char *const words[] = {"", "1 asks for layout=...1500",
                                        "2 asks for layout=...1501"};
    static const char *const others[] = {"", "0 for layout=...1501", "0 for layout=...1500"};
    for (int i = 0; i < CULPRITS; i++) {
        int64_t cut[CUTS];
        int owner[CUTS + 1], none = 0;
        for (int c = 0; c < CUTS; c++)
            cut[c] = (int64_t)STEP * (c + 1);
        for (int c = 0; c <= CUTS; c++)
            owner[c] = c % ERROR_RANKS;
        cut[CUTS - 1] += is_culprit(world, &culprits[i]);
        sct_cuts down = {CUTS + 1, cut, owner}, across = {1, NULL, &none};
        sct_layout *layout = NULL;
        sct_matrix *matrix = NULL;
        CHECK(sct_layout_create_cuts(STEP * (CUTS + 2), COLS, ERROR_RANKS, 1, &down, &across,
                                     &layout) == SCT_OK);
        sct_status status = sct_matrix_create(world, SCT_F64, layout, &matrix);
        CHECK_CASE(!status || strstr(sct_last_reason(), others[i]), "%s", sct_last_reason());
        check_outcome(world, "long layouts", &culprits[i], status,
                      (outcome){SCT_OK, SCT_DISAGREE, words[i]});
        sct_layout_destroy(layout);
        sct_matrix_destroy(matrix);
    }
}

/* With the layout "row" of a matrix that wraps no memory on some ranks: their tiles are refused,
 * also by other ranks, near or far; the tiles of all other ranks can be got. */
static void try_missing_tiles(sct_world *world, const culprit *who, sct_matrix *matrix) {
    double memory[2 * COLS] = {0};
    const sct_block block = {.data = memory, .ld = COLS, .rows = 2, .cols = COLS};
    for (int owner = 0; owner < ERROR_RANKS; owner++) {
        const sct_tile tile = {owner, 0};
        sct_block found = {.ld = -1};
        sct_request request;
        int rank = -1;
        CHECK(sct_matrix_tile_owner(matrix, tile, 0, &rank) == SCT_OK && rank == owner);
        if (who->rank >= 0 && who->rank != owner) {
            CHECK(sct_matrix_get_tile(matrix, tile, 0, &block) == SCT_OK);
            continue;
        }
        char reason[] = "rank 0 wrapped no memory";
        reason[strlen("rank ")] = (char)('0' + owner);
        check_refused(sct_matrix_tile(matrix, tile, 0, &found), reason);
        check_refused(sct_matrix_get_tile(matrix, tile, 0, &block), reason);
        check_refused(sct_matrix_get_tile_async(matrix, tile, 0, &block, &request), reason);
        check_refused(sct_matrix_accumulate_tile(matrix, tile, 0, &block), reason);
        CHECK(found.ld == -1);
    }
    CHECK(sct_world_barrier(world) == SCT_OK); /* all gets are done */
}

/* A matrix that wraps no memory on some rank: an error only in calls that need its memory. */
static void try_missing(sct_world *world) {
    double one = 1, zero = 0;
    for (int i = 0; i < CULPRITS; i++) {
        making m;
        sct_matrix *a = NULL, *c = NULL;
        start(&m, world, WRAP);
        if (is_culprit(world, &culprits[i]))
            m.part = NULL;
        CHECK(make(&m, &a) == SCT_OK);
        try_missing_tiles(world, &culprits[i], a);
        start(&m, world, CREATE);
        CHECK(make(&m, &c) == SCT_OK);
        outcome bad = {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "no memory"};
        sct_view top = {a, {{0, COLS}, {0, COLS}}};
        check_outcome(
            world, "multiply without A", &culprits[i],
            sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), top, &zero, sct_whole(c), NULL), bad);
        check_outcome(world, "multiply without C", &culprits[i],
                      sct_multiply(SCT_N, SCT_N, &zero, sct_whole(c), (sct_view){c, top.slice},
                                   &one, sct_whole(a), NULL),
                      bad);
        check_outcome(world, "copy without source", &culprits[i],
                      sct_copy(SCT_N, sct_whole(a), sct_whole(c), NULL), bad);
        check_outcome(world, "broadcast without memory", &culprits[i],
                      sct_matrix_broadcast_replica(a, 0), bad);
        sct_matrix_destroy(a);
        sct_matrix_destroy(c);
    }
}

static void try_replicas(sct_world *world) {
    making m;
    sct_matrix *matrix = NULL;
    start(&m, world, CREATE);
    m.layout = "row*4";
    CHECK(make(&m, &matrix) == SCT_OK);
    matrix_set(world, matrix, (element){1, 0});
    for (int i = 0; i < CULPRITS; i++) {
        bool odd = is_culprit(world, &culprits[i]);
        outcome bad = {SCT_BAD_ARGUMENT, SCT_BAD_ARGUMENT, "replica"};
        outcome different = {SCT_OK, SCT_DISAGREE, "rank"};
        check_outcome(world, "broadcast", &culprits[i],
                      sct_matrix_broadcast_replica(matrix, odd ? 4 : 1), bad);
        check_outcome(world, "broadcast from here", &culprits[i],
                      sct_matrix_broadcast_replica(matrix, odd ? SCT_HERE : 1), bad);
        check_outcome(world, "reduce", &culprits[i],
                      sct_matrix_reduce_replicas(matrix, odd ? -2 : 1), bad);
        check_outcome(world, "broadcast from another", &culprits[i],
                      sct_matrix_broadcast_replica(matrix, odd ? 2 : 1), different);
    }
    sct_matrix_destroy(matrix);
}

static void try_tiles(sct_world *world) {
    static const sct_tile outside[] = {{-1, 0}, {0, -1}, {2, 0}, {0, 2}, {INT64_MAX, 0}};
    static const sct_slice slices[] = {
        {{-1, 2}, {0, 1}}, {{0, ROWS + 1}, {0, 1}}, {{5, 4}, {0, 1}}, {{0, 1}, {0, COLS + 1}}};
    making m;
    sct_matrix *matrix = NULL;
    start(&m, world, CREATE);
    CHECK(make(&m, &matrix) == SCT_OK);
    sct_slice slice = {{7, 7}, {7, 7}};
    sct_view view = {NULL, slice};
    sct_block block = {.data = m.memory, .ld = 3, .rows = 4, .cols = 3};
    sct_request request;
    int rank = -7;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        check_refused(sct_matrix_tile_bounds(matrix, outside[i], &slice), "tile");
        check_refused(sct_matrix_tile_owner(matrix, outside[i], 0, &rank), "tile");
        check_refused(sct_matrix_tile(matrix, outside[i], 0, &block), "tile");
        check_refused(sct_matrix_get_tile(matrix, outside[i], 0, &block), "tile");
        check_refused(sct_matrix_get_tile_async(matrix, outside[i], 0, &block, &request), "tile");
        check_refused(sct_matrix_accumulate_tile(matrix, outside[i], 0, &block), "tile");
    }
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
        check_refused(sct_matrix_overlapping_tiles(matrix, slices[i], &slice), "slice");
        check_refused(sct_matrix_view(matrix, slices[i], &view), "view");
    }
    check_refused(sct_matrix_view(NULL, slice, &view), "view");
    const sct_tile first = {0, 0};
    check_refused(sct_matrix_tile_owner(matrix, first, 1, &rank), "replica");
    check_refused(sct_matrix_tile(matrix, first, -2, &block), "replica");
    check_refused(sct_matrix_get_tile(matrix, first, 1, &block), "replica");
    CHECK(rank == -7 && slice.rows.lo == 7 && view.matrix == NULL && block.data == m.memory);
    const sct_block misfits[] = {{m.memory, 3, 3, 3, SCT_ROW_MAJOR},
                                 {m.memory, 4, 4, 4, SCT_ROW_MAJOR},
                                 {m.memory, 4, 4, 3, SCT_COL_MAJOR},
                                 {m.memory, 2, 4, 3, SCT_ROW_MAJOR},
                                 {m.memory, INT64_MAX, 4, 3, SCT_ROW_MAJOR}};
    static const char *const why[] = {"block", "block", "block", "of 2 is less than 3",
                                      "of 9223372036854775807 is more than 288230376151711743"};
    for (int i = 0; i < 5; i++) {
        check_refused(sct_matrix_get_tile(matrix, first, 0, &misfits[i]), why[i]);
        check_refused(sct_matrix_accumulate_tile(matrix, first, 0, &misfits[i]), why[i]);
    }
    sct_matrix_destroy(matrix);
}

/* Local products of 2 x 2 blocks, one of which is wrong. */
static void try_local(void) {
    double memory[ROOM] = {0}, one = 1;
    const sct_block right = {memory, 2, 2, 2, SCT_ROW_MAJOR};
    const sct_block wrong[] = {{memory, 1, 2, 2, SCT_ROW_MAJOR},
                               {memory, INT64_MAX, 2, 2, SCT_ROW_MAJOR},
                               {memory, 2, -1, 2, SCT_COL_MAJOR},
                               {memory, 3, 2, 3, SCT_ROW_MAJOR},
                               {memory, 3, 3, 3, SCT_COL_MAJOR}};
    static const char *const words[][3] = {{"a: ", "b: ", "c: "},
                                           {"a: ", "b: ", "c: "},
                                           {"a: ", "b: ", "c: "},
                                           {"op(a)", "op(b)", "c is 2 x 3"},
                                           {"op(a) is 3", "op(b) is 3", "c is 3 x 3"}};
    memory[0] = 5;
    for (int i = 0; i < 15; i++) {
        sct_block block[] = {right, right, right};
        block[i % 3] = wrong[i / 3];
        check_refused(
            sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &block[0], &block[1], &one, &block[2]),
            words[i / 3][i % 3]);
    }
    check_refused(sct_gemm_local((sct_type)9, SCT_N, SCT_N, &one, &right, &right, &one, &right),
                  "type 9");
    check_refused(sct_gemm_local(SCT_F64, (sct_op)3, SCT_N, &one, &right, &right, &one, &right),
                  "op 3");
    check_refused(sct_gemm_local(SCT_F64, SCT_N, SCT_N, NULL, &right, &right, &one, &right),
                  "alpha");
    check_refused(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &right, &right, NULL, &right),
                  "beta");
    CHECK(memory[0] == 5);
}

static int rank_main(sct_world *world, void *arg) {
    (void)arg;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        try(world, &rows[i]);
    try_long(world);
    try_missing(world);
    try_replicas(world);
    try_tiles(world);
    try_local();
    return 0;
}

int main(void) {
    run_error_ranks(1, rank_main);
    return check_report("errors_matrix");
}
