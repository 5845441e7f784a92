/* scarce.h - allocations that fail, or are counted, and threads that fail, where the linker wraps
 * malloc and its like. */
#ifndef TEST_SCARCE_H
#define TEST_SCARCE_H

#include <sectile/sectile.h>

#include <stdbool.h>

/* How many of this thread succeed before one fails; negative: all, as after one has failed. */
extern _Thread_local long scarce_left;

/* How many bytes this thread has asked for, whether or not it has given them back. */
extern _Thread_local size_t scarce_asked;

/* Whether the one that is asked for now does. */
bool scarce_fails(void);

/* Whether a call has found that one failed. */
bool scarce_told(sct_status status, const char *reason);

#endif
