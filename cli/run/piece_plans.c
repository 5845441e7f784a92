/* piece_plans.c - the plans of a product that is worked on in pieces that fit into the memory of
 * each host. */
#include "run/piece_plans.h"

#include "print/progress.h"
#include "run/measured_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Fitting ---- */

enum { LEAST_SHARE = 64 << 10, MOST_SHARE = 4 << 20, MOST_TRIES = 40 };

int64_t fit_share(const struct args *args, const struct host *host) {
    int64_t ranks = args->group->by_processes ? host->processes : args->group->count;
    int64_t share = host->memory / (8 * FIT_ROOMS) / ranks;
    return share < LEAST_SHARE ? LEAST_SHARE : share > MOST_SHARE ? MOST_SHARE : share;
}

/* The flag of the first layout with cuts of its own, which fit the whole matrix only; NULL: none.
 */
static const char *fit_uncut_flag(const struct args *args) {
    static const char *const flags[] = {"--a", "--b", "--c", "--work"};
    const char *const layouts[] = {args->layout[MATRIX_A], args->layout[MATRIX_B],
                                   args->layout[MATRIX_C], args->work};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (layouts[i] && strncmp(layouts[i], "cuts:", 5) == 0)
            return flags[i];
    return NULL;
}

/* Names the largest matrix, and says why it does not fit and what to do. */
static enum code refuse_memory(const struct fit *fit, const struct fit_matrix *matrix,
                               const char *why, const char *flag) {
    char size[PROGRESS_BYTES], limit[PROGRESS_BYTES];
    progress_bytes(matrix->bytes, size);
    progress_bytes((double)(fit->host->allowed < 0 ? fit->host->memory : fit->host->allowed),
                   limit);
    report_error("no memory for %s of %s, %" PRId64 " x %" PRId64 " elements of %s, which takes "
                 "%s: %s%s; %s%s",
                 matrix->name, matrix->path, matrix->rows, matrix->cols,
                 sct_type_name(matrix->type), size,
                 fit->args->memory > 0     ? "--memory is "
                 : fit->host->allowed >= 0 ? "the control group has "
                                           : "the host has ",
                 limit, why, flag);
    return CODE_FAILED;
}

enum code fit_refuse(const struct fit *fit, const struct fit_matrix *largest, double times) {
    char enough[PROGRESS_BYTES], advice[PROGRESS_BYTES + 120];
    progress_bytes(host_allowing(fit->host, times * (double)fit->host->memory), enough);
    snprintf(advice, sizeof advice,
             "about %s, with which pieces are few (less may do, with more of them), or use fewer "
             "ranks on each host",
             enough);
    return refuse_memory(fit, largest,
                         "no piece is small enough to be worked on alone, or pieces would be too "
                         "many; allow ",
                         advice);
}

enum code fit_compare(struct fit *fit, enum code code, uint64_t bytes,
                      const struct fit_matrix *largest, double *factor, double *sum) {
    const double least = 1.1; /* so that each try makes pieces smaller */
    double share;
    code = host_compare(fit->args->group, code, fit->host, bytes, &share, sum);
    if (code != CODE_DONE)
        return code;
    *factor = share <= 1 ? 1 : share < least ? least : share;
    if (*factor > 1 && fit_uncut_flag(fit->args))
        return refuse_memory(fit, largest,
                             "it could be worked on in pieces, but not with these cuts; allow more "
                             "memory, or use another layout for ",
                             fit_uncut_flag(fit->args));
    return *factor > 1 && fit->tries++ == MOST_TRIES ? fit_refuse(fit, largest, *factor)
                                                     : CODE_DONE;
}

static const char *const names[MATRICES] = {"A", "B", "C"};
static const int sides[MATRICES][2] = {{0, 2}, {2, 1}, {0, 1}};

/* ---- Plans ---- */

static bool is_short(const struct pieces *pieces, const struct piece *piece, int dimension) {
    return pieces_end(pieces, piece, dimension) - pieces_begin(pieces, piece, dimension) <
           pieces->size[dimension];
}

static int plan_index(const struct pieces *pieces, const struct piece *piece) {
    int index = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        index |= (pieces->all[i] > 0 && is_short(pieces, piece, i)) << i;
    return index;
}

