/* errors_multiply.c - multiply and copy with bad arguments, passed by all ranks or by one: found
 * before anything is written, and reported to all ranks. */
#include "whole/support/collective_errors.h"
#include "whole/support/elements.h"

#include <stddef.h>

enum { N = 12 };

/* The matrices of a rank, all N x N. */
typedef struct fixture {
    sct_world *world;
    sct_matrix *a, *b, *c, *other, *single;
} fixture;

/* The arguments of a call; a copy goes from a to c. */
typedef struct call {
    const fixture *f;
    sct_op op_a, op_b;
    const double *alpha, *beta;
    sct_view a, b, c;
    sct_options options;
} call;

typedef sct_status perform(const call *x);
typedef void spoil(call *x);

static sct_status multiply(const call *x) {
    return sct_multiply(x->op_a, x->op_b, x->alpha, x->a, x->b, x->beta, x->c, &x->options);
}

static sct_status copy(const call *x) {
    return sct_copy(x->op_a, x->a, x->c, &x->options);
}

/* ---- Bad arguments ---- */

static const double one = 1, two = 2;

static void op_of_a(call *x) {
    x->op_a = (sct_op)3;
}

static void op_of_b(call *x) {
    x->op_b = (sct_op)-1;
}

static void no_alpha(call *x) {
    x->alpha = NULL;
}

static void no_beta(call *x) {
    x->beta = NULL;
}

static void no_a(call *x) {
    x->a.matrix = NULL;
}

static void no_b(call *x) {
    x->b.matrix = NULL;
}

static void no_c(call *x) {
    x->c.matrix = NULL;
}

static void view_of_a(call *x) {
    x->a.slice.rows.lo = -1;
}

static void view_of_b(call *x) {
    x->b.slice.cols.hi = N + 1;
}

static void view_of_c(call *x) {
    x->c.slice.rows = (sct_range){7, 5};
}

static void fewer_rows_of_a(call *x) {
    x->a.slice.rows.hi = N - 1;
}

static void fewer_cols_of_a(call *x) {
    x->a.slice.cols.lo = 1;
}

static void fewer_cols_of_c(call *x) {
    x->c.slice.cols.hi = 3;
}

static void single_a(call *x) {
    x->a = sct_whole(x->f->single);
}

static void single_b(call *x) {
    x->b = sct_whole(x->f->single);
}

static void c_for_a(call *x) {
    x->a = sct_whole(x->f->c);
}

static void c_for_b(call *x) {
    x->b = sct_whole(x->f->c);
}

static void options_of_the_future(call *x) {
    x->options.size = sizeof x->options + 1;
}

static void option_stay(call *x) {
    x->options.stay = (sct_stay)4;
}

static void option_slicing(call *x) {
    x->options.slicing = (sct_slicing)-1;
}

static void option_fetch(call *x) {
    x->options.fetch = (sct_fetch)2;
}

static void option_schedule(call *x) {
    x->options.schedule = (sct_schedule)99;
}

static void option_result(call *x) {
    x->options.result = (sct_result)3;
}

static void option_prefetch(call *x) {
    x->options.prefetch = 1 << 20;
}

static void option_products(call *x) {
    x->options.products_in_flight = -1;
}

static void option_accumulates(call *x) {
    x->options.accumulates_in_flight = -1;
}

static void option_start(call *x) {
    x->options.start = (sct_start)2;
}

static void option_transfers(call *x) {
    x->options.transfers_in_group = 1025;
}

static void option_transfers_of_direct(call *x) {
    x->options.transfers_in_group = 1;
}

static void option_prefetch_of_greedy(call *x) {
    x->options.schedule = SCT_GREEDY;
    x->options.prefetch = -1;
}

static void option_workspace(call *x) {
    x->options.workspace = 1;
}

/* ---- Good arguments that must be equal on all ranks ---- */

static void other_alpha(call *x) {
    x->alpha = &two;
}

static void other_beta(call *x) {
    x->beta = &two;
}

static void other_op_of_a(call *x) {
    x->op_a = SCT_T;
}

static void other_op_of_b(call *x) {
    x->op_b = SCT_C;
}

static void other_matrix(call *x) {
    x->a = sct_whole(x->f->other);
}

static void smaller_views(call *x) {
    x->a.slice.rows.hi = x->c.slice.rows.hi = N - 1;
}

