/* launch.c - calls by which `sectile launch` starts and watches processes, which fail on request.
 */
#include "faults/fault.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The kind is not "system", of whose calls others fail one by one. */
static bool is_broken(const char *call, const void *caller) {
    bool due = fault_due("launch", call, caller);
    if (due)
        errno = EIO;
    return due;
}

/* Fails after some time, in which processes that were started before start others. */
pid_t fork(void) {
    pid_t (*real)(void) = (pid_t(*)(void))fault_next("fork");
    if (!is_broken("fork", __builtin_return_address(0)))
        return real();
    usleep(300000);
    errno = EAGAIN;
    return -1;
}

int poll(struct pollfd *watched, nfds_t count, int ms) {
    int (*real)(struct pollfd *, nfds_t, int) =
        (int (*)(struct pollfd *, nfds_t, int))fault_next("poll");
    return is_broken("poll", __builtin_return_address(0)) ? -1 : real(watched, count, ms);
}

int signalfd(int fd, const sigset_t *heard, int flags) {
    int (*real)(int, const sigset_t *, int) =
        (int (*)(int, const sigset_t *, int))fault_next("signalfd");
    return is_broken("signalfd", __builtin_return_address(0)) ? -1 : real(fd, heard, flags);
}

/* ---- Others, which are asked for by their names alone ---- */

ssize_t read(int fd, void *to, size_t bytes) {
    ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))fault_next("read");
    if (!fault_due("read", "read", __builtin_return_address(0)))
        return real(fd, to, bytes);
    errno = EINTR;
    return -1;
}

/* Does not wait: the time is over at once. */
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *end) {
    int (*real)(pthread_t, void **, const struct timespec *) =
        (int (*)(pthread_t, void **, const struct timespec *))fault_next("pthread_timedjoin_np");
    return fault_due("pthread_timedjoin_np", "pthread_timedjoin_np", __builtin_return_address(0))
               ? ETIMEDOUT
               : real(thread, result, end);
}

/* Returns that of a process whose parent has ended. */
pid_t getppid(void) {
    pid_t (*real)(void) = (pid_t(*)(void))fault_next("getppid");
    return fault_due("getppid", "getppid", __builtin_return_address(0)) ? 1 : real();
}