static enum code make_plan(const struct piece_plans *plans, const struct piece *piece,
                           struct piece_plan *plan) {
    const struct pieces *pieces = &plans->pieces;
    int64_t length[DIMENSIONS];
    for (int i = 0; i < DIMENSIONS; i++)
        length[i] = pieces_end(pieces, piece, i) - pieces_begin(pieces, piece, i);
    plan->args = *plans->args;
    plan->args.shape = (struct shape){length[0], length[1], length[2]};
    enum code code = problem_create(&plan->args, &plan->problem);
    if (code != CODE_DONE)
        return code;
    code = measured_work_decide(&plan->problem);
    if (code == CODE_DONE)
        code = product_create(&plan->problem, &plan->product);
    plan->made = code == CODE_DONE;
    if (!plan->made)
        problem_destroy(&plan->problem);
    return code;
}

/* Plans for all sizes of pieces: those at the ends of the dimensions, and those before. */
static enum code make_plans(struct piece_plans *plans) {
    const struct pieces *pieces = &plans->pieces;
    enum code code = CODE_DONE;
    for (int index = 0; index < PIECE_PLANS && code == CODE_DONE; index++) {
        struct piece piece;
        for (int i = 0; i < DIMENSIONS; i++)
            piece.at[i] = index >> i & 1 ? pieces->count[i] - 1 : 0;
        struct piece_plan *plan = &plans->plan[plan_index(pieces, &piece)];
        if (!plan->made)
            code = make_plan(plans, &piece, plan);
    }
    return code;
}

void piece_plans_destroy(struct piece_plans *plans) {
    for (int i = 0; i < PIECE_PLANS; i++) {
        struct piece_plan *plan = &plans->plan[i];
        if (!plan->made)
            continue;
        product_destroy(&plan->product);
        problem_destroy(&plan->problem);
        plan->made = false;
    }
}

const struct piece_plan *piece_plans_get(const struct piece_plans *plans,
                                         const struct piece *piece) {
    return &plans->plan[plan_index(&plans->pieces, piece)];
}

static const struct piece_plan *piece_plans_largest(const struct piece_plans *plans) {
    return &plans->plan[0];
}

/* ---- Memory ---- */

/* The bytes of the whole of A, B or C, in all replicas. */
static double whole_bytes(const struct piece_plans *plans, int matrix) {
    const struct piece_plan *plan = piece_plans_largest(plans);
    const int64_t *all = plans->pieces.all;
    return (double)all[sides[matrix][0]] * (double)all[sides[matrix][1]] *
           (double)sct_type_bytes(args_type(plans->args, matrix)) *
           sct_layout_replicas(plan->problem.layout[matrix]);
}

/* What the ranks of this process take while they work on the largest pieces. */
static uint64_t own_bytes(const struct piece_plans *plans) {
    const struct piece_plan *plan = piece_plans_largest(plans);
    const struct rank_group *group = plans->args->group;
    uint64_t sum = 0;
    for (int rank = group->first; rank < group->first + group->count; rank++) {
        sct_cost cost = {.workspace = 0};
        uint64_t stored = problem_stored(&plan->problem, rank);
        uint64_t room = stored < (uint64_t)plans->share ? stored : (uint64_t)plans->share;
        sct_plan_cost(plan->product.plans[rank], &cost);
        sum += stored + cost.workspace + FIT_ROOMS * room;
    }
    return sum;
}

static struct fit_matrix largest_matrix(const struct piece_plans *plans) {
    const int64_t *all = plans->pieces.all;
    int largest = MATRIX_A;
    for (int i = 1; i < MATRICES; i++)
        if (whole_bytes(plans, i) > whole_bytes(plans, largest))
            largest = i;
    int64_t rows = all[sides[largest][0]], cols = all[sides[largest][1]];
    bool turned = args_turned(plans->args, largest);
    return (struct fit_matrix){.name = names[largest],
                               .path = plans->path[largest],
                               .rows = turned ? cols : rows,
                               .cols = turned ? rows : cols,
                               .type = args_type(plans->args, largest),
                               .bytes = whole_bytes(plans, largest)};
}

