/* scarce.h - allocations that fail, in programs whose linker wraps malloc and its like. */
#ifndef TEST_SCARCE_H
#define TEST_SCARCE_H

/* How many of this thread succeed before one fails; negative: all, as it is after one has failed.
 */
extern _Thread_local long scarce_left;

#endif
