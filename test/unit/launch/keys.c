/* keys.c - the key and the place by which ranks meet: given in variables, or in a file, in spite of
 * old files and other jobs; and if others could know the key, or a variable makes no sense, all say
 * so. */
#include "support/called_ranks.h"
#include "support/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int port; /* MASTER_PORT; ranks try those after it */

/* ---- Keys ---- */

static int other_key(int rank) {
    if (rank == 1)
        setenv("SECTILE_KEY", "00112233445566778899aabbccddeef0", 1);
    return called_meet(rank);
}

static void given_keys(void) {
    ranks all;
    setenv("SECTILE_KEY", "00112233445566778899AABBccddeeff", 1);
    setenv("HOME", "/nowhere", 1);
    called_run(&all, called_meet);
    called_expect(&all, "SECTILE_KEY");
    setenv("SECTILE_START_SECONDS", "1", 1);
    called_run(&all, other_key);
    called_expect_reason(&all, 0, "the first of them rank 1, have not come", "another key");
    called_expect_reason(&all, 1, "who listens there has another key", "another key");
    static const char *const wrong[] = {"",
                                        "x",
                                        "00112233445566778899aabbccddeef",
                                        "00112233445566778899aabbccddeefg",
                                        "00112233445566778899aabbccddeeff0",
                                        "0x112233445566778899aabbccddeeff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SECTILE_KEY", wrong[i], 1);
        called_run(&all, called_meet);
        for (int rank = 0; rank < RANKS; rank++) {
            called_expect_reason(&all, rank, "SECTILE_KEY must be 32 hexadecimal digits", wrong[i]);
            CHECK(wrong[i][0] == '\0' || wrong[i][1] == '\0' ||
                  !strstr(all.reason[rank], wrong[i]));
        }
    }
    unsetenv("SECTILE_KEY");
    called_run(&all, called_meet);
    called_expect_reason(
        &all, 0, "/nowhere/.sectile: No such file or directory; or set SECTILE_KEY", "no home");
    setenv("HOME", "", 1);
    called_run(&all, called_meet);
    for (int rank = 0; rank < RANKS; rank++)
        called_expect_reason(&all, rank, "HOME is not the path of a folder; set it, or SECTILE_KEY",
                             "no home");
    unsetenv("SECTILE_START_SECONDS");
    setenv("HOME", called_home, 1);
}

static int late_first(int rank) {
    const struct timespec nap = {.tv_nsec = 300000000};
    if (rank == 0)
        nanosleep(&nap, NULL);
    return called_meet(rank);
}

/* Ranks that find somebody else listening wait for the key, even if there is no folder for it yet.
 */
static void no_folder(void) {
    ranks all;
    int listener = called_socket(port + 1, true);
    CHECK(listener >= 0 && rmdir(called_folder) == 0);
    called_run(&all, late_first);
    called_expect(&all, "no folder yet");
    close(listener);
}

static void path_of_key(int at, char path[REASON]) {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(path, REASON, "%s/%s:%d.key", called_folder, host, at);
}

static void put(const char *path, mode_t mode) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    CHECK(file >= 0 && write(file, "0123456789abcdef", 16) == 16 && fchmod(file, mode) == 0);
    close(file);
}

/* The file is left by an earlier job, or an incomplete one, or a link to somewhere else. */
static void old_files(void) {
    ranks all;
    char path[REASON], target[REASON];
    path_of_key(port + 1, path);
    snprintf(target, sizeof target, "%s/target", called_home);
    put(path, S_IRUSR | S_IWUSR);
    called_run(&all, called_meet);
    called_expect(&all, "an old key");
    put(path, S_IRUSR | S_IRGRP);
    called_run(&all, called_meet);
    called_expect(&all, "an old key that others can read");
    put(target, S_IRUSR | S_IWUSR);
    CHECK(symlink(target, path) == 0);
    called_run(&all, called_meet);
    called_expect(&all, "a link in place of the key");
    struct stat about;
    CHECK(stat(target, &about) == 0 && about.st_size == 16);
    CHECK(called_left_no_key());
}

/* What rank 0 of an earlier job has left when a signal ended it goes after a day; nothing else
 * does. */
static void forgotten_files(void) {
    ranks all;
    char path[3][REASON];
    const struct timespec old = {.tv_sec = time(NULL) - 25 * 60 * 60};
    const struct timespec both[] = {old, old};
    path_of_key(port - 1, path[0]);
    path_of_key(port - 2, path[1]);
    snprintf(path[2], REASON, "%s/notes", called_folder);
    for (int i = 0; i < 3; i++)
        put(path[i], S_IRUSR | S_IWUSR);
    CHECK(utimensat(AT_FDCWD, path[0], both, 0) == 0 && utimensat(AT_FDCWD, path[2], both, 0) == 0);
    called_run(&all, called_meet);
    called_expect(&all, "old keys");
    CHECK(access(path[0], F_OK) != 0 && unlink(path[1]) == 0 && unlink(path[2]) == 0);
    CHECK(called_left_no_key());
}

