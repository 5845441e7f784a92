/* fault.h - which call of the tool is to fail: a library to be loaded ahead of others has calls of
 * the same names as the system's, or an MPI's, which ask here. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include <stdbool.h>

/* Whether this call, one of a kind, is to fail. Those from elsewhere than the tool and its
 * libraries never are. */
bool fault_due(const char *kind, const char *call, const void *caller);

/* Whether something has failed and goes on to fail. */
bool fault_lasts(void);

/* The call that would have been made; NULL if there is none. */
typedef void fault_function(void);
fault_function *fault_next(const char *call);

#endif
