/* problem.h - what the arguments ask to be multiplied, as the library wants it told. */
#ifndef CLI_ARGS_PROBLEM_H
#define CLI_ARGS_PROBLEM_H

#include "args/args.h"
#include "print/json.h"

struct problem {
    const struct args *args;
    sct_layout *layout[MATRICES];
    char *text[MATRICES];     /* the layouts, as the library prints them */
    sct_slice view[MATRICES]; /* where the operands lie in the stored matrices */
    sct_machine *machine;     /* NULL: none was named */
    sct_problem value;
    sct_options options;
};

/* Parses layouts; says what is wrong. The problem must not be moved: it points into itself. */
enum code problem_create(const struct args *args, struct problem *problem);
void problem_destroy(struct problem *problem);

/* The machine that was named, or none: then nothing is written. Says what is wrong. */
enum code problem_machine(const struct args *args, sct_machine **machine);

/* Parses one layout; `name` is the flag that gave the text. */
enum code problem_layout(const char *name, const char *text, int64_t rows, int64_t cols,
                         int64_t ranks, sct_layout **layout);

/* The texts of those layouts that there are, as the library prints them; to be cleared also if that
 * fails, which it says. They can be long. */
enum code problem_texts(const sct_layout *const layout[MATRICES], char *text[MATRICES]);
void problem_clear_texts(char *text[MATRICES]);

/* Collective: A, B and C of that problem, not set. On failure the caller destroys what there is. */
sct_status problem_matrices(sct_world *world, const struct problem *problem,
                            sct_matrix *matrix[MATRICES]);

/* Bytes that a rank stores of all three. */
uint64_t problem_stored(const struct problem *problem, int rank);

/* ranks shape type op a b c stay slice order, for all verbs alike. */
void problem_json(const struct problem *problem, sct_stay stay, struct json *json);
/* The same in words, as the head of a table. */
void problem_print(const struct problem *problem, sct_stay stay);

/* Whether what runs down the operand runs across the stored matrix. */
bool problem_turned(const struct problem *problem, int matrix);
/* The operand at a place of op(A), op(B) or C is stored there. */
struct place {
    int64_t row, col;
};
struct place problem_place(const struct problem *problem, int matrix, int64_t row, int64_t col);

#endif
