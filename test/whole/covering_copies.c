/* covering_copies.c - copies between layouts of all kinds, chosen by a covering array and compared
 * element by element. */
#include "engine/emulated.h"
#include "whole/support/covering_array.h"
#include "whole/support/elements.h"
#include "whole/support/guarded_matrix.h"
#include "whole/support/option_choices.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FROM, TO, SIDES, TEXT = 160, MOST = 9, GAP = 2, MARGIN = 3 };

/* The parameters of a trial; where both sides have one, they are adjacent. */
enum {
    OF_RANKS,
    OF_KIND,
    OF_COPIES = OF_KIND + SIDES,
    OF_ORDER = OF_COPIES + SIDES,
    OF_VIEW = OF_ORDER + SIDES,
    OF_OP = OF_VIEW + SIDES,
    OF_TYPE,
    OF_SHAPE,
    OF_LIMIT,
    OF_WRAPPED,
    OF_NODES,
    OF_ENGINE,
    PARAMETERS
};

static const int ranks_of[] = {1, 2, 3, 4, 7, 12};

/* How many values each parameter has, except those of layouts. */
static const int other_values[PARAMETERS] = {
    [OF_RANKS] = sizeof ranks_of / sizeof *ranks_of,
    [OF_OP] = 3,
    [OF_TYPE] = 6,
    [OF_SHAPE] = 4,
    [OF_LIMIT] = 4,
    [OF_WRAPPED] = 1 << SIDES,
    [OF_NODES] = 4,
    [OF_ENGINE] = 3, /* threads, also deferred, and emulated devices */
};

static const int triples[][3] = {
    {OF_KIND, OF_KIND + 1, OF_OP},        {OF_KIND, OF_KIND + 1, OF_RANKS},
    {OF_OP, OF_ORDER, OF_ORDER + 1},      {OF_TYPE, OF_LIMIT, OF_NODES},
    {OF_COPIES, OF_COPIES + 1, OF_NODES}, {OF_ENGINE, OF_WRAPPED, OF_OP}};

typedef struct trial {
    int ranks;
    int64_t rows, cols; /* of the target's view */
    sct_type type;
    sct_op op;
    char text[SIDES][TEXT];
    sct_layout *layout[SIDES];
    sct_slice view[SIDES];
    sct_options options;
    emulated_options emulated;
    int wrapped; /* a bit for each side */
    sct_status expected;
    source source[SIDES];
    atomic_llong wrong, failures, broken; /* elements, calls, guard bytes and source elements */
} trial;

/* Element (row, col) of the whole target after the copy. */
static element expected(const void *context, int64_t row, int64_t col) {
    const trial *t = context;
    if (t->expected || !slice_has(&t->view[TO], row, col))
        return source_element(t->type, t->source[TO], row, col);
    int64_t i = row - t->view[TO].rows.lo, j = col - t->view[TO].cols.lo;
    element e =
        source_element(t->type, t->source[FROM], t->view[FROM].rows.lo + (t->op == SCT_N ? i : j),
                       t->view[FROM].cols.lo + (t->op == SCT_N ? j : i));
    return t->op == SCT_C ? element_conjugate(e) : e;
}

static bool is_wrapped(const trial *t, int side) {
    return t->wrapped >> side & 1;
}

static int rank_main(sct_world *world, void *arg) {
    trial *t = arg;
    sct_matrix *matrix[SIDES];
    sct_view view[SIDES];
    guarded own[SIDES] = {{.bytes = 0}};
    for (int i = 0; i < SIDES; i++) {
        sct_status status =
            is_wrapped(t, i)
                ? guarded_create(world, t->type, t->layout[i], GAP, &own[i], &matrix[i])
                : sct_matrix_create(world, t->type, t->layout[i], &matrix[i]);
        if (status || sct_matrix_view(matrix[i], t->view[i], &view[i]))
            return 1;
        matrix_fill(world, matrix[i], t->source[i]);
    }
    t->failures += sct_copy(t->op, view[FROM], view[TO], &t->options) != t->expected;
    t->wrong += matrix_count_unlike(world, matrix[TO], expected, t);
    t->broken += matrix_count_wrong(world, matrix[FROM], t->source[FROM]);
    for (int i = 0; i < SIDES; i++) {
        t->broken += is_wrapped(t, i) && !guarded_intact(&own[i]);
        sct_matrix_destroy(matrix[i]);
        guarded_free(&own[i]);
    }
    return 0;
}

