/* part_plans.h - the plans of a product that is worked on in parts, so that its matrices fit into
 * the memory of each host. Usually it is one part. */
#ifndef CLI_RUN_PART_PLANS_H
#define CLI_RUN_PART_PLANS_H

#include "ranks/host.h"
#include "run/planned_product.h"
#include "values/parts.h"

/* For all parts of one size. */
struct part_plan {
    bool made;
    struct args args; /* with the shape of such a part */
    struct problem problem;
    struct product product;
};

/* The last part of each dimension may be smaller than the others. */
enum { PART_PLANS = 1 << DIMENSIONS };

struct part_plans {
    const struct args *args; /* of the whole product */
    const struct host *host;
    const char *const *path; /* of the files of A, B and C, for messages */
    struct parts parts;
    struct part_plan plan[PART_PLANS];
    double memory; /* bytes that all ranks take for matrices and workspace */
    int64_t share; /* bytes of a rank's share of a piece of a file */
};

/* Collective in the sense of rank_group.h; reports errors. The plans must not be moved. */
enum code part_plans_create(const struct args *args, const struct host *host,
                            const char *const path[MATRICES], struct part_plans *plans);
void part_plans_destroy(struct part_plans *plans);

/* The plan of a part, and that of the largest ones. */
const struct part_plan *part_plans_get(const struct part_plans *plans, const struct part *part);
const struct part_plan *part_plans_largest(const struct part_plans *plans);

/* The product of so many matrices in all parts, as planned. */
struct product part_plans_sum(const struct part_plans *plans, int64_t matrices);
/* The problem of the whole product, to be printed. It owns nothing. */
struct problem part_plans_problem(const struct part_plans *plans);

#endif
