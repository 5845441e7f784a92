/* fit.c - fits work on files into the memory of each host, by pieces. */
#include "run/fit.h"

#include "print/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_SHARE = 64 << 10, MOST_SHARE = 4 << 20, MOST_TRIES = 40 };

int64_t fit_share(const struct args *args, const struct host *host) {
    int64_t ranks = args->group->by_processes ? host->processes : args->group->count;
    int64_t share = host->memory / (8 * FIT_ROOMS) / ranks;
    return share < LEAST_SHARE ? LEAST_SHARE : share > MOST_SHARE ? MOST_SHARE : share;
}

const char *fit_uncut_flag(const struct args *args) {
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
    progress_bytes((double)fit->host->memory, limit);
    report_error("no memory for %s of %s, %" PRId64 " x %" PRId64 " elements of %s, which takes "
                 "%s: %s%s; %s%s",
                 matrix->name, matrix->path, matrix->rows, matrix->cols,
                 sct_type_name(matrix->type), size,
                 fit->args->memory > 0 ? "--memory is " : "the host has ", limit, why, flag);
    return CODE_FAILED;
}

enum code fit_refuse(const struct fit *fit, const struct fit_matrix *largest, double times) {
    char least[PROGRESS_BYTES], advice[PROGRESS_BYTES + 80];
    progress_bytes(times * (double)fit->host->memory, least);
    snprintf(advice, sizeof advice, "about %s, or use fewer ranks on each host", least);
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
