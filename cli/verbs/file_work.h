/* file_work.h - what verbs that work on files have in common: the types and shapes of the files,
 * the progress of each piece, and what is printed in the end. */
#ifndef CLI_VERBS_FILE_WORK_H
#define CLI_VERBS_FILE_WORK_H

#include "args/args.h"
#include "files/matrix_file.h"
#include "print/json.h"
#include "values/pieces.h"

/* Seconds that rank 0 spent on files. */
struct file_seconds {
    double read, wrote;
};

/* How many matrices have to be written: none if they are empty, however many a header says. */
int64_t file_matrices(const struct npy_header *output);

/* Which piece of which matrix of a stack is worked on. */
struct file_place {
    const struct pieces *pieces;
    int64_t number;           /* of the piece */
    int64_t matrix, matrices; /* of the stack */
};

/* ", piece 2 of 8 of matrix 3 of 10", as far as there are several. */
enum { PLACE_TEXT = 100 };
const char *file_place_text(const struct file_place *place, char text[PLACE_TEXT]);

/* Shows, on rank 0, that a portion of a file is read or written, and returns the time. */
double file_begin(const struct worker *worker, const char *work, const char *path,
                  const struct npy_header *header, const struct portion *portion,
                  const struct file_place *place);
/* Ends that, and adds the time since `start`. */
void file_end(const struct worker *worker, const struct portion *portion, double start,
              double *seconds);

/* Reports an error for a stack whose layout, of the flag `name`, asks for Fortran order. */
enum code file_check_order(const char *name, const char *layout, const struct npy_header *header);

/* Prints "500 x 300, f64", or with the number of matrices in a stack. */
void file_print_matrix(const struct npy_header *header);
/* Prints the number of ranks, and of pieces if there are several, and ends the line. */
void file_print_ranks(int64_t ranks, int64_t pieces);
/* Prints the name of the output, and whether there was an older file of that name. */
void file_print_output(const struct output *output);
/* Seconds, with as many digits as matter. */
enum { SECONDS_TEXT = 32 };
const char *file_seconds_text(double seconds, char text[SECONDS_TEXT]);
/* Prints the number of pieces, and the memory that the ranks take, in a line; or adds both, and the
 * limit of a host, to the open object. */
void file_print_pieces(int64_t pieces, double memory);
void file_json_pieces(int64_t pieces, double memory, const struct host *host, struct json *json);

/* Finds the type as which an input is read; reports errors. `asked` is that of --type or
 * TYPE_OF_FILES; `type` is the type then. */
enum code operand_type(struct input *input, int64_t asked, int64_t *type);

/* Finds the type of the product, and as which the inputs, A, B and perhaps C, are read: sets `type`
 * and `shape` in the arguments. `product` has the size and type of the output, and the number of
 * matrices as numpy.matmul broadcasts stacks. Reports errors. */
enum code operands_check(struct args *args, struct input *inputs, int count,
                         struct npy_header *product);

#endif
