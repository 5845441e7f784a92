/* staged.c - products of small matrices that are computed often. */
#include "staged.h"

#include "calls.h"
#include "team_call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C, MATRICES };

struct staged {
    sct_matrix *matrix[MATRICES];
    sct_block part[MATRICES]; /* of this rank; without rows if it has none */
    sct_type type[MATRICES];
};

typedef struct staged_call {
    struct staged *staged;
    const wrapped *wrapped[MATRICES];
    const void *alpha, *beta;
    const sct_options *options;
    bool keeps; /* beta is not 0 */
} staged_call;

static void destroy(struct staged *staged) {
    for (int i = MATRICES - 1; i >= 0; i--)
        sct_matrix_destroy(staged->matrix[i]);
    free(staged);
}

static sct_status make(sct_world *world, int member, void *arg) {
    staged_call *call = arg;
    struct staged *made = call->staged;
    (void)member;
    for (int i = 0; i < MATRICES; i++) {
        int count;
        made->type[i] = call->wrapped[i]->type;
        sct_status status =
            sct_matrix_create(world, made->type[i], call->wrapped[i]->layout, &made->matrix[i]);
        if (status)
            return status;
        sct_matrix_blocks(made->matrix[i], 1, &made->part[i], &count);
    }
    return SCT_OK;
}

/* Copies this rank's part of a matrix to or from the caller's memory, if that is there. */
static bool exchange(const struct staged *staged, int which, const wrapped *caller, bool out) {
    const sct_block *part = &staged->part[which];
    bool by_rows = part->order == SCT_ROW_MAJOR;
    int64_t lines = by_rows ? part->rows : part->cols, length = by_rows ? part->cols : part->rows;
    if (lines == 0 || length == 0)
        return true;
    if (!caller->data)
        return false;
    size_t element = sct_type_bytes(staged->type[which]);
    size_t pitch = (size_t)(caller->ld ? caller->ld : length) * element;
    for (int64_t i = 0; i < lines; i++) {
        char *ours = (char *)part->data + (size_t)(i * part->ld) * element;
        char *theirs = (char *)caller->data + (size_t)i * pitch;
        memcpy(out ? theirs : ours, out ? ours : theirs, (size_t)length * element);
    }
    return true;
}

static sct_status run(sct_world *world, int member, void *arg) {
    staged_call *call = arg;
    (void)world;
    (void)member;
    bool there = true;
    for (int i = 0; i < MATRICES; i++)
        there &= (i == C && !call->keeps) || exchange(call->staged, i, call->wrapped[i], false);
    there &= call->wrapped[C]->data || call->staged->part[C].rows == 0 ||
             call->staged->part[C].cols == 0;
    /* Memory that is missing makes the call fail on all ranks. */
    sct_matrix *const *matrix = call->staged->matrix;
    sct_status status =
        sct_multiply(SCT_N, SCT_N, there ? call->alpha : NULL, sct_whole(matrix[A]),
                     sct_whole(matrix[B]), call->beta, sct_whole(matrix[C]), call->options);
    if (!status)
        exchange(call->staged, C, call->wrapped[C], true);
    return status;
}

static sct_status end(sct_world *world, int member, void *arg) {
    staged_call *call = arg;
    (void)world;
    (void)member;
    destroy(call->staged);
    return SCT_OK;
}

sct_status team_staged_new(struct team *team, const wrapped *a, const wrapped *b, const wrapped *c,
                           struct staged **made) {
    staged_call call = {.staged = calloc(1, sizeof *call.staged), .wrapped = {a, b, c}};
    if (!call.staged)
        return team_check(team, SCT_NO_MEMORY, "no memory for a product that is kept");
    sct_status status = team_call(team, make, &call);
    if (status)
        team_call(team, end, &call);
    else
        *made = call.staged;
    return status;
}

sct_status team_staged_run(struct team *team, struct staged *staged, const void *alpha,
                           const wrapped *a, const wrapped *b, const void *beta, const wrapped *c,
                           const sct_options *options) {
    static const double zero[2];
    size_t bytes = sct_type_bytes(sct_type_sum(c->type));
    staged_call call = {.staged = staged,
                        .wrapped = {a, b, c},
                        .alpha = alpha,
                        .beta = beta,
                        .options = options,
                        .keeps = memcmp(beta, zero, bytes) != 0};
    return team_call(team, run, &call);
}

sct_status team_staged_free(struct team *team, struct staged *staged) {
    staged_call call = {.staged = staged};
    return team_call(team, end, &call);
}
