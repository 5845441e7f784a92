/* input_pipe.h - takes a matrix from a pipe. */
#ifndef CLI_FILES_INPUT_PIPE_H
#define CLI_FILES_INPUT_PIPE_H

#include "files/matrix_file.h"

/* Replaces the open pipe by a file without a name, in which ranks can read at any place. Looks at
 * the first bytes first, and reads no more than these announce, since what comes may never end.
 * Prints errors. */
enum code input_pipe_take(struct progress *progress, struct input *input);

#endif
