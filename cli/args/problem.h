/* problem.h - turns arguments into a problem of the library. */
#ifndef CLI_ARGS_PROBLEM_H
#define CLI_ARGS_PROBLEM_H

#include "args/args.h"
#include "print/json.h"

struct problem {
    const struct args *args;
    sct_layout *layout[MATRICES];
    char *text[MATRICES];       /* layouts as the library prints them */
    sct_slice view[MATRICES];   /* the part of each stored matrix that is the operand */
    sct_layout *work;           /* NULL: that of a stationary matrix */
    char *work_text;            /* likewise */
    const sct_machine *machine; /* NULL: no --machine */
    sct_decisions decisions;    /* of --decisions */
    sct_problem value;
    sct_options options;
};

/* Parses the layouts; reports errors. The problem points into itself and must not be moved. */
enum code problem_create(const struct args *args, struct problem *problem);
void problem_destroy(struct problem *problem);

/* Chooses the work layout once for all plans, so that it can be printed. problem_create calls this;
 * call it again after changing the problem. Fails only for lack of memory: other errors are
 * reported where a plan is made. */
enum code problem_decide(struct problem *problem);

/* Replaces what was decided; takes `work`. Fails only for lack of memory. */
enum code problem_use_work(struct problem *problem, sct_stay stay, sct_layout *work);

/* The machine that --machine describes; NULL without that flag. The first call reads the
 * description, which may come from a pipe, and later calls return the same machine. Reports errors.
 */
enum code problem_machine(const struct args *args, const sct_machine **machine);

/* Prints a machine into an allocated text; reports errors. */
enum code problem_machine_text(const sct_machine *machine, char **text);

/* Parses one layout; `name` is the flag that gave it. */
enum code problem_layout(const char *name, const char *text, int64_t rows, int64_t cols,
                         int64_t ranks, sct_layout **layout);

/* Creates the layout of --work, if given; reports errors. */
enum code problem_work_layout(const struct args *args, sct_layout **work);

/* Prints a layout into an allocated text; reports errors. */
enum code problem_layout_text(const sct_layout *layout, char **text);
/* Prints layouts into allocated texts, as they can be long; skips NULL layouts. Reports errors.
 * Clear the texts even on failure. */
enum code problem_texts(const sct_layout *const layout[MATRICES], char *text[MATRICES]);
void problem_clear_texts(char *text[MATRICES]);

/* The bytes that a rank stores of all three. */
uint64_t problem_stored(const struct problem *problem, int rank);

/* Adds what stays and the work layout, if there is one, which has the shape of that matrix, and
 * then nothing stays. */
void problem_work_json(sct_stay stay, const char *work, struct json *json);
/* Adds the problem and its options to the open object, alike for all verbs. */
void problem_json(const struct problem *problem, sct_stay stay, struct json *json);
/* Prints the problem as the head of a table. */
void problem_print(const struct problem *problem, sct_stay stay);
/* One line for a picture: who does the work, and the layouts. It is cut where it is too long. */
void problem_layouts_text(const struct problem *problem, sct_stay stay, size_t bytes, char *text);

struct place {
    int64_t row, col;
};
/* The place in the stored matrix of a place in op(A), op(B) or C. */
struct place problem_place(const struct problem *problem, int matrix, int64_t row, int64_t col);

#endif
