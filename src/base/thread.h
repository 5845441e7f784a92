/* thread.h - threads whose stacks are large enough for functions of the caller, a BLAS, and drivers
 * of devices. */
#ifndef SCT_BASE_THREAD_H
#define SCT_BASE_THREAD_H

#include <pthread.h>

/* As pthread_create, but with a stack that is large enough even if `ulimit -s` is small. */
int sct_thread_create(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
