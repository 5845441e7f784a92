/* waiting.c - has Python run its signal handlers. */
#include "waiting.h"

#include <sys/syscall.h>
#include <unistd.h>

int waiting_interrupted(void *context); /* of Python */

/* Other threads would wait for the interpreter in vain, also while the process ends. */
int waiting_is_interrupted(void *context) {
    return syscall(SYS_gettid) == getpid() ? waiting_interrupted(context) : 0;
}
