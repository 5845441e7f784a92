/* fit.h - fits work on files into the memory of each host, by pieces. */
#ifndef CLI_RUN_FIT_H
#define CLI_RUN_FIT_H

#include "args/args.h"
#include "ranks/host.h"

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

/* The flag of the first layout with cuts of its own, which fit the whole matrix only; NULL: none.
 */
const char *fit_uncut_flag(const struct args *args);

/* Tells whether the ranks of each host have the memory for what those of this process take,
 * otherwise by which factor pieces must be smaller; and the sum over all ranks. Reports an error if
 * there can be no smaller pieces. Collective in the sense of rank_group.h. */
enum code fit_compare(struct fit *fit, enum code code, uint64_t bytes,
                      const struct fit_matrix *largest, double *factor, double *sum);
/* Reports that no piece is small enough, or that those that are would be too many; `times` as much
 * memory would make them few enough. */
enum code fit_refuse(const struct fit *fit, const struct fit_matrix *largest, double times);

#endif