/* A sum of f16 is rounded once, so k is not cut. */
static bool cuts_k(const struct args *args) {
    return args_type(args, MATRIX_C) == sct_type_sum((sct_type)args->type);
}

/* Makes pieces smaller until the ranks of each host have memory for one. */
static enum code fit_pieces(struct piece_plans *plans) {
    const struct shape *shape = &plans->args->shape;
    const struct fit_matrix largest = largest_matrix(plans);
    const double bytes[MATRICES] = {whole_bytes(plans, MATRIX_A), whole_bytes(plans, MATRIX_B),
                                    whole_bytes(plans, MATRIX_C)};
    struct fit fit = {.args = plans->args, .host = plans->host};
    double limit = bytes[0] + bytes[1] + bytes[2], factor = 1;
    enum code code = CODE_DONE;
    for (;;) {
        uint64_t own = code == CODE_DONE ? own_bytes(plans) : 0;
        code = fit_compare(&fit, code, own, &largest, &factor, &plans->memory);
        if (code != CODE_DONE || factor == 1)
            return code;
        struct pieces smaller;
        double taken = pieces_bytes(&plans->pieces, bytes);
        limit = (taken < limit ? taken : limit) / factor;
        if (!pieces_choose(shape->m, shape->n, shape->k, bytes, limit, cuts_k(plans->args),
                           &smaller))
            return fit_refuse(
                &fit, &largest,
                pieces_least(shape->m, shape->n, shape->k, bytes, limit, cuts_k(plans->args)) /
                    limit);
        piece_plans_destroy(plans);
        plans->pieces = smaller;
        code = make_plans(plans);
    }
}

enum code piece_plans_create(const struct args *args, const struct host *host,
                             const char *const path[MATRICES], struct piece_plans *plans) {
    const struct shape *shape = &args->shape;
    *plans = (struct piece_plans){.args = args,
                                  .host = host,
                                  .path = path,
                                  .pieces = pieces_whole(shape->m, shape->n, shape->k),
                                  .share = fit_share(args, host)};
    enum code code = make_plans(plans);
    if (code == CODE_DONE)
        code = fit_pieces(plans);
    if (code != CODE_DONE)
        piece_plans_destroy(plans);
    return code;
}

/* ---- Sums ---- */

/* The number of pieces that have this plan. */
static int64_t count_pieces(const struct pieces *pieces, int index) {
    int64_t count = 1;
    for (int i = 0; i < DIMENSIONS; i++) {
        struct piece last = {.at = {0}};
        last.at[i] = pieces->count[i] - 1;
        int64_t smaller = pieces->all[i] > 0 && is_short(pieces, &last, i);
        count *= index >> i & 1 ? smaller : pieces->count[i] - smaller;
    }
    return count;
}

/* Pieces are worked on one after another, so the largest workspace counts. */
static void add_times(const sct_cost *cost, int64_t times, sct_cost *sum) {
    const uint64_t factor = (uint64_t)times;
    sum->steps += cost->steps * times;
    sum->bytes_got += cost->bytes_got * factor;
    sum->bytes_gathered += cost->bytes_gathered * factor;
    sum->bytes_in_place += cost->bytes_in_place * factor;
    sum->bytes_accumulated += cost->bytes_accumulated * factor;
    sum->bytes_scattered += cost->bytes_scattered * factor;
    sum->bytes_reduced += cost->bytes_reduced * factor;
    sum->workspace = cost->workspace > sum->workspace ? cost->workspace : sum->workspace;
    sum->flops += cost->flops * (double)times;
}

struct product piece_plans_sum(const struct piece_plans *plans, int64_t matrices) {
    struct product sum = {.ranks = plans->args->group->ranks,
                          .stay = piece_plans_largest(plans)->product.stay};
    for (int i = 0; i < PIECE_PLANS; i++)
        if (plans->plan[i].made)
            add_times(&plans->plan[i].product.planned, matrices * count_pieces(&plans->pieces, i),
                      &sum.planned);
    return sum;
}

struct problem piece_plans_problem(const struct piece_plans *plans) {
    struct problem problem = piece_plans_largest(plans)->problem;
    problem.args = plans->args;
    return problem;
}
