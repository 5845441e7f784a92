/* waiting.h - what the library calls while a rank that is a process waits. */
#ifndef PYTHON_WAITING_H
#define PYTHON_WAITING_H

/* Nonzero if a signal handler of Python, which only the main thread runs, has raised an exception.
 * The context is that of waiting_interrupted in _interruption.py. */
int waiting_is_interrupted(void *context);

#endif
