/* wrapped.c - products and copies of matrices that the caller has in memory of its own. */
#include "wrapped.h"

#include "team_call.h"

#include <stdbool.h>

enum { MOST_MATRICES = 4, MOST_PARTS = 8 };

typedef struct wrapped_call wrapped_call;
struct wrapped_call {
    sct_status (*make)(sct_world *, wrapped_call *);
    int count;
    const wrapped *wrapped[MOST_MATRICES];
    const void *alpha, *beta;
    const sct_options *options;
    const struct spread *spread;
    sct_view view[MOST_MATRICES]; /* of the matrices while they exist */
};

static sct_status copy(sct_world *world, wrapped_call *call) {
    (void)world;
    return sct_copy(SCT_N, call->view[0], call->view[1], NULL);
}

static sct_status multiply(sct_world *world, wrapped_call *call) {
    (void)world;
    return sct_multiply(SCT_N, SCT_N, call->alpha, call->view[0], call->view[1], call->beta,
                        call->view[2], call->options);
}

/* A part of a product, and its copy. */
struct part {
    sct_view view[MOST_MATRICES];
    sct_copying *copying;
};

/* The `number`th part of a range that begins at 0. */
static void cut(sct_range *range, int number, int parts) {
    int64_t size = range->hi;
    range->lo = size * number / parts;
    range->hi = size * (number + 1) / parts;
}

static struct part part_of(const wrapped_call *call, int number) {
    struct part part = {.copying = NULL};
    bool by_rows = call->spread->by_rows;
    for (int i = 0; i < MOST_MATRICES; i++) {
        part.view[i] = call->view[i];
        sct_slice *slice = &part.view[i].slice;
        if (i != (by_rows ? 1 : 0))
            cut(by_rows ? &slice->rows : &slice->cols, number, call->spread->parts);
    }
    return part;
}

static sct_status start_copy(struct part *done) {
    return sct_copy_start(SCT_N, done->view[2], done->view[3], NULL, &done->copying);
}

/* The next part is started before the copy of the last one, since what ranks tell each other then
 * would wait behind the data on a slow network. */
static sct_status multiply_and_copy(const wrapped_call *call, struct part *part) {
    sct_multiplying *multiplying;
    sct_status status = SCT_OK;
    for (int i = 0; i < call->spread->parts && !status; i++) {
        const sct_view *view = part[i].view;
        status = sct_multiply_start(SCT_N, SCT_N, call->alpha, view[0], view[1], call->beta,
                                    view[2], call->options, &multiplying);
        if (status)
            break;
        if (i > 0)
            status = start_copy(&part[i - 1]);
        sct_status multiplied = sct_multiply_wait(multiplying);
        status = status ? status : multiplied;
    }
    return status ? status : start_copy(&part[call->spread->parts - 1]);
}

static sct_status multiply_in_parts(sct_world *world, wrapped_call *call) {
    struct part part[MOST_PARTS];
    (void)world;
    for (int i = 0; i < call->spread->parts; i++)
        part[i] = part_of(call, i);
    sct_status status = multiply_and_copy(call, part);
    for (int i = 0; i < call->spread->parts && part[i].copying; i++) {
        sct_status waited = sct_copy_wait(part[i].copying);
        status = status ? status : waited;
    }
    return status;
}

static sct_status run(sct_world *world, int member, void *arg) {
    wrapped_call *call = arg;
    sct_status status = SCT_OK;
    int made = 0;
    (void)member;
    for (; made < call->count; made++) {
        const wrapped *w = call->wrapped[made];
        sct_matrix *matrix;
        status = sct_matrix_wrap(world, w->type, w->layout, w->data, w->ld, &matrix);
        if (status)
            break;
        call->view[made] = sct_whole(matrix);
    }
    if (!status)
        status = call->make(world, call);
    while (made > 0)
        sct_matrix_destroy(call->view[--made].matrix);
    return status;
}

sct_status team_multiply_wrapped(struct team *team, const void *alpha, const wrapped *a,
                                 const wrapped *b, const void *beta, const wrapped *c,
                                 const sct_options *options) {
    wrapped_call call = {.make = multiply,
                         .count = 3,
                         .wrapped = {a, b, c},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options};
    return team_call(team, run, &call);
}

sct_status team_multiply_spread(struct team *team, const void *alpha, const wrapped *a,
                                const wrapped *b, const void *beta, const wrapped *c,
                                const sct_options *options, const struct spread *spread) {
    wrapped_call call = {.make = multiply_in_parts,
                         .count = 4,
                         .wrapped = {a, b, c, spread->to},
                         .alpha = alpha,
                         .beta = beta,
                         .options = options,
                         .spread = spread};
    return team_call(team, run, &call);
}

sct_status team_copy_wrapped(struct team *team, const wrapped *from, const wrapped *to) {
    wrapped_call call = {.make = copy, .count = 2, .wrapped = {from, to}};
    return team_call(team, run, &call);
}
