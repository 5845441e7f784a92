/* problem.h - turns arguments into a problem of the library. */
#ifndef CLI_ARGS_PROBLEM_H
#define CLI_ARGS_PROBLEM_H

#include "args/args.h"
#include "print/json.h"

struct problem {
    const struct args *args;
    sct_layout *layout[MATRICES];
    char *text[MATRICES];     /* layouts as the library prints them */
    sct_slice view[MATRICES]; /* views of the operands in the stored matrices */
    sct_layout *work;         /* NULL: no --work */
    sct_machine *machine;     /* NULL: no --machine */
    sct_problem value;
    sct_options options;
};

/* Parses the layouts; reports errors. The problem points into itself and must not be moved. */
enum code problem_create(const struct args *args, struct problem *problem);
void problem_destroy(struct problem *problem);

/* Loads the machine of --machine, if given; reports errors. */
enum code problem_machine(const struct args *args, sct_machine **machine);

/* Parses one layout; `name` is the flag that gave it. */
enum code problem_layout(const char *name, const char *text, int64_t rows, int64_t cols,
                         int64_t ranks, sct_layout **layout);

/* Prints layouts as texts, which can be long. Clear them even on failure, which is reported. */
enum code problem_texts(const sct_layout *const layout[MATRICES], char *text[MATRICES]);
void problem_clear_texts(char *text[MATRICES]);

/* Collective: creates A, B and C, uninitialized. On failure the caller destroys those that exist.
 */
sct_status problem_matrices(sct_world *world, const struct problem *problem,
                            sct_matrix *matrix[MATRICES]);

/* The bytes that a rank stores of all three. */
uint64_t problem_stored(const struct problem *problem, int rank);

/* Adds ranks, shape, type, op, a, b, c, stay, slice and order, alike for all verbs. */
void problem_json(const struct problem *problem, sct_stay stay, struct json *json);
/* Prints the same as the head of a table. */
void problem_print(const struct problem *problem, sct_stay stay);

/* True if the rows of the operand are columns of the stored matrix. */
bool problem_turned(const struct problem *problem, int matrix);
/* The place in the stored matrix of a place in op(A), op(B) or C. */
struct place {
    int64_t row, col;
};
struct place problem_place(const struct problem *problem, int matrix, int64_t row, int64_t col);

#endif
