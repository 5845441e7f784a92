/* thread.c - threads with stacks that are large enough for callers, a BLAS and drivers. */
#include "base/thread.h"

static const size_t least_stack = 1 << 20;

int sct_thread_create(pthread_t *thread, void *(*run)(void *), void *arg) {
    pthread_attr_t attributes;
    size_t stack;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_attr_getstacksize(&attributes, &stack);
    if (error == 0 && stack < least_stack)
        error = pthread_attr_setstacksize(&attributes, least_stack);
    if (error == 0)
        error = pthread_create(thread, &attributes, run, arg);
    pthread_attr_destroy(&attributes);
    return error;
}
