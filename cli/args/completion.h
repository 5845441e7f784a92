/* completion.h - scripts by which shells complete command lines, made from the tables of verbs and
 * flags. */
#ifndef CLI_ARGS_COMPLETION_H
#define CLI_ARGS_COMPLETION_H

#include <stdbool.h>

/* Prints the script for bash, zsh or fish; false if it is another shell. */
bool completion_print(const char *shell);

#endif