static void other_stay(call *x) {
    x->options.stay = SCT_STAY_A;
}

static void other_slicing(call *x) {
    x->options.slicing = SCT_SLICE_TILE;
}

static void other_fetch(call *x) {
    x->options.fetch = SCT_FETCH_TILE;
}

static void other_result(call *x) {
    x->options.result = SCT_RESULT_ORIGIN;
}

static void other_work(call *x) {
    x->options.work = sct_matrix_layout(x->f->other);
}

static void no_beta_value(call *x) {
    static const double none = 0;
    x->beta = &none;
}

/* ---- Expected errors ---- */

/* Wrong even if all ranks pass it. */
static const struct wrong {
    const char *name;
    perform *perform;
    spoil *spoil;
    sct_status status;
    const char *word;
} wrongs[] = {
    {"op of A", multiply, op_of_a, SCT_BAD_ARGUMENT, "op(A)"},
    {"op of B", multiply, op_of_b, SCT_BAD_ARGUMENT, "op(B)"},
    {"no alpha", multiply, no_alpha, SCT_BAD_ARGUMENT, "alpha"},
    {"no beta", multiply, no_beta, SCT_BAD_ARGUMENT, "beta"},
    {"no A", multiply, no_a, SCT_BAD_ARGUMENT, "A: the matrix"},
    {"no B", multiply, no_b, SCT_BAD_ARGUMENT, "B: the matrix"},
    {"no C", multiply, no_c, SCT_BAD_ARGUMENT, "C: the matrix"},
    {"view of A", multiply, view_of_a, SCT_BAD_ARGUMENT, "A: "},
    {"view of B", multiply, view_of_b, SCT_BAD_ARGUMENT, "B: "},
    {"view of C", multiply, view_of_c, SCT_BAD_ARGUMENT, "C: "},
    {"rows of A", multiply, fewer_rows_of_a, SCT_BAD_ARGUMENT, "m differs"},
    {"columns of A", multiply, fewer_cols_of_a, SCT_BAD_ARGUMENT, "k differs"},
    {"columns of C", multiply, fewer_cols_of_c, SCT_BAD_ARGUMENT, "n differs"},
    {"type of A", multiply, single_a, SCT_BAD_ARGUMENT, "A is f32"},
    {"type of B", multiply, single_b, SCT_BAD_ARGUMENT, "B is f32"},
    {"A is C", multiply, c_for_a, SCT_ALIASED, "A"},
    {"B is C", multiply, c_for_b, SCT_ALIASED, "B"},
    {"size of options", multiply, options_of_the_future, SCT_BAD_ARGUMENT, "options"},
    {"stay", multiply, option_stay, SCT_BAD_ARGUMENT, "stay"},
    {"slicing", multiply, option_slicing, SCT_BAD_ARGUMENT, "slicing"},
    {"fetch", multiply, option_fetch, SCT_BAD_ARGUMENT, "fetch"},
    {"schedule", multiply, option_schedule, SCT_BAD_ARGUMENT, "schedule"},
    {"result", multiply, option_result, SCT_BAD_ARGUMENT, "result"},
    {"prefetch", multiply, option_prefetch, SCT_BAD_ARGUMENT, "prefetch"},
    {"products", multiply, option_products, SCT_BAD_ARGUMENT, "products in flight"},
    {"accumulates", multiply, option_accumulates, SCT_BAD_ARGUMENT, "accumulates in flight"},
    {"start", multiply, option_start, SCT_BAD_ARGUMENT, "start"},
    {"transfers", multiply, option_transfers, SCT_BAD_ARGUMENT, "transfers in a group"},
    {"transfers of direct", multiply, option_transfers_of_direct, SCT_BAD_ARGUMENT, "direct order"},
    {"prefetch of greedy", multiply, option_prefetch_of_greedy, SCT_BAD_ARGUMENT, "direct order"},
    {"copy: op", copy, op_of_a, SCT_BAD_ARGUMENT, "op"},
    {"copy: no source", copy, no_a, SCT_BAD_ARGUMENT, "from"},
    {"copy: no target", copy, no_c, SCT_BAD_ARGUMENT, "to"},
    {"copy: source's view", copy, view_of_a, SCT_BAD_ARGUMENT, "from"},
    {"copy: target's view", copy, view_of_c, SCT_BAD_ARGUMENT, "to"},
    {"copy: rows", copy, fewer_rows_of_a, SCT_BAD_ARGUMENT, "op(from) is 11 x 12"},
    {"copy: columns", copy, fewer_cols_of_c, SCT_BAD_ARGUMENT, "to is 12 x 3"},
    {"copy: types", copy, single_a, SCT_BAD_ARGUMENT, "f32"},
    {"copy: onto itself", copy, c_for_a, SCT_ALIASED, "share"},
    {"copy: size of options", copy, options_of_the_future, SCT_BAD_ARGUMENT, "options"},
    {"copy: workspace", copy, option_workspace, SCT_WORKSPACE, "too small by"},
};

