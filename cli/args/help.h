/* help.h - the help texts, made from the tables of verbs and flags. */
#ifndef CLI_ARGS_HELP_H
#define CLI_ARGS_HELP_H

#include "args/args.h"

#include <stdbool.h>

void help_print(void);
/* With the flags for experiments and tests, or without. */
void help_print_verb(enum verb verb, bool all);
void help_print_layouts(void);

/* Prints the script for bash, zsh or fish; false if it is another shell. */
bool completion_print(const char *shell);

#endif
