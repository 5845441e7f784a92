/* reference_serve.c - the process that only calls the BLAS. */
#include "reference_wire.h"

#include "product.h"
#include "system.h"

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

/* A block stored as the problem says, dense, without memory. */
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

static void fill(const struct source *source, int matrix, const sct_block *block) {
    for (int64_t row = 0; row < block->rows; row++)
        for (int64_t col = 0; col < block->cols; col++)
            element_store(source->type, source_element(source, matrix, row, col),
                          element_at(source->type, block, row, col));
}

/* Makes the operands; the bytes that they take, or -1 if there is no memory. */
static int64_t make_operands(const struct reference_problem *problem, sct_block block[MATRICES]) {
    int64_t all = 0;
    for (int i = 0; i < MATRICES; i++) {
        block[i] = shape_block(problem, i);
        int64_t bytes =
            block[i].rows * block[i].cols * (int64_t)sct_type_bytes(problem->source.type);
        block[i].data = malloc(bytes > 0 ? (size_t)bytes : 1);
        if (!block[i].data)
            return -1;
        fill(&problem->source, i, &block[i]);
        all += bytes;
    }
    return all;
}

static sct_status multiply(const struct reference_problem *problem, const sct_block *block) {
    sct_type type = problem->source.type;
    double alpha[2], beta[2];
    element_store(sct_type_sum(type), problem->alpha, alpha);
    element_store(sct_type_sum(type), problem->beta, beta);
    return sct_gemm_local(type, problem->op[MATRIX_A], problem->op[MATRIX_B], alpha,
                          &block[MATRIX_A], &block[MATRIX_B], beta, &block[MATRIX_C]);
}

/* Turns, until there is nobody who asks for one. */
static sct_status take_turns(const struct reference_problem *problem, const sct_block *block,
                             int64_t operands) {
    sct_status status = SCT_OK;
    int warm_ups;
    while (status == SCT_OK && wire_receive(STDIN_FILENO, &warm_ups, sizeof warm_ups)) {
        for (int i = 0; i < warm_ups && status == SCT_OK; i++)
            status = multiply(problem, block);
        double start = product_now();
        if (status == SCT_OK)
            status = multiply(problem, block);
        struct reference_answer answer = {product_now() - start, system_peak_memory() - operands};
        if (status == SCT_OK && !wire_send(STDIN_FILENO, &answer, sizeof answer))
            break;
    }
    return status;
}

enum code reference_serve(void) {
    struct reference_problem problem;
    sct_block block[MATRICES] = {{.data = NULL}};
    sct_status status = SCT_OK;
    /* It is stopped between turns and could not notice that nobody is left. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        !wire_receive(STDIN_FILENO, &problem, sizeof problem)) {
        report_error("there is nobody to compare with");
        return CODE_USAGE;
    }
    int64_t operands = make_operands(&problem, block);
    if (operands < 0)
        report_error("no memory for the operands of the BLAS alone");
    else
        status = take_turns(&problem, block, operands);
    if (status != SCT_OK)
        report_error("the BLAS alone: %s", sct_last_reason());
    for (int i = 0; i < MATRICES; i++)
        free(block[i].data);
    return operands < 0 ? CODE_FAILED : report_code(status);
}
