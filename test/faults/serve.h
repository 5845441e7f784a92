/* serve.h - many runs of the tool from a process that is loaded once. */
#ifndef TEST_SERVE_H
#define TEST_SERVE_H

/* If FAULT_SERVED is set, reads faults from the standard input, a line each, and answers each by
 * the exit status of a copy of this process that goes on with that FAULT; returns in the copies
 * only. They write into the files out and err. Otherwise does nothing. */
void serve_requests(void);

#endif
