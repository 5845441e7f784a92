/* replacement.c - chooses names, and gives them to complete files. When a signal ends the program,
 * an unfinished file is removed, and the line that shows the progress is ended. */
#include "output/replacement.h"

#include "print/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Signals ---- */

/* Not passed by argument, because the signal handler needs it. Empty: nothing to remove. */
static char path_to_remove[PATH_MAX];

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

enum { SIGNALS = sizeof signals / sizeof *signals };

static void end(int signal) {
    if (path_to_remove[0] != '\0')
        unlink(path_to_remove);
    if (progress_is_drawn())
        (void)!write(STDERR_FILENO, "\n", 1);
    _exit(128 + signal);
}

static sigset_t signal_set(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    return set;
}

/* nohup starts programs so, and they are to go on. */
static bool hangup_ignored(void) {
    struct sigaction action;
    return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cleanup_signal_catch(void) {
    struct sigaction action = {.sa_handler = end, .sa_mask = signal_set()};
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] != SIGHUP || !hangup_ignored())
            sigaction(signals[i], &action, NULL);
    /* Then a file above the size limit is an error of write, and is removed like any other. */
    signal(SIGXFSZ, SIG_IGN);
}

/* Blocks or unblocks these signals in the calling thread. */
static void cleanup_signal_hold(bool hold) {
    sigset_t set = signal_set();
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* Sets the file to remove; "": none. Call it while these signals are blocked. */
static void cleanup_signal_remove(const char *path) {
    snprintf(path_to_remove, sizeof path_to_remove, "%s", path);
}

/* ---- Replacements ---- */

bool replacement_possible(const char *path) {
    char name[PATH_MAX];
    struct stat about;
    return stat(path, &about) != 0 || (realpath(path, name) && S_ISREG(about.st_mode));
}

void replacement_folder(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + (slash == path) : 1;
    snprintf(folder, PATH_MAX, "%.*s", length, slash ? path : ".");
}

/* Makes the temporary name, in the folder of the final one. Returns false if it is too long. */
static bool choose_temporary(struct replacement *file) {
    const char *slash = strrchr(file->path, '/');
    const char *name = slash ? slash + 1 : file->path;
    int length = snprintf(file->temporary, sizeof file->temporary, "%.*s.%.200s.XXXXXX",
                          (int)(name - file->path), file->path, name);
    return length < (int)sizeof file->temporary;
}

/* False: a name is too long. */
static bool choose_names(struct replacement *file, const char *path) {
    if (!realpath(path, file->path))
        snprintf(file->path, sizeof file->path, "%s", path);
    return choose_temporary(file) && strlen(path) < sizeof file->path;
}

/* The file gets the owner, group and permissions of the one that it replaces. If the group cannot
 * be set, it gets no rights of the old one; set-user-ID bits are dropped. Temporary files are
 * created for the owner only. */
bool replacement_set_mode(const struct replacement *file, int fd) {
    struct stat about;
    if (stat(file->path, &about) == 0) {
        bool same_group =
            fchown(fd, about.st_uid, about.st_gid) == 0 || fchown(fd, (uid_t)-1, about.st_gid) == 0;
        return fchmod(fd, about.st_mode & (same_group ? 0777 : 0707)) == 0;
    }
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

/* Replaces the six characters at the end by random letters and digits. */
static bool draw_name(char *path) {
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char drawn[6];
    char *end = path + strlen(path) - sizeof drawn;
    if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
        return false;
    for (size_t i = 0; i < sizeof drawn; i++)
        end[i] = signs[drawn[i] % (sizeof signs - 1)];
    return true;
}

static int make_named(const struct replacement *file) {
    cleanup_signal_hold(true);
    int fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd != -1)
        cleanup_signal_remove(file->temporary);
    cleanup_signal_hold(false);
    return fd;
}

/* Gives an unnamed file a name, as a link cannot take the place of an older file. */
static int name_temporary(const struct replacement *file) {
    char descriptor[32];
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file->unnamed);
    return linkat(AT_FDCWD, descriptor, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
}

/* Calls a function with new names until one is free. */
static int try_names(struct replacement *file, int (*make)(const struct replacement *file)) {
    enum { TRIES = 100 };
    int made = -1;
    errno = EEXIST;
    for (int i = 0; i < TRIES && made == -1 && errno == EEXIST; i++)
        made = draw_name(file->temporary) ? make(file) : -1;
    return made;
}

/* -1: the file system has no such files, or there is no way to name one. */
static int make_unnamed(struct replacement *file) {
    char folder[PATH_MAX];
    replacement_folder(file->path, folder);
    if (access("/proc/self/fd", X_OK) == -1)
        return -1;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd != -1)
        snprintf(file->temporary, sizeof file->temporary, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd;
}

int replacement_open(struct replacement *file, const char *path, bool on_this_host) {
    file->unnamed = -1;
    if (!choose_names(file, path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (on_this_host)
        file->unnamed = make_unnamed(file);
    return file->unnamed != -1 ? file->unnamed : try_names(file, make_named);
}

bool replacement_finish(struct replacement *file, bool complete) {
    cleanup_signal_hold(true);
    bool named = file->unnamed == -1;
    if (!named && complete)
        named = choose_temporary(file) && try_names(file, name_temporary) == 0;
    bool finished = complete && named && rename(file->temporary, file->path) == 0;
    int error = errno;
    if (named && !finished)
        unlink(file->temporary);
    cleanup_signal_remove("");
    cleanup_signal_hold(false);
    errno = error;
    return finished || !complete;
}
