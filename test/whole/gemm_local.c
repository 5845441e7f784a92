/* gemm_local.c - sct_gemm_local on all combinations of storage orders, ops and types, compared with
 * loops. */
#include "whole/support/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 6, OPS = 3, ORDERS = 8, GAP = 3 };

static int64_t lines_of(const sct_block *block) {
    return block->order == SCT_ROW_MAJOR ? block->rows : block->cols;
}

static int64_t index_of(const sct_block *block, int64_t row, int64_t col) {
    return block->order == SCT_ROW_MAJOR ? row * block->ld + col : col * block->ld + row;
}

/* A matrix as a block with gaps between its lines; every byte of the gaps is 0x5a. */
static sct_block block_of(const reference *s, int matrix, sct_order order) {
    sct_block block = {.rows = s->rows[matrix], .cols = s->cols[matrix], .order = order};
    block.ld = (order == SCT_ROW_MAJOR ? block.cols : block.rows) + GAP;
    size_t bytes = (size_t)(block.ld * lines_of(&block)) * sct_type_bytes(s->type);
    block.data = malloc(bytes + 1);
    memset(block.data, 0x5a, bytes);
    for (int64_t i = 0; i < block.rows; i++)
        for (int64_t j = 0; j < block.cols; j++)
            element_put(s->type, block.data, index_of(&block, i, j),
                        s->matrix[matrix][i * block.cols + j]);
    return block;
}

static bool gaps_intact(const reference *s, const sct_block *block) {
    int64_t bytes = (int64_t)sct_type_bytes(s->type);
    for (int64_t line = 0; line < lines_of(block); line++)
        for (int64_t i = 0; i < GAP * bytes; i++)
            if (((char *)block->data)[((line + 1) * block->ld - GAP) * bytes + i] != 0x5a)
                return false;
    return true;
}

static int64_t count_wrong(const reference *s, const sct_block *c) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++)
            wrong += !reference_matches(s, i, j, element_get(s->type, c->data, index_of(c, i, j)),
                                        false);
    return wrong;
}

static void check_product(reference *s, int orders) {
    sct_block block[REFERENCE_MATRICES];
    for (int matrix = 0; matrix < REFERENCE_MATRICES; matrix++)
        block[matrix] = block_of(s, matrix, (sct_order)(orders >> matrix & 1));
    sct_type sum = sct_type_sum(s->type);
    sct_scalar alpha = element_scalar(sum, s->alpha), beta = element_scalar(sum, s->beta);
    sct_status status = sct_gemm_local(s->type, s->op[0], s->op[1], &alpha, &block[REFERENCE_A],
                                       &block[REFERENCE_B], &beta, &block[REFERENCE_C]);
    CHECK_CASE(status == SCT_OK, "%s", sct_last_reason());
    reference_solve(s);
    CHECK_CASE(count_wrong(s, &block[REFERENCE_C]) == 0 && gaps_intact(s, &block[REFERENCE_C]),
               "%lldx%lldx%lld %s, ops %d %d, orders %d, alpha %g, beta %g", (long long)s->m,
               (long long)s->n, (long long)s->k, sct_type_name(s->type), (int)s->op[0],
               (int)s->op[1], orders, s->alpha.re, s->beta.re);
    for (int matrix = 0; matrix < REFERENCE_MATRICES; matrix++)
        free(block[matrix].data);
}

/* Puts NaN where nothing may be read: in A if alpha is 0, in C if beta is 0. */
static void spoil(reference *s) {
    bool scales = s->alpha.re == 0, overwrites = s->beta.re == 0;
    for (int64_t i = 0; scales && i < s->m * s->k; i++)
        s->matrix[REFERENCE_A][i] = (element){NAN, NAN};
    for (int64_t i = 0; overwrites && i < s->m * s->n; i++)
        s->matrix[REFERENCE_C][i] = (element){NAN, NAN};
}

int main(void) {
    static const int64_t sizes[][3] = {{7, 5, 9}, {1, 1, 1}, {6, 4, 0}, {0, 5, 3}, {3, 0, 2}};
    static const double factors[][2] = {{2, -1}, {1, 0}, {0, 3}, {0, 0}, {-1, 1}};
    for (int i = 0; i < TYPES * OPS * OPS * ORDERS; i++) {
        sct_type type = (sct_type)(i % TYPES);
        const sct_op op[] = {(sct_op)(i / TYPES % OPS), (sct_op)(i / TYPES / OPS % OPS)};
        for (int j = 0; j < 25; j++) {
            const int64_t *size = sizes[j % 5];
            reference s = reference_new(type, op, size[0], size[1], size[2], (uint64_t)i, 4);
            bool complex = sct_type_complex(type) && factors[j / 5][0] == 2;
            s.alpha = (element){factors[j / 5][0], complex ? -3 : 0};
            s.beta = (element){factors[j / 5][1], complex ? 2 : 0};
            spoil(&s);
            check_product(&s, i / (TYPES * OPS * OPS));
            reference_free(&s);
        }
    }
    return check_report("gemm_local");
}