/* A rank that finds a file that others could have written or read does not use it. */
static void foreign_files(void) {
    ranks all;
    char path[REASON];
    setenv("SECTILE_START_SECONDS", "1", 1);
    int listener = called_socket(port + 1, true);
    path_of_key(port + 1, path);
    put(path, S_IRUSR | S_IRGRP);
    called_run(&all, called_meet_without_first);
    for (int rank = 1; rank < RANKS; rank++)
        called_expect_reason(&all, rank, "must be a file of this user that others cannot read",
                             "0440");
    CHECK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
    called_run(&all, called_meet_without_first);
    called_expect_reason(&all, 1, "Too many levels of symbolic links", "a link");
    CHECK(unlink(path) == 0 && mkfifo(path, S_IRUSR | S_IWUSR) == 0);
    called_run(&all, called_meet_without_first);
    called_expect_reason(&all, 1, "must be a file of this user", "a pipe");
    CHECK(unlink(path) == 0);
    if (geteuid() == 0) {
        put(path, S_IRUSR);
        CHECK(chown(path, 1, 1) == 0);
        called_run(&all, called_meet_without_first);
        called_expect_reason(&all, 1, "must be a file of this user", "of another user");
        CHECK(unlink(path) == 0);
    }
    called_run(&all, called_meet_without_first);
    called_expect_reason(&all, 1, "there is no key in ~/.sectile", "no file");
    close(listener);
    CHECK(chmod(called_folder, S_IRWXU | S_IWGRP) == 0);
    called_run(&all, called_meet);
    for (int rank = 0; rank < RANKS; rank++)
        called_expect_reason(&all, rank,
                             "must belong to this user, and others must not write to it", "0720");
    CHECK(chmod(called_folder, S_IRWXU) == 0);
    unsetenv("SECTILE_START_SECONDS");
}

/* ---- Places ---- */

static void other_places(void) {
    ranks all;
    char place[64];
    setenv("SECTILE_START_SECONDS", "1", 1);
    snprintf(place, sizeof place, "127.0.0.1:%d", port + 30);
    setenv("SECTILE_RENDEZVOUS", place, 1);
    setenv("MASTER_ADDR", "no.such.host.invalid", 1);
    called_run(&all, called_meet);
    called_expect(&all, "SECTILE_RENDEZVOUS");
    called_run(&all, called_meet);
    called_expect(&all, "SECTILE_RENDEZVOUS, once more at the same port");
    int listener = called_socket(port + 30, true);
    called_run(&all, called_meet);
    called_expect_reason(&all, 0, "rank 0 cannot listen to a port", "an occupied port");
    called_expect_reason(&all, 0, "Address already in use; SECTILE_RENDEZVOUS=HOST:PORT",
                         "an occupied port");
    close(listener);
    static const char *const wrong[] = {"x", "x:", ":5", "x:0", "x:65536", "x:5y", "x:-5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SECTILE_RENDEZVOUS", wrong[i], 1);
        called_run(&all, called_meet);
        called_expect_reason(&all, 0, "is not HOST:PORT", wrong[i]);
        called_expect_reason(&all, 1, "is not HOST:PORT", wrong[i]);
    }
    setenv("SECTILE_RENDEZVOUS", "", 1); /* as if it were not set */
    called_run(&all, called_meet_without_first);
    called_expect_reason(&all, 1,
                         "has not reached rank 0 at no.such.host.invalid:", "an unknown host");
    unsetenv("SECTILE_RENDEZVOUS");
    for (int i = 0; i < 3; i++) {
        setenv("MASTER_ADDR", (const char *[]){"", "../../x", "a b"}[i], 1);
        called_run(&all, called_meet);
        for (int rank = 0; rank < RANKS; rank++)
            called_expect_reason(&all, rank, ", where the ranks are to meet, is not a host",
                                 "a bad host");
    }
    unsetenv("MASTER_ADDR");
    called_run(&all, called_meet);
    called_expect_reason(&all, 0, "MASTER_ADDR: '' is not the host", "no host");
    setenv("MASTER_ADDR", "localhost", 1);
    for (int i = 0; i < 3; i++) {
        setenv("MASTER_PORT", (const char *[]){"x", "0", "65536"}[i], 1);
        called_run(&all, called_meet);
        called_expect_reason(&all, 1, "MASTER_PORT: '", "a bad port");
    }
    unsetenv("SECTILE_START_SECONDS");
    setenv("MASTER_PORT", "65530", 1);
    called_run(&all, called_meet);
    called_expect(&all, "a high port");
}

int main(void) {
    ranks all;
    port = called_begin();
    called_run(&all, called_meet);
    called_expect(&all, "a new home");
    given_keys();
    no_folder();
    old_files();
    forgotten_files();
    foreign_files();
    other_places();
    called_end();
    return check_report("keys");
}
