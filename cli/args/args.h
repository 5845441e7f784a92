/* args.h - the parsed arguments of a verb. */
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
    VERB_LAUNCH,
    VERBS
};

/* Indices of A, B and C in arrays of three. */
enum { MATRIX_A, MATRIX_B, MATRIX_C, MATRICES };

/* AUTO: MPI if mpiexec started the tool, processes if sectile launch did, otherwise threads. */
enum {
    ENGINE_AUTO = -1,
    ENGINE_THREADS,
    ENGINE_PROCESSES,
    ENGINE_MPI,
    ENGINE_OPENCL,
    ENGINE_CUDA,
    ENGINE_OTHER /* in a library of its own, with a name that only the library knows */
};

struct rank_group;
struct args;

/* True if ranks compute on the host, not on devices. */
bool args_computes_on_host(const struct args *args);

struct scalar {
    struct number number;
    bool given;
};

struct shape {
    int64_t m, n, k;
};

/* A view: the size of the stored matrix, and the operand's origin in it. */
struct view {
    int64_t rows, cols, row, col;
    bool given;
};

/* The value of a flag that takes several: shapes, numbers, indices of choices, or words. */
enum { LIST_ITEMS = 32, LIST_WORD = 256, EXPORTS = 32 };
union item {
    struct shape shape;
    int64_t number; /* or the index of a choice */
    char word[LIST_WORD];
};
struct list {
    int count;
    union item item[LIST_ITEMS];
};

/* A value of --stays beside those of enum sct_stay: try A, B and C, and keep the fastest. */
enum { STAY_BEST = SCT_STAY_C + 1 };

/* The type of products of files unless --type is given: that of the files. */
enum { TYPE_OF_FILES = -1 };

/* The prefetch unless --prefetch is given: the library decides. */
enum { PREFETCH_BY_REACH = -1 };
/* For `workspace`. */
enum { NO_LIMIT = -1 };

/* In machine --measure: most rounds, and sizes of the largest products in each dimension. */
enum { MEASURED_ROUNDS = 25, LEAST_MEASURED_SIZE = 48, MOST_MEASURED_SIZE = 8192 };

/* Capacity for the flags of all verbs. */
enum { MOST_FLAGS = 90 };

/* Numbers and choices are int64_t, so that one parser serves all. */
struct args {
    struct rank_group *group;
    bool given[MOST_FLAGS]; /* by index in the table of flags */
    const char *file[2];
    int files;
    const char *output;
    const char *addend;
    struct shape shape;
    int64_t matrices; /* products of this shape: 1, or those of a stack */
    sct_op op[2];
    const char *layout[MATRICES];
    const char *work; /* layout of the work; NULL: not given */
    const char *decisions;
    const char *layouts_from;       /* the flag that gave all layouts; NULL: --a, --b and --c */
    const char *fixed[MATRICES];    /* texts of --fix, each up to args_fixed_length */
    const char *group_text, *sizes; /* a group of products */
    const char *group_layouts[EXPORTS + 1]; /* NULL after the last */
    struct view view[MATRICES];
    struct scalar alpha, beta;
    int64_t ranks, type, stay, slicing, fetch, schedule, result, engine, path;
    int64_t workspace, prefetch, products, accumulates, seed, per_node, repeat, size, rank;
    int64_t transfers, start, effort;
    int64_t math, accumulation;
    sct_gpus gpus; /* of the ranks, which have been started */
    int64_t pairs, sample;
    int64_t memory, uses, top, aim, color;
    struct list shapes, layouts, replicas, stays; /* lists of bench */
    const char *svg, *trace, *machine, *wisdom;
    sct_machine **loaded; /* the machine of --machine, once it is read */
    const char *hosts, *ssh;
    const char *exported[EXPORTS + 1]; /* lists of names; NULL after the last */
    const char *devices;
    const char *other_engine, *engine_options; /* the name of ENGINE_OTHER, and its options */
    char **command;                            /* of launch: ends with NULL */
    bool backward, sum_c, sync, ordered, json, check, reference, all, steps, picture, measure, bind,
        force, dry_run, verbose, help;
};

/* Parses the words after the verb; reports errors. args->group points to the group afterwards. */
enum code args_parse(enum verb verb, int count, char **words, struct rank_group *group,
                     struct args *args);

/* The length of the layout with which a text of --fix begins. The layout ends with the text, or
 * before the next matrix, such as ",b=". */
size_t args_fixed_length(const char *text);

/* "MxNxK". */
enum { SHAPE_TEXT = 80 };
void args_shape_text(const struct shape *shape, char text[SHAPE_TEXT]);

/* True if rows of op(A), op(B) or C are columns of the stored matrix. */
bool args_turned(const struct args *args, int matrix);

/* The element type of A, B or C. */
sct_type args_type(const struct args *args, int matrix);

/* Checks --alpha and --beta: no imaginary part for a real type, nothing that the type rounds to
 * infinity. Reports errors. */
enum code args_check_scalars(const struct args *args, sct_type type);

#endif
