/* study.h - one of the paper's two products on one machine: what each partitioning, replication,
 * batch and stationary matrix takes. Each case is simulated when it is first asked for. */
#ifndef PAPER_STUDY_H
#define PAPER_STUDY_H

#include "partitioning.h"

#include <sectile/sectile.h>

#include <stdbool.h>

enum { MLP_1, MLP_2, MLPS };
enum { BATCHES = 4, FACTORS = 8, ANY = -1 };

/* A case; or all cases that are like it, with ANY for a factor and SCT_STAY_AUTO. */
struct trial {
    int partitioning, batch;
    int factor[MATRICES]; /* of replication: which one of the study's */
    sct_stay stay;
    bool chosen; /* the library chooses the work layout; `stay` is SCT_STAY_AUTO then */
};

struct outcome {
    double seconds; /* INFINITY: there is no such case */
    double share;   /* of the peak */
    uint64_t moved; /* bytes */
    sct_stay stay;  /* SCT_STAY_AUTO: no matrix is stationary */
};

struct found {
    struct trial trial;
    struct outcome outcome;
};

/* What is studied. */
struct subject {
    const sct_machine *machine;
    int mlp;
    int batches;  /* of BATCHES: the smallest and the largest ones */
    bool literal; /* leaves out only what moves nothing at all */
    bool tied;    /* factors as the paper reports them: one for all matrices in MLP-1, in MLP-2
                     one for A and B and one for C */
    sct_options options; /* but for what stays */
};

struct study;

/* `base` is a study of a machine of which one parameter was changed by at most a fifth, for this
 * one; or NULL. It must live as long. Programs end with a reason if something fails. */
struct study *study_create(const struct subject *subject, struct study *base);
void study_destroy(struct study *study);
const struct subject *study_subject(const struct study *study);
/* In units of 1024. */
int study_batch(const struct study *study, int batch);
int study_ranks(const struct study *study);
int study_factors(const struct study *study);
int study_factor(const struct study *study, int index);

struct outcome study_outcome(struct study *study, const struct trial *trial);
/* The fastest of those that are like the pattern, but for layouts with which a product can be made
 * without moving anything; unless taken literally, that its copies of C are added up is no part of
 * it. */
struct found study_best(struct study *study, const struct trial *pattern);
/* What the paper reports of a partitioning at a batch: what stays is that which is best at the
 * largest batch, the factors are the best at this one. */
struct found study_report(struct study *study, int partitioning, int batch);
/* Which matrices are not only used where they lie: some rank gets some of it, or adds to it. */
void study_moves(const struct study *study, const struct trial *trial, bool moves[MATRICES]);

/* Says why on standard error and ends the program, unless all is well. */
void must(sct_status status);

#endif