/* Right if all ranks pass it, an error if one rank does. */
static const struct different {
    const char *name;
    perform *perform;
    spoil *spoil;
} differents[] = {
    {"alpha", multiply, other_alpha},       {"beta", multiply, other_beta},
    {"beta is 0", multiply, no_beta_value}, {"op of A", multiply, other_op_of_a},
    {"op of B", multiply, other_op_of_b},   {"matrix", multiply, other_matrix},
    {"views", multiply, smaller_views},     {"stay", multiply, other_stay},
    {"slicing", multiply, other_slicing},   {"fetch", multiply, other_fetch},
    {"result", multiply, other_result},     {"copy: op", copy, other_op_of_a},
    {"copy: matrix", copy, other_matrix},   {"copy: views", copy, smaller_views},
};

static const source c_source = {3, 4};

static void try(const fixture *f, const char *name, perform *called, spoil *spoils,
                outcome expected) {
    for (int i = 0; i < CULPRITS; i++) {
        call x = {.f = f,
                  .alpha = &one,
                  .beta = &one,
                  .a = sct_whole(f->a),
                  .b = sct_whole(f->b),
                  .c = sct_whole(f->c),
                  .options = {.size = sizeof x.options, .stay = SCT_STAY_C}};
        if (is_culprit(f->world, &culprits[i]))
            spoils(&x);
        sct_status status = called(&x);
        CHECK_CASE(!status || matrix_count_wrong(f->world, f->c, c_source) == 0,
                   "%s, %s: C was changed", name, culprits[i].name);
        check_outcome(f->world, name, &culprits[i], status, expected);
        matrix_fill(f->world, f->c, c_source);
    }
}

static sct_matrix *make(sct_world *world, const char *text, sct_type type, source from) {
    sct_matrix *matrix = matrix_new(world, type, text, N, N);
    matrix_fill(world, matrix, from);
    return matrix;
}

static int rank_main(sct_world *world, void *arg) {
    const int *ranks_per_node = arg;
    fixture f = {.world = world,
                 .a = make(world, "cyclic:1x1", SCT_F64, (source){1, 4}),
                 .b = make(world, "cyclic:2x3", SCT_F64, (source){2, 4}),
                 .c = make(world, "row*2", SCT_F64, c_source),
                 .other = make(world, "cyclic:1x1", SCT_F64, (source){4, 4}),
                 .single = make(world, "2d", SCT_F32, (source){5, 4})};
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const struct wrong *w = &wrongs[i];
        try(&f, w->name, w->perform, w->spoil, (outcome){w->status, w->status, w->word});
    }
    /* The product needs no workspace if every rank reaches all memory: it is then computed in
     * place. */
    sct_status cramped = *ranks_per_node == 0 ? SCT_OK : SCT_WORKSPACE;
    try(&f, "workspace", multiply, option_workspace, (outcome){cramped, cramped, "too small by"});
    for (size_t i = 0; i < sizeof differents / sizeof *differents; i++) {
        const struct different *d = &differents[i];
        try(&f, d->name, d->perform, d->spoil, (outcome){SCT_OK, SCT_DISAGREE, "rank"});
    }
    try(&f, "work", multiply, other_work, (outcome){SCT_OK, SCT_DISAGREE, "work=none"});
    sct_matrix *all[] = {f.a, f.b, f.c, f.other, f.single};
    for (int i = 0; i < 5; i++)
        sct_matrix_destroy(all[i]);
    return 0;
}

int main(void) {
    run_error_ranks(2, rank_main);
    return check_report("errors_multiply");
}
