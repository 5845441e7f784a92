/* system.c - system functions that fail on request. */
#include "faults/fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets errno as a broken device would. */
static bool is_broken(const char *call, const void *caller) {
    bool due = fault_due("system", call, caller);
    if (due)
        errno = EIO;
    return due;
}

/* ---- Files ---- */

/* "unnamed" is a file system without files that have no name. */
int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))fault_next("open");
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    if ((flags & O_TMPFILE) == O_TMPFILE &&
        fault_due("unnamed", "open", __builtin_return_address(0))) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return is_broken("open", __builtin_return_address(0)) ? -1 : real(path, flags, mode);
}

/* The file is closed nevertheless. */
int fclose(FILE *file) {
    int (*real)(FILE *) = (int (*)(FILE *))fault_next("fclose");
    int error = real(file);
    return is_broken("fclose", __builtin_return_address(0)) ? EOF : error;
}

FILE *fopen(const char *path, const char *mode) {
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) fault_next("fopen");
    return is_broken("fopen", __builtin_return_address(0)) ? NULL : real(path, mode);
}

FILE *fdopen(int file, const char *mode) {
    FILE *(*real)(int, const char *) = (FILE * (*)(int, const char *)) fault_next("fdopen");
    return is_broken("fdopen", __builtin_return_address(0)) ? NULL : real(file, mode);
}

FILE *freopen(const char *path, const char *mode, FILE *file) {
    FILE *(*real)(const char *, const char *, FILE *) =
        (FILE * (*)(const char *, const char *, FILE *)) fault_next("freopen");
    return is_broken("freopen", __builtin_return_address(0)) ? NULL : real(path, mode, file);
}

FILE *open_memstream(char **text, size_t *bytes) {
    FILE *(*real)(char **, size_t *) = (FILE * (*)(char **, size_t *)) fault_next("open_memstream");
    return is_broken("open_memstream", __builtin_return_address(0)) ? NULL : real(text, bytes);
}

int fflush(FILE *file) {
    int (*real)(FILE *) = (int (*)(FILE *))fault_next("fflush");
    return is_broken("fflush", __builtin_return_address(0)) ? EOF : real(file);
}

ssize_t getrandom(void *to, size_t bytes, unsigned flags) {
    ssize_t (*real)(void *, size_t, unsigned) =
        (ssize_t(*)(void *, size_t, unsigned))fault_next("getrandom");
    return is_broken("getrandom", __builtin_return_address(0)) ? -1 : real(to, bytes, flags);
}

int memfd_create(const char *name, unsigned flags) {
    int (*real)(const char *, unsigned) =
        (int (*)(const char *, unsigned))fault_next("memfd_create");
    return is_broken("memfd_create", __builtin_return_address(0)) ? -1 : real(name, flags);
}

int fstat(int file, struct stat *about) {
    int (*real)(int, struct stat *) = (int (*)(int, struct stat *))fault_next("fstat");
    return is_broken("fstat", __builtin_return_address(0)) ? -1 : real(file, about);
}

int fchmod(int file, mode_t mode) {
    int (*real)(int, mode_t) = (int (*)(int, mode_t))fault_next("fchmod");
    return is_broken("fchmod", __builtin_return_address(0)) ? -1 : real(file, mode);
}

int ftruncate(int file, off_t bytes) {
    int (*real)(int, off_t) = (int (*)(int, off_t))fault_next("ftruncate");
    return is_broken("ftruncate", __builtin_return_address(0)) ? -1 : real(file, bytes);
}

int posix_fallocate(int file, off_t from, off_t bytes) {
    int (*real)(int, off_t, off_t) = (int (*)(int, off_t, off_t))fault_next("posix_fallocate");
    return is_broken("posix_fallocate", __builtin_return_address(0)) ? EIO
                                                                     : real(file, from, bytes);
}

int fsync(int file) {
    int (*real)(int) = (int (*)(int))fault_next("fsync");
    return is_broken("fsync", __builtin_return_address(0)) ? -1 : real(file);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))fault_next("rename");
    return is_broken("rename", __builtin_return_address(0)) ? -1 : real(from, to);
}

ssize_t pread(int file, void *to, size_t bytes, off_t from) {
    ssize_t (*real)(int, void *, size_t, off_t) =
        (ssize_t(*)(int, void *, size_t, off_t))fault_next("pread");
    return is_broken("pread", __builtin_return_address(0)) ? -1 : real(file, to, bytes, from);
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t to) {
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))fault_next("pwrite");
    return is_broken("pwrite", __builtin_return_address(0)) ? -1 : real(file, from, bytes, to);
}

ssize_t write(int file, const void *from, size_t bytes) {
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))fault_next("write");
    return is_broken("write", __builtin_return_address(0)) ? -1 : real(file, from, bytes);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from) {
    void *(*real)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))fault_next("mmap");
    return is_broken("mmap", __builtin_return_address(0))
               ? MAP_FAILED
               : real(at, bytes, protection, flags, file, from);
}

/* ---- Processes ---- */

int pipe2(int ends[2], int flags) {
    int (*real)(int[2], int) = (int (*)(int[2], int))fault_next("pipe2");
    return is_broken("pipe2", __builtin_return_address(0)) ? -1 : real(ends, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
    int (*real)(int, int, int, int[2]) = (int (*)(int, int, int, int[2]))fault_next("socketpair");
    return is_broken("socketpair", __builtin_return_address(0))
               ? -1
               : real(domain, type, protocol, ends);
}

ssize_t send(int socket, const void *from, size_t bytes, int flags) {
    ssize_t (*real)(int, const void *, size_t, int) =
        (ssize_t(*)(int, const void *, size_t, int))fault_next("send");
    return is_broken("send", __builtin_return_address(0)) ? -1 : real(socket, from, bytes, flags);
}

ssize_t recv(int socket, void *to, size_t bytes, int flags) {
    ssize_t (*real)(int, void *, size_t, int) =
        (ssize_t(*)(int, void *, size_t, int))fault_next("recv");
    return is_broken("recv", __builtin_return_address(0)) ? -1 : real(socket, to, bytes, flags);
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const words[],
                char *const environment[]) {
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]) =
        (int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                 const posix_spawnattr_t *, char *const[], char *const[]))fault_next("posix_spawn");
    return is_broken("posix_spawn", __builtin_return_address(0))
               ? EIO
               : real(process, path, actions, attributes, words, environment);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))fault_next(
            "pthread_create");
    return is_broken("pthread_create", __builtin_return_address(0))
               ? EAGAIN
               : real(thread, attributes, run, context);
}

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *cpus) {
    int (*real)(pid_t, size_t, cpu_set_t *) =
        (int (*)(pid_t, size_t, cpu_set_t *))fault_next("sched_getaffinity");
    return is_broken("sched_getaffinity", __builtin_return_address(0)) ? -1
                                                                       : real(process, bytes, cpus);
}

int gethostname(char *name, size_t bytes) {
    int (*real)(char *, size_t) = (int (*)(char *, size_t))fault_next("gethostname");
    return is_broken("gethostname", __builtin_return_address(0)) ? -1 : real(name, bytes);
}

void *dlopen(const char *path, int flags) {
    void *(*real)(const char *, int) = (void *(*)(const char *, int))fault_next("dlopen");
    return is_broken("dlopen", __builtin_return_address(0)) ? NULL : real(path, flags);
}
