/* args.h - the arguments of a verb. */
#ifndef CLI_ARGS_ARGS_H
#define CLI_ARGS_ARGS_H

#include "print/report.h"
#include "values/parse_number.h"

#include <sectile/sectile.h>
#include <stdbool.h>

enum verb {
    VERB_MULTIPLY,
    VERB_COPY,
    VERB_RUN,
    VERB_PLAN,
    VERB_BENCH,
    VERB_SIMULATE,
    VERB_MACHINE,
    VERB_CHOOSE,
    VERBS
};

/* The places of A, B and C in every array of three. */
enum { MATRIX_A, MATRIX_B, MATRIX_C, MATRICES };

/* AUTO: as the program was started. */
enum { ENGINE_AUTO = -1, ENGINE_THREADS, ENGINE_MPI, ENGINE_CUDA };

struct team;

struct scalar {
    struct number number;
    bool given;
};

struct shape {
    int64_t m, n, k;
};

/* A view: the whole stored matrix, and where in it the operand begins. */
struct view {
    int64_t rows, cols, row, col;
    bool given;
};

/* What may be given several times over, between commas or semicolons. */
enum { LIST_ITEMS = 32, LIST_WORD = 256 };
union item {
    struct shape shape;
    int64_t number; /* or choice */
    char word[LIST_WORD];
};
struct list {
    int count;
    union item item[LIST_ITEMS];
};

/* The places in --stays: as enum sct_stay, and then this. */
enum { STAY_BEST = SCT_STAY_C + 1 };

/* The prefetch of args that nobody gave. */
enum { PREFETCH_BY_REACH = -1 };

/* At most so many rounds of measurements. */
enum { MEASURED_ROUNDS = 25 };

/* There are no more flags, in the table of all verbs. */
enum { MOST_FLAGS = 100 };

/* What a flag sets is int64_t where it is a number or a choice: one parser serves all. */
struct args {
    struct team *team;
    bool given[MOST_FLAGS]; /* at its place in the table */
    const char *file[2];
    int files;
    const char *output;
    const char *addend;
    struct shape shape;
    sct_op op[2];
    const char *layout[MATRICES];
    const char *layouts_from;    /* the flag that all have come from; NULL: --a, --b and --c */
    const char *fixed[MATRICES]; /* each up to its end, or the next: args_fixed_length */
    struct view view[MATRICES];
    struct scalar alpha, beta;
    int64_t ranks, type, stay, slicing, fetch, schedule, result, engine, path;
    int64_t workspace, prefetch, products, accumulates, seed, nodes, delay, repeat, rank;
    int64_t transfers, start;
    int64_t pairs, sample;
    int64_t memory, uses, top, aim;
    struct list shapes, layouts, replicas, stays; /* of a sweep */
    const char *svg, *trace, *machine;
    bool sum_c, sync, ordered, deferred, json, check, reference, all, steps, picture, measure, help;
};

/* Reads what follows the verb; says what is wrong if anything is. The args keep the team, which
 * joins an MPI if they ask for one. */
enum code args_parse(enum verb verb, int count, char **words, struct team *team, struct args *args);

/* How long the text of a fixed layout is: up to its end, or a comma and the next, such as ",b=". */
size_t args_fixed_length(const char *text);

/* The type of A, B or C. */
sct_type args_type(const struct args *args, int matrix);

/* An imaginary part needs a complex type, and what is too large for the type is refused. */
enum code args_check_scalars(const struct args *args, sct_type type);

#endif