static void run(trial *t) {
    sct_status status = SCT_BAD_ARGUMENT;
    const sct_world_options world = emulated_world(&t->emulated);
    if (t->layout[FROM] && t->layout[TO])
        status = sct_run(t->ranks, &world, rank_main, t);
    CHECK_CASE(
        status == SCT_OK && t->wrong == 0 && t->failures == 0 && t->broken == 0,
        "%d ranks, %" PRId64 " x %" PRId64 " %s, op %c, %s to %s, from row %" PRId64
        ", col %" PRId64 " to row %" PRId64 ", col %" PRId64
        ", workspace %zu, nodes %d, seed %" PRIu64
        "%s, engine %s, wrapped %d: %s; %lld elements wrong, %lld calls, %lld guards or sources",
        t->ranks, t->rows, t->cols, sct_type_name(t->type), "NTC"[t->op], t -> text[FROM],
        t -> text[TO], t -> view[FROM].rows.lo, t->view[FROM].cols.lo, t->view[TO].rows.lo,
        t->view[TO].cols.lo, t->options.workspace, t->emulated.ranks_per_node, t->emulated.seed,
        t->emulated.deferred ? ", deferred" : "", t->emulated.host ? "threads" : "emulated",
        t->wrapped, sct_status_name(status), (long long)t->wrong, (long long)t->failures,
        (long long)t->broken);
    for (int i = 0; i < SIDES; i++)
        sct_layout_destroy(t->layout[i]);
}

static void choose_side(const int *row, int side, uint64_t *random, trial *t) {
    bool turned = side == FROM && t->op != SCT_N;
    int64_t rows = turned ? t->cols : t->rows, cols = turned ? t->rows : t->cols;
    margin around;
    layout_spec spec =
        chosen_layout(&row[OF_KIND + side], SIDES, t->ranks, MARGIN, rows, cols, random, &around);
    layout_spec_text(&spec, random, t->text[side], sizeof t->text[side]);
    t->layout[side] = layout_of(t->text[side], spec.rows, spec.cols, t->ranks);
    t->view[side] = margin_view(around, rows, cols);
    t->source[side] = (source){t->emulated.seed + (uint64_t)side, MOST};
}

/* The workspace limit: none, or room for 1, 3 or 5 elements. */
static size_t limit_of(int level, sct_type type) {
    return level == 0 ? 0 : (size_t)(2 * level - 1) * sct_type_bytes(type);
}

static void run_row(const int *row, uint64_t *random) {
    static const int64_t most[] = {24, 12, 3, 1};
    int64_t largest = most[row[OF_SHAPE]];
    trial t = {.ranks = ranks_of[row[OF_RANKS]],
               .type = (sct_type)row[OF_TYPE],
               .op = (sct_op)row[OF_OP],
               .wrapped = row[OF_WRAPPED],
               .options = {.size = sizeof t.options},
               .emulated = {.host = row[OF_ENGINE] < 2,
                            .ranks_per_node = row[OF_NODES],
                            .deferred = row[OF_ENGINE] == 1,
                            .seed = check_random(random) >> 40}};
    t.rows = check_between(random, row[OF_SHAPE] == 3 ? 0 : 1, largest);
    t.cols = check_between(random, 1, largest);
    t.options.workspace = limit_of(row[OF_LIMIT], t.type);
    for (int side = 0; side < SIDES; side++)
        choose_side(row, side, random, &t);
    run(&t);
}

/* A workspace without room for one element is refused, and nothing is written. */
static void run_too_tight(uint64_t *random) {
    for (int type = SCT_F32; type <= SCT_BF16; type++) {
        int row[PARAMETERS] = {[OF_RANKS] = 3, [OF_TYPE] = type, [OF_NODES] = 1};
        trial t = {
            .ranks = 4,
            .rows = 5,
            .cols = 6,
            .type = (sct_type)type,
            .options = {.size = sizeof t.options, .workspace = sct_type_bytes((sct_type)type) - 1},
            .emulated = {.host = 1, .ranks_per_node = 1},
            .expected = SCT_WORKSPACE};
        for (int side = 0; side < SIDES; side++)
            choose_side(row, side, random, &t);
        run(&t);
    }
}

int main(void) {
    uint64_t random = check_seed(1);
    int row[PARAMETERS], values[PARAMETERS];
    long trials = 0;
    memcpy(values, other_values, sizeof values);
    const char *most = getenv("SECTILE_TEST_RANKS"); /* if ranks are processes */
    while (most && ranks_of[values[OF_RANKS] - 1] > atoi(most))
        values[OF_RANKS]--;
    put_layout_choices(SIDES, &values[OF_KIND]);
    cover *c = cover_create(PARAMETERS, values, sizeof triples / sizeof *triples, triples);
    for (; cover_next(c, &random, row); trials++)
        run_row(row, &random);
    cover_count counts = cover_counts(c);
    cover_destroy(c);
    run_too_tight(&random);
    printf("%ld trials cover %" PRId64 " pairs and %" PRId64 " triples\n", trials, counts.pairs,
           counts.triples);
    return check_report("covering_copies");
}
