/* reference.c - one call of the BLAS of the host in a process of its own: what the tool does, and
 * then what the process does. */
#include "run/reference.h"

#include "ranks/system.h"
#include "run/planned_product.h"
#include "values/element.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

const char reference_verb[] = "reference";

/* The timed product of a turn follows warm-ups: as many as fit into this time, up to this number.
 */
static const double warm_seconds = 0.1;
enum { MOST_WARM_UPS = 1000 };

extern char **environ;

/* The first message to the process. Each turn then sends an int, the number of products before the
 * timed one, and receives an answer. Both sides are the same program, so structs are sent as they
 * are. */
struct reference_problem {
    struct shape shape;
    sct_op op[2];
    sct_type type[MATRICES];
    sct_order order[MATRICES];
    struct source source;
    struct number alpha, beta;
};

struct reference_answer {
    double seconds;
    int64_t memory; /* as in struct reference */
};

/* Both transfer all bytes; false on failure. */
static bool wire_send(int socket, const void *from, size_t bytes) {
    return send(socket, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static bool wire_receive(int socket, void *to, size_t bytes) {
    return recv(socket, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

enum { SETTINGS = 3, SETTING_BYTES = 40 };

static bool is_set(const char *variable, const char *const names[SETTINGS]) {
    for (int i = 0; i < SETTINGS; i++)
        if (strncmp(variable, names[i], strcspn(names[i], "=") + 1) == 0)
            return true;
    return false;
}

/* The environment of the process: this one's with the number of BLAS threads, and with the huge
 * pages that the library uses. The caller frees it. NULL: out of memory. */
static char **environment(int threads, char settings[SETTINGS][SETTING_BYTES]) {
    static const char *const names[SETTINGS] = {
        "OPENBLAS_NUM_THREADS=", "OMP_NUM_THREADS=", "GLIBC_TUNABLES=glibc.malloc.hugetlb="};
    const int values[SETTINGS] = {threads, threads, 1};
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = malloc((count + SETTINGS + 1) * sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_set(environ[i], names))
            copy[kept++] = environ[i];
    for (int i = 0; i < SETTINGS; i++) {
        snprintf(settings[i], SETTING_BYTES, "%s%d", names[i], values[i]);
        copy[kept++] = settings[i];
    }
    copy[kept] = NULL;
    return copy;
}

/* Starts this program again, with `socket` as standard input; 0 or an errno. */
static int spawn(int socket, int threads, pid_t *process) {
    char name[] = "sectile", verb[16], settings[SETTINGS][SETTING_BYTES];
    char *words[] = {name, verb, NULL};
    char **variables = environment(threads, settings);
    posix_spawn_file_actions_t actions;
    int error = variables ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    snprintf(verb, sizeof verb, "%s", reference_verb);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn(process, "/proc/self/exe", &actions, NULL, words, variables);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(variables);
    return error;
}

/* Like spawn, on the cores of all ranks of this host: a new process inherits the cores of its
 * parent. */
static int spawn_on_cores(const struct cpu_affinity *affinity, int socket, int threads,
                          pid_t *process) {
    cpu_set_t own;
    bool moved = affinity->spread && sched_getaffinity(0, sizeof own, &own) == 0 &&
                 sched_setaffinity(0, sizeof affinity->here, &affinity->here) == 0;
    int error = spawn(socket, threads, process);
    if (moved)
        sched_setaffinity(0, sizeof own, &own);
    return error;
}

static struct reference_problem problem_of(const struct generated_problem *generated) {
    const struct problem *problem = generated->problem;
    const struct args *args = problem->args;
    struct reference_problem value = {.shape = args->shape,
                                      .op = {args->op[0], args->op[1]},
                                      .source = generated->source,
                                      .alpha = generated->alpha,
                                      .beta = generated->beta};
    for (int i = 0; i < MATRICES; i++) {
        value.type[i] = args_type(args, i);
        value.order[i] = sct_layout_order(problem->layout[i]);
    }
    return value;
}

int reference_warm_ups(double seconds) {
    double count = seconds > 0 ? warm_seconds / seconds : MOST_WARM_UPS;
    return count < MOST_WARM_UPS ? (int)count : MOST_WARM_UPS;
}

/* Sends the problem and waits until the process has made its operands and warmed up. */
static enum code greet(const struct generated_problem *generated, struct reference *reference) {
    struct reference_problem problem = problem_of(generated);
    double seconds = -1;
    if (wire_send(reference->socket, &problem, sizeof problem) && reference_turn(reference) >= 0)
        seconds = reference_turn(reference);
    if (seconds < 0) {
        report_error("the BLAS process of --reference has failed");
        return CODE_FAILED;
    }
    reference->warm_ups = reference_warm_ups(seconds);
    return CODE_DONE;
}

enum code reference_start(const struct generated_problem *generated,
                          const struct cpu_affinity *affinity, struct reference *reference) {
    int64_t ranks = generated->problem->args->ranks;
    int cores = system_cores(), ends[2];
    *reference = (struct reference){.warm_ups = 0};
    int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
    if (error == 0) {
        error = spawn_on_cores(affinity, ends[1], ranks < cores ? (int)ranks : cores,
                               &reference->process);
        close(ends[1]);
        if (error != 0)
            close(ends[0]);
    }
    if (error != 0) {
        report_error("the BLAS process of --reference cannot be started: %s", strerror(error));
        return CODE_FAILED;
    }
    reference->socket = ends[0];
    enum code code = greet(generated, reference);
    if (code != CODE_DONE)
        reference_stop(reference);
    return code;
}

double reference_turn(struct reference *reference) {
    struct reference_answer answer;
    kill(reference->process, SIGCONT);
    if (!wire_send(reference->socket, &reference->warm_ups, sizeof reference->warm_ups) ||
        !wire_receive(reference->socket, &answer, sizeof answer))
        return -1;
    kill(reference->process, SIGSTOP);
    reference->memory = answer.memory;
    return answer.seconds;
}

/* The process ends when its socket closes, unless it is stopped. */
void reference_stop(struct reference *reference) {
    close(reference->socket);
    kill(reference->process, SIGCONT);
    waitpid(reference->process, NULL, 0);
}

/* The shape of a matrix as it is stored, densely; no memory yet. */
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

/* The problem, with its matrices. */
struct served {
    struct reference_problem problem;
    sct_type sum;               /* type of the GEMM */
    sct_block stored[MATRICES]; /* in their own types */
    sct_block given[MATRICES];  /* to the BLAS: the same, or widened copies of f16 or bf16 */
    int64_t bytes;              /* of `stored` */
};

static int64_t count_elements(const sct_block *block) {
    return block->rows * block->cols;
}

static int64_t count_bytes(const sct_block *block, sct_type type) {
    return count_elements(block) * (int64_t)sct_type_bytes(type);
}

static bool is_copied(const struct served *served, int matrix) {
    return served->problem.type[matrix] != served->sum;
}

struct fill {
    const struct source *source;
    int matrix;
};

static struct number element(const void *context, int64_t row, int64_t col) {
    const struct fill *fill = context;
    return source_element(fill->source, fill->matrix, row, col);
}

/* On all cores, as the ranks wait meanwhile. */
static void fill(const struct served *served, int matrix) {
    const sct_block *block = &served->stored[matrix];
    sct_slice bounds = {{0, block->rows}, {0, block->cols}};
    block_fill(served->problem.type[matrix], &bounds, block, cpu_affinity_cores(), element,
               &(struct fill){&served->problem.source, matrix});
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

/* Multiplies once. f16 and bf16 are widened and rounded every time, as ranks must do too. */
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
    /* Between turns this process is stopped, and would not notice that its parent is gone. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        !wire_receive(STDIN_FILENO, &served.problem, sizeof served.problem)) {
        report_error("no process waits for the result; sectile starts this verb itself");
        return CODE_USAGE;
    }
    bool made = make_operands(&served);
    if (made)
        status = take_turns(&served);
    else
        report_error("no memory for the operands of the BLAS call of --reference");
    if (status != SCT_OK)
        report_error("the BLAS call of --reference: %s", sct_last_reason());
    free_operands(&served);
    return made ? report_code(status) : CODE_FAILED;
}
