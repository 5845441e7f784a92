/* tables.h - prints which claims hold, and the simulated times behind that, as Markdown. */
#ifndef PAPER_TABLES_H
#define PAPER_TABLES_H

#include "claims.h"

#include <stdio.h>

/* How operands come, and which factors of replication there are. */
struct way {
    const char *name, *text;
    bool literal, tied; /* as subjects have it */
    bool thorough;      /* orders are searched, and parameters are changed */
    sct_options options;
};

enum { WAYS = 5 };

struct text {
    char *data;
    size_t bytes;
};

struct answer {
    bool asked;
    int fails;           /* the batches at which it does not hold, as bits */
    struct text figures; /* behind it */
    struct text changes; /* the parameters that change it */
};

/* Of one way. */
struct results {
    struct answer answer[CLAIMS];
    struct text shares;
};

/* What is reported of the named partitionings, of the aligned one, and of the fastest one. */
void print_shares(FILE *out, const struct stand *stand);
void print_answers(FILE *out, int count, const struct way ways[], const struct results results[]);
void print_changes(FILE *out, int count, const struct way ways[], const struct results results[]);
void print_figures(FILE *out, int count, const struct way ways[], const struct results results[]);

#endif
