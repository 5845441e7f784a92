/* reference_serve.c - the reference process, which only calls the BLAS. */
#include "run/reference_wire.h"

#include "ranks/system.h"
#include "run/planned_product.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

bool wire_send(int socket, const void *from, size_t bytes) {
    return send(socket, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

bool wire_receive(int socket, void *to, size_t bytes) {
    return recv(socket, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

/* A dense block as the problem stores it, without memory. */
static sct_block shape_block(const struct reference_problem *problem, int matrix) {
    const struct shape *shape = &problem->shape;
    int64_t rows = matrix == MATRIX_B ? shape->k : shape->m;
    int64_t cols = matrix == MATRIX_A ? shape->k : shape->n;
    bool turned = matrix != MATRIX_C && problem->op[matrix] != SCT_N;
    sct_block block = {.rows = turned ? cols : rows,
                       .cols = turned ? rows : cols,
                       .order = problem->order[matrix]};
    block.ld = block.order == SCT_ROW_MAJOR ? block.cols : block.rows;
    return block;
}

/* The operands. */
struct served {
    struct reference_problem problem;
    sct_type sum;               /* type of the GEMM */
    sct_block stored[MATRICES]; /* in their own types */
    sct_block given[MATRICES];  /* as passed to the BLAS: the same, or widened copies of f16 or bf16
                                 */
    int64_t bytes;              /* bytes stored */
};

static int64_t count_elements(const sct_block *block) {
    return block->rows * block->cols;
}

static bool is_copied(const struct served *served, int matrix) {
    return served->problem.type[matrix] != served->sum;
}

static void fill(const struct served *served, int matrix) {
    const sct_block *block = &served->stored[matrix];
    sct_type type = served->problem.type[matrix];
    for (int64_t row = 0; row < block->rows; row++)
        for (int64_t col = 0; col < block->cols; col++)
            element_store(type, source_element(&served->problem.source, matrix, row, col),
                          element_at(type, block, row, col));
}

static int64_t count_bytes(const sct_block *block, sct_type type) {
    return count_elements(block) * (int64_t)sct_type_bytes(type);
}

static bool allocate(sct_type type, sct_block *block) {
    int64_t bytes = count_bytes(block, type);
    block->data = malloc(bytes > 0 ? (size_t)bytes : 1);
    return block->data;
}

/* False: out of memory. */
static bool make_operands(struct served *served) {
    served->sum = sct_type_sum(served->problem.source.type);
    for (int i = 0; i < MATRICES; i++) {
        served->stored[i] = shape_block(&served->problem, i);
        if (!allocate(served->problem.type[i], &served->stored[i]))
            return false;
        served->bytes += count_bytes(&served->stored[i], served->problem.type[i]);
        fill(served, i);
        served->given[i] = served->stored[i];
        if (is_copied(served, i) && !allocate(served->sum, &served->given[i]))
            return false;
    }
    return true;
}

static void free_operands(struct served *served) {
    for (int i = 0; i < MATRICES; i++) {
        if (is_copied(served, i))
            free(served->given[i].data);
        free(served->stored[i].data);
    }
}

/* Widens and rounds each time, as ranks must. */
static sct_status multiply(const struct served *served) {
    const struct reference_problem *problem = &served->problem;
    const sct_block *stored = served->stored, *given = served->given;
    double alpha[2], beta[2];
    element_store(served->sum, problem->alpha, alpha);
    element_store(served->sum, problem->beta, beta);
    for (int i = 0; i < MATRICES; i++)
        if (is_copied(served, i))
            sct_half_widen(problem->type[i], count_elements(&stored[i]), stored[i].data,
                           given[i].data);
    sct_status status =
        sct_gemm_local(served->sum, problem->op[MATRIX_A], problem->op[MATRIX_B], alpha,
                       &given[MATRIX_A], &given[MATRIX_B], beta, &given[MATRIX_C]);
    if (status == SCT_OK && is_copied(served, MATRIX_C))
        sct_half_narrow(problem->type[MATRIX_C], count_elements(&stored[MATRIX_C]),
                        given[MATRIX_C].data, stored[MATRIX_C].data);
    return status;
}

/* Serves turns until the socket closes. */
static sct_status take_turns(const struct served *served) {
    sct_status status = SCT_OK;
    int warm_ups;
    while (status == SCT_OK && wire_receive(STDIN_FILENO, &warm_ups, sizeof warm_ups)) {
        for (int i = 0; i < warm_ups && status == SCT_OK; i++)
            status = multiply(served);
        double start = product_now();
        if (status == SCT_OK)
            status = multiply(served);
        struct reference_answer answer = {product_now() - start,
                                          system_peak_memory() - served->bytes};
        if (status == SCT_OK && !wire_send(STDIN_FILENO, &answer, sizeof answer))
            break;
    }
    return status;
}

enum code reference_serve(void) {
    struct served served = {.bytes = 0};
    sct_status status = SCT_OK;
    /* a stopped process does not notice that its parent is gone */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        !wire_receive(STDIN_FILENO, &served.problem, sizeof served.problem)) {
        report_error("there is nobody to compare with");
        return CODE_USAGE;
    }
    bool made = make_operands(&served);
    if (made)
        status = take_turns(&served);
    else
        report_error("no memory for the operands of the BLAS alone");
    if (status != SCT_OK)
        report_error("the BLAS alone: %s", sct_last_reason());
    free_operands(&served);
    return made ? report_code(status) : CODE_FAILED;
}
