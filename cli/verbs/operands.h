/* operands.h - the types and shapes of the files that are multiplied. */
#ifndef CLI_VERBS_OPERANDS_H
#define CLI_VERBS_OPERANDS_H

#include "args/args.h"
#include "files/matrix_file.h"

/* Finds the type as which an input is read; reports errors. `asked` is that of --type or
 * TYPE_OF_FILES; `type` is the type then. */
enum code operand_type(struct input *input, int64_t asked, int64_t *type);

/* Finds the type of the product, and as which the inputs, A, B and perhaps C, are read: sets `type`
 * and `shape` in the arguments. `product` has the size and type of the output, and the number of
 * matrices as numpy.matmul broadcasts stacks. Reports errors. */
enum code operands_check(struct args *args, struct input *inputs, int count,
                         struct npy_header *product);

#endif
