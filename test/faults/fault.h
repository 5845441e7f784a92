/* fault.h - decides which call of the tool fails. Preloaded libraries define functions with the
 * names of the system's, or of an MPI's, and these ask here. */
#ifndef TEST_FAULT_H
#define TEST_FAULT_H

#include <stdbool.h>

/* Whether this call fails. Calls from outside the tool and its libraries never do. */
bool fault_due(const char *kind, const char *call, const void *caller);

/* Whether a call has failed and all further ones of its kind fail, too. */
bool fault_lasts(void);

/* The function that is replaced; NULL if there is none. */
typedef void fault_function(void);
fault_function *fault_next(const char *call);

#endif
