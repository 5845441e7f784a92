/* random_calls.c - random calls of the drop-in by its prefixed names, in a program that also uses
 * ScaLAPACK: on random grids, descriptors and submatrices. Products and transposes are compared
 * with their definition, copies and reports of bad arguments with what ScaLAPACK does. */
#include "scalapack/array.h"
#include "support/check.h"

#include <math.h>
#include <mpi.h>
#include <sectile/sectile_scalapack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern sct_scalapack_gemm psgemm_, pdgemm_, pcgemm_, pzgemm_;
extern sct_scalapack_tran pstran_, pdtran_, pctranu_, pztranu_, pctranc_, pztranc_;
extern sct_scalapack_gemr2d psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

enum { TYPES = 4 };
static const sct_type types[TYPES] = {SCT_F32, SCT_F64, SCT_CF32, SCT_CF64};
static sct_scalapack_gemm *const gemm[TYPES] = {sectile_psgemm_, sectile_pdgemm_, sectile_pcgemm_,
                                                sectile_pzgemm_};
static sct_scalapack_gemm *const their_gemm[TYPES] = {psgemm_, pdgemm_, pcgemm_, pzgemm_};
/* The second of each pair conjugates. */
static sct_scalapack_tran *const tran[2][TYPES] = {
    {sectile_pstran_, sectile_pdtran_, sectile_pctranu_, sectile_pztranu_},
    {sectile_pstran_, sectile_pdtran_, sectile_pctranc_, sectile_pztranc_}};
static sct_scalapack_tran *const their_tran[2][TYPES] = {{pstran_, pdtran_, pctranu_, pztranu_},
                                                         {pstran_, pdtran_, pctranc_, pztranc_}};
static sct_scalapack_gemr2d *const gemr2d[TYPES] = {sectile_psgemr2d_, sectile_pdgemr2d_,
                                                    sectile_pcgemr2d_, sectile_pzgemr2d_};
static sct_scalapack_gemr2d *const their_gemr2d[TYPES] = {psgemr2d_, pdgemr2d_, pcgemr2d_,
                                                          pzgemr2d_};

/* ---- Reports of bad arguments ---- */

typedef struct bad_arguments {
    int count, info;
    char routine[16], found[80]; /* what the drop-in finds before it passes on the call */
} bad_arguments;

static bad_arguments report;

void PB_Cabort(int context, char *routine, int info);
void PB_Cwarn(int context, int line, char *routine, char *format, ...);

void PB_Cabort(int context, char *routine, int info) {
    (void)context;
    report.count++;
    report.info = info;
    strncpy(report.routine, routine, sizeof report.routine - 1);
}

void PB_Cwarn(int context, int line, char *routine, char *format, ...) {
    (void)context;
    (void)line;
    (void)routine;
    (void)format;
}

/* ---- The definition ---- */

/* An operand by its elements, wherever they lie. */
typedef struct source {
    sct_type type;
    uint64_t seed;
    int row, col; /* of the submatrix */
    char op;
} source;

static double complex element(const source *x, int i, int j) {
    int row = x->op == 'N' ? i : j, col = x->op == 'N' ? j : i;
    double complex value = value_at(x->type, x->seed, x->row - 1 + row, x->col - 1 + col);
    return x->op == 'C' ? conj(value) : value;
}

typedef struct definition {
    source a, b;
    int m, n, k; /* k = -1: op(A) itself */
    double complex alpha, beta;
} definition;

static void apply(void *context, const array *c, int i, int j, char *at) {
    const definition *d = context;
    if (!array_inside(c, d->m, d->n, i, j))
        return;
    i -= c->row - 1;
    j -= c->col - 1;
    double complex sum = d->k < 0 ? element(&d->a, i, j) : 0;
    for (int l = 0; l < d->k; l++)
        sum += element(&d->a, i, l) * element(&d->b, l, j);
    double complex before = d->beta == 0 ? 0 : d->beta * load(c->type, at);
    store(c->type, (d->alpha == 0 ? 0 : d->alpha * sum) + before, at);
}

/* What must not be read. */
static void spoil(void *context, const array *c, int i, int j, char *at) {
    const definition *d = context;
    if (array_inside(c, d->m, d->n, i, j))
        store(c->type, CMPLX(NAN, NAN), at);
}

static void spoil_all(void *context, const array *x, int i, int j, char *at) {
    (void)context;
    (void)i;
    (void)j;
    store(x->type, CMPLX(NAN, NAN), at);
}

