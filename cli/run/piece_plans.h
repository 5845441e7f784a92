/* piece_plans.h - the plans of a product that is worked on in pieces, so that its matrices fit
 * into the memory of each host; usually it is one piece. What fits work on files into that memory
 * serves the verb copy, too. */
#ifndef CLI_RUN_PIECE_PLANS_H
#define CLI_RUN_PIECE_PLANS_H

#include "args/args.h"
#include "ranks/host.h"
#include "run/planned_product.h"
#include "values/pieces.h"

/* ---- Fitting ---- */

/* A whole matrix, in all its replicas. */
struct fit_matrix {
    const char *name, *path; /* "A", and its file */
    int64_t rows, cols;
    sct_type type;
    double bytes;
};

/* The memory, and what is to be fitted into it. */
struct fit {
    const struct args *args;
    const struct host *host;
    int tries;
};

/* A rank's share of a piece of a file: there is room for two, in an eighth of the memory. */
enum { FIT_ROOMS = 2 };
int64_t fit_share(const struct args *args, const struct host *host);

/* Tells whether the ranks of each host have the memory for what those of this process take,
 * otherwise by which factor pieces must be smaller; and the sum over all ranks. Reports an error if
 * there can be no smaller pieces. Collective in the sense of rank_group.h. */
enum code fit_compare(struct fit *fit, enum code code, uint64_t bytes,
                      const struct fit_matrix *largest, double *factor, double *sum);
/* Reports that no piece is small enough, or that those that are would be too many; `times` as much
 * memory would make them so few that they are worth their time; less may do. */
enum code fit_refuse(const struct fit *fit, const struct fit_matrix *largest, double times);

/* ---- Plans of pieces ---- */

/* For all pieces of one size. */
struct piece_plan {
    bool made;
    struct args args; /* with the shape of such a piece */
    struct problem problem;
    struct product product;
};

/* The last piece of each dimension may be smaller than the others. */
enum { PIECE_PLANS = 1 << DIMENSIONS };

struct piece_plans {
    const struct args *args; /* of the whole product */
    const struct host *host;
    const char *const *path; /* of the files of A, B and C, for messages */
    struct pieces pieces;
    struct piece_plan plan[PIECE_PLANS];
    double memory; /* bytes that all ranks take for matrices, workspace and buffers of files */
    int64_t share; /* bytes of a rank's share of a piece of a file */
};

/* Collective in the sense of rank_group.h; reports errors. The plans must not be moved. */
enum code piece_plans_create(const struct args *args, const struct host *host,
                             const char *const path[MATRICES], struct piece_plans *plans);
void piece_plans_destroy(struct piece_plans *plans);

/* The plan of a piece, and that of the largest ones. */
const struct piece_plan *piece_plans_get(const struct piece_plans *plans,
                                         const struct piece *piece);

/* The product of so many matrices in all pieces, as planned. */
struct product piece_plans_sum(const struct piece_plans *plans, int64_t matrices);
/* The problem of the whole product, to be printed. It owns nothing. */
struct problem piece_plans_problem(const struct piece_plans *plans);

#endif
