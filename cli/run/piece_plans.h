/* piece_plans.h - the plans of a product that is worked on in pieces, so that its matrices fit into
 * the memory of each host. Usually it is one piece. */
#ifndef CLI_RUN_PIECE_PLANS_H
#define CLI_RUN_PIECE_PLANS_H

#include "ranks/host.h"
#include "run/planned_product.h"
#include "values/pieces.h"

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
const struct piece_plan *piece_plans_largest(const struct piece_plans *plans);

/* The product of so many matrices in all pieces, as planned. */
struct product piece_plans_sum(const struct piece_plans *plans, int64_t matrices);
/* The problem of the whole product, to be printed. It owns nothing. */
struct problem piece_plans_problem(const struct piece_plans *plans);

#endif