static double complex factor(uint64_t *random, sct_type type) {
    double real = (double)check_between(random, 0, 3) - 1;
    bool is_complex = type == SCT_CF32 || type == SCT_CF64;
    return is_complex && real > 1 ? CMPLX(real, -1) : real;
}

static int size(uint64_t *random) {
    static const int special[] = {0, 1};
    int64_t drawn = check_between(random, 0, 9);
    return drawn < 2 ? special[drawn] : (int)check_between(random, 2, 45);
}

/* ---- Products ---- */

static void multiply_sized(uint64_t *random, const grid *on, int t, int m, int n, int k) {
    static const char ops[] = "NTC";
    sct_type type = types[t];
    definition d = {.m = m, .n = n, .k = k};
    char op_a = ops[check_between(random, 0, 2)], op_b = ops[check_between(random, 0, 2)];
    bool simple = check_between(random, 0, 1);
    d.alpha = factor(random, type);
    d.beta = factor(random, type);
    array a =
        array_random(random, type, on, op_a == 'N' ? d.m : d.k, op_a == 'N' ? d.k : d.m, simple, 1);
    array b =
        array_random(random, type, on, op_b == 'N' ? d.k : d.n, op_b == 'N' ? d.n : d.k, simple, 2);
    array c = array_random(random, type, on, d.m, d.n, simple, 3);
    array expected = array_copy(&c);
    d.a = (source){type, 1, a.row, a.col, op_a};
    d.b = (source){type, 2, b.row, b.col, op_b};
    array_visit(&expected, apply, &d);
    if (d.beta == 0)
        array_visit(&c, spoil, &d);
    if (d.alpha == 0) {
        array_visit(&a, spoil_all, NULL);
        array_visit(&b, spoil_all, NULL);
    }
    char alpha[16], beta[16];
    store(type, d.alpha, alpha);
    store(type, d.beta, beta);
    if (k == 0) /* nowhere in A and B */
        a.row = b.col = 1000;
    /* twice in the same memory, which is bound once */
    for (int run = 0; run < 2; run++) {
        array fresh = array_copy(&c);
        if (on->row >= 0)
            gemm[t](&op_a, &op_b, &d.m, &d.n, &d.k, alpha, a.memory, &a.row, &a.col, a.desc,
                    b.memory, &b.row, &b.col, b.desc, beta, c.memory, &c.row, &c.col, c.desc);
        CHECK_CASE(array_differences(&c, &expected) == 0,
                   "%s %c%c %dx%dx%d on %dx%d: %ld elements differ", sct_type_name(type), op_a,
                   op_b, d.m, d.n, d.k, on->rows, on->cols, array_differences(&c, &expected));
        memcpy(c.memory, fresh.memory, c.bytes);
        array_free(&fresh);
    }
    array_free(&a);
    array_free(&b);
    array_free(&c);
    array_free(&expected);
}

static void multiply(uint64_t *random, const grid *on, int t) {
    int m = size(random), n = size(random), k = size(random);
    multiply_sized(random, on, t, m, n, k);
}

/* ---- Bad arguments ---- */

/* Spoils some arguments of a call of `sizes` sizes and `operands` operands, so that ScaLAPACK must
 * report it. */
static void spoil_arguments(uint64_t *random, int sizes, int *size, int operands, array *operand,
                            char ops[2]) {
    static const int bad[9] = {7, -3, -1, -1, 0, 0, -2, 99, 0}, few[2] = {5, 4};
    int64_t errors = check_between(random, 1, 3);
    for (int64_t i = 0; i < errors; i++) {
        array *x = &operand[check_between(random, 0, operands - 1)];
        int64_t entry = check_between(random, 0, 8);
        switch (check_between(random, 0, 6)) {
        case 0:
            size[check_between(random, 0, sizes - 1)] = -1;
            break;
        case 1:
            x->row = (int)check_between(random, 0, 1) * 1000;
            break;
        case 2:
            x->col = (int)check_between(random, 0, 1) * 1000;
            break;
        case 3:
            ops[check_between(random, 0, 1)] = 'X';
            break;
        case 4:
            size[check_between(random, 0, sizes - 1)] = 0;
            break;
        case 5: /* of rows or columns */
            entry = check_between(random, 0, 1);
            x->desc[2 + entry] = few[entry];
            break;
        default:
            x->desc[x->nine || entry < 4 ? entry : entry + 2] = bad[entry];
        }
    }
}

static void begin_report(uint64_t *bad) {
    memset(&report, 0, sizeof report);
    *bad = sct_scalapack_count().bad;
}

static bad_arguments end_report(uint64_t bad) {
    if (sct_scalapack_count().bad > bad)
        snprintf(report.found, sizeof report.found, "%s", sct_last_reason());
    return report;
}

