/* stand.h - the machines on which claims are judged, as described or with a number changed, and the
 * simulated products on them. */
#ifndef PAPER_STAND_H
#define PAPER_STAND_H

#include "study.h"

#include <stdio.h>

enum { PVC, H100, MACHINES };
extern const char *const machine_names[MACHINES];

struct stand {
    struct subject subject; /* of all studies, but for machine and product */
    sct_machine *machine[MACHINES];
    struct study *study[MACHINES][MLPS];
};

/* Of the machines as they are described. */
void stand_open(const struct subject *subject, struct stand *stand);
void stand_close(struct stand *stand);

/* A number in the description of a machine, or two that mean the same. */
struct parameter {
    int machine;
    const char *name;
    struct {
        const char *key; /* NULL: there is no second one */
        int before;      /* as many others of this key come before */
    } number[2];
};

enum { PARAMETERS = 22 };
extern const struct parameter parameters[PARAMETERS];
/* How slow products are beside accumulates. */
extern const struct parameter interference;

/* The machine with a parameter times a factor. */
sct_machine *machine_change(const sct_machine *machine, const struct parameter *parameter,
                            double factor);
/* The stand with such a machine, for a factor not further from 1 than a fifth. Close it before the
 * other. */
void stand_change(const struct stand *from, const struct parameter *parameter, double factor,
                  struct stand *to);
void stand_close_changed(const struct parameter *parameter, struct stand *stand);

/* The share of the peak that is reported of a partitioning. */
double share_of(struct study *study, int partitioning, int batch);
/* Of the named partitionings, or of all combinations: the fastest, and how many are faster than one
 * by more than this share of its speed. */
int find_fastest(struct study *study, int batch, bool of_named);
int count_faster(struct study *study, int partitioning, int batch, double margin, bool of_named);
/* "6-2": the factors, as the paper has them: of A and B before that of C. */
void print_factors(FILE *out, const struct study *study, const struct found *found);
/* "61.9 % (6-2, S-C)": the share of the peak; the factors as the paper has them, of A and B before
 * that of C; and what stays. */
void print_share(FILE *out, const struct study *study, const struct found *found);
/* The same after the partitioning's name. */
void print_found(FILE *out, const struct study *study, const struct found *found);

#endif
