/* large_stack.h - runs the tool with a stack that is large enough, whatever `ulimit -s` says. */
#ifndef CLI_RANKS_LARGE_STACK_H
#define CLI_RANKS_LARGE_STACK_H

/* Runs it, in a thread of its own if the stack of this one is small, and returns what it returns.
 * Threads that are started afterwards, by libraries too, have as large a stack. */
int large_stack_run(int (*run)(int count, char **words), int count, char **words);

#endif