/* The drop-in finds what ScaLAPACK reports. */
static void check_reports(const bad_arguments of[2]) {
    char wanted[80] = "";
    int code = -of[1].info, position = code > 100 ? code / 100 : code;
    if (of[1].count && code > 100)
        snprintf(wanted, sizeof wanted, "entry %d of parameter %d has an illegal value", code % 100,
                 position);
    else if (of[1].count)
        snprintf(wanted, sizeof wanted, "parameter %d has an illegal value", position);
    CHECK_CASE(strcmp(of[0].found, wanted) == 0, "the drop-in finds: %s, ScaLAPACK: %s",
               of[0].found, wanted);
    CHECK_CASE(of[0].info == of[1].info && of[0].count == of[1].count &&
                   strcmp(of[0].routine, of[1].routine) == 0,
               "bad arguments of %s: code %d, ScaLAPACK's %d", of[1].routine, of[0].info,
               of[1].info);
}

enum { BAD_N = 9 }; /* the sizes of a call, before they are spoiled */

/* Makes the operands of a call, and spoils some of its arguments. */
static void make_bad(uint64_t *random, const grid *on, int t, int sizes, int *size, int operands,
                     array *operand, char ops[2]) {
    bool simple = check_between(random, 0, 1);
    for (int i = 0; i < operands; i++)
        operand[i] = array_random(random, types[t], on, BAD_N, BAD_N, simple, 4);
    spoil_arguments(random, sizes, size, operands, operand, ops);
}

static void free_all(array *operand, int operands) {
    for (int i = 0; i < operands; i++)
        array_free(&operand[i]);
}

static void report_bad(uint64_t *random, const grid *on, int t) {
    int sizes[3] = {BAD_N, BAD_N, BAD_N};
    char ops[2] = {'N', 'T'};
    const double one[2] = {1, 0};
    array x[3];
    make_bad(random, on, t, 3, sizes, 3, x, ops);
    bad_arguments reports[2] = {{0}, {0}};
    uint64_t bad;
    sct_scalapack_gemm *const routine[2] = {gemm[t], their_gemm[t]};
    for (int i = 0; i < 2 && on->row >= 0; i++) {
        begin_report(&bad);
        routine[i](&ops[0], &ops[1], &sizes[0], &sizes[1], &sizes[2], one, x[0].memory, &x[0].row,
                   &x[0].col, x[0].desc, x[1].memory, &x[1].row, &x[1].col, x[1].desc, one,
                   x[2].memory, &x[2].row, &x[2].col, x[2].desc);
        reports[i] = end_report(bad);
    }
    check_reports(reports);
    free_all(x, 3);
}

static void report_bad_transpose(uint64_t *random, const grid *on, int t, bool conjugate) {
    int sizes[2] = {BAD_N, BAD_N};
    char ops[2]; /* which this routine does not have */
    const double one[2] = {1, 0};
    array x[2];
    make_bad(random, on, t, 2, sizes, 2, x, ops);
    bad_arguments reports[2] = {{0}, {0}};
    uint64_t bad;
    sct_scalapack_tran *const routine[2] = {tran[conjugate][t], their_tran[conjugate][t]};
    for (int i = 0; i < 2 && on->row >= 0; i++) {
        begin_report(&bad);
        routine[i](&sizes[0], &sizes[1], one, x[0].memory, &x[0].row, &x[0].col, x[0].desc, one,
                   x[1].memory, &x[1].row, &x[1].col, x[1].desc);
        reports[i] = end_report(bad);
    }
    check_reports(reports);
    free_all(x, 2);
}

/* ---- Transposes ---- */

static void transpose(uint64_t *random, const grid *on, int t, bool conjugate) {
    sct_type type = types[t];
    definition d = {.m = size(random), .n = size(random), .k = -1};
    bool simple = check_between(random, 0, 1);
    d.alpha = factor(random, type);
    d.beta = factor(random, type);
    array a = array_random(random, type, on, d.n, d.m, simple, 1);
    array c = array_random(random, type, on, d.m, d.n, simple, 3);
    array expected = array_copy(&c);
    d.a = (source){type, 1, a.row, a.col, conjugate ? 'C' : 'T'};
    array_visit(&expected, apply, &d);
    if (d.beta == 0)
        array_visit(&c, spoil, &d);
    if (d.alpha == 0)
        array_visit(&a, spoil_all, NULL);
    char alpha[16], beta[16];
    store(type, d.alpha, alpha);
    store(type, d.beta, beta);
    if (on->row >= 0)
        tran[conjugate][t](&d.m, &d.n, alpha, a.memory, &a.row, &a.col, a.desc, beta, c.memory,
                           &c.row, &c.col, c.desc);
    CHECK_CASE(array_differences(&c, &expected) == 0, "%s tran %dx%d: %ld elements differ",
               sct_type_name(type), d.m, d.n, array_differences(&c, &expected));
    array_free(&a);
    array_free(&c);
    array_free(&expected);
}

/* ---- Copies between contexts ---- */

static void redistribute(uint64_t *random, const grid *all, const grid *from, const grid *to,
                         int t) {
    int m = size(random), n = size(random);
    array a = array_random(random, types[t], from, m, n, true, 1);
    array b = array_random(random, types[t], to, m, n, true, 3);
    array theirs = array_copy(&b);
    gemr2d[t](&m, &n, a.memory, &a.row, &a.col, a.desc, b.memory, &b.row, &b.col, b.desc,
              &all->context);
    their_gemr2d[t](&m, &n, a.memory, &a.row, &a.col, a.desc, theirs.memory, &b.row, &b.col, b.desc,
                    &all->context);
    CHECK_CASE(array_differences(&b, &theirs) == 0, "%s gemr2d %dx%d: %ld elements differ",
               sct_type_name(types[t]), m, n, array_differences(&b, &theirs));
    array_free(&a);
    array_free(&b);
    array_free(&theirs);
}

/* ---- All ---- */

static void run_on(uint64_t *random, const grid *all, int ranks, int t) {
    enum { PRODUCTS = 12 };
    grid on = grid_random(random, ranks), to = grid_random(random, ranks);
    for (int i = 0; i < PRODUCTS; i++)
        multiply(random, &on, t);
    for (int i = 0; i < PRODUCTS; i++)
        report_bad(random, &on, t);
    for (int i = 0; i < PRODUCTS; i++)
        report_bad_transpose(random, &on, t, i % 2);
    for (int i = 0; i < PRODUCTS / 2; i++) {
        transpose(random, &on, t, i % 2);
        redistribute(random, all, &on, &to, t);
    }
    grid_end(&on);
    grid_end(&to);
}

/* Below the threshold, ScaLAPACK computes. */
static void pass_on(uint64_t *random, int ranks) {
    sct_scalapack_calls before = sct_scalapack_count();
    grid on = grid_random(random, ranks);
    sct_scalapack_set_threshold(1000);
    CHECK(sct_scalapack_threshold() == 1000);
    for (int t = 0; t < TYPES; t++) {
        multiply(random, &on, t);
        transpose(random, &on, t, t % 2);
    }
    sct_scalapack_calls after = sct_scalapack_count();
    CHECK(after.served == before.served && after.bad == before.bad);
    CHECK(after.passed_on == before.passed_on + (on.row < 0 ? 0 : 3 * TYPES));
    grid_end(&on);
}

/* So it does with a small k, however large m and n are. */
static void pass_on_thin(uint64_t *random, int ranks) {
    enum { ORDER = 20, THIN = 9, LARGE = 45 };
    grid on = grid_random(random, ranks);
    uint64_t calls = on.row < 0 ? 0 : 2;
    sct_scalapack_set_threshold(ORDER);
    for (int k = THIN; k <= THIN + 1; k++) {
        sct_scalapack_calls before = sct_scalapack_count();
        multiply_sized(random, &on, 1, LARGE, LARGE, k);
        sct_scalapack_calls after = sct_scalapack_count();
        CHECK(after.passed_on - before.passed_on == (k == THIN ? calls : 0));
        CHECK(after.served - before.served == (k == THIN ? 0 : calls));
    }
    grid_end(&on);
}

int main(int argc, char **argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    uint64_t random = check_seed(1);
    grid all = {.rows = 1, .cols = ranks};
    sct_scalapack_set_threshold(0);
    Cblacs_get(-1, 0, &all.context);
    Cblacs_gridinit(&all.context, "Row", 1, ranks);
    for (int round = 0; round < 3; round++)
        for (int t = 0; t < TYPES; t++)
            run_on(&random, &all, ranks, t);
    sct_scalapack_calls calls = sct_scalapack_count();
    CHECK_CASE(calls.passed_on == 0 && calls.served > 0 && calls.bad > 0,
               "%d calls served, %d passed on, %d bad", (int)calls.served, (int)calls.passed_on,
               (int)calls.bad);
    pass_on(&random, ranks);
    pass_on_thin(&random, ranks);
    Cblacs_gridexit(all.context);
    MPI_Finalize();
    return check_report("random_calls");
}
