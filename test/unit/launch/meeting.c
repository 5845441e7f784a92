/* meeting.c - ranks that only know who they are meet: in spite of strangers at the ports, of late
 * ranks, old keys and other jobs; and if a rank does not come, or has another key, all say so. */
#include "base/clock.h"
#include "base/siphash.h"
#include "fabric/bootstrap.h"
#include "fabric/sockets/hello.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sectile/sectile_launch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, REASON = 300 };

static int port; /* MASTER_PORT; ranks try those after it */
static char home[] = "/tmp/sectile-meeting-XXXXXX", folder[64];

/* ---- Ranks, each a process ---- */

typedef int rank_main(int rank);

static void be_rank(int rank, rank_main *work, int out) {
    char text[16];
    snprintf(text, sizeof text, "%d", rank);
    setenv("RANK", text, 1);
    int failed = work(rank);
    const char *reason = failed ? sct_last_reason() : "";
    if (write(out, reason, strlen(reason)) != (ssize_t)strlen(reason))
        failed = 2;
    _exit(failed);
}

typedef struct ranks {
    pid_t process[RANKS];
    int out[RANKS];
    int code[RANKS];
    char reason[RANKS][REASON];
} ranks;

static void start(ranks *all, int rank, rank_main *work) {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    all->process[rank] = fork();
    if (all->process[rank] == 0)
        be_rank(rank, work, ends[1]);
    close(ends[1]);
    all->out[rank] = ends[0];
}

static void finish(ranks *all, int rank) {
    int status;
    ssize_t got = read(all->out[rank], all->reason[rank], REASON - 1);
    all->reason[rank][got > 0 ? got : 0] = '\0';
    waitpid(all->process[rank], &status, 0);
    all->code[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(all->out[rank]);
}

static void run(ranks *all, rank_main *work) {
    for (int rank = 0; rank < RANKS; rank++)
        start(all, rank, work);
    for (int rank = 0; rank < RANKS; rank++)
        finish(all, rank);
}

static void expect(const ranks *all, const char *what) {
    for (int rank = 0; rank < RANKS; rank++)
        CHECK_CASE(all->code[rank] == 0, "%s: rank %d: code %d: %s", what, rank, all->code[rank],
                   all->reason[rank]);
}

static void expect_reason(const ranks *all, int rank, const char *reason, const char *what) {
    CHECK_CASE(all->code[rank] == 1 && strstr(all->reason[rank], reason),
               "%s: rank %d: code %d: '%s', not '%s'", what, rank, all->code[rank],
               all->reason[rank], reason);
}

/* Gathers twice with each of two bootstraps. */
static int meet(int rank) {
    for (int time = 0; time < 4; time++) {
        sct_bootstrap me;
        int mine = 10 * rank + time, all[RANKS];
        if (time % 2 == 0 && sct_bootstrap_launched(&me) != SCT_OK)
            return 1;
        if (me.rank != rank || me.ranks != RANKS ||
            sct_bootstrap_gather(&me, &mine, sizeof mine, all) != SCT_OK)
            return 1;
        for (int other = 0; other < RANKS; other++)
            if (all[other] != 10 * other + time)
                return 3;
    }
    return 0;
}

static bool is_empty(void) {
    return rmdir(folder) == 0 && mkdir(folder, S_IRWXU) == 0;
}

/* ---- Strangers ---- */

static int socket_at(int at, bool listens) {
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                               .sin_port = htons((uint16_t)at)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!listens && connect(fd, (struct sockaddr *)&name, sizeof name) == 0)
        return fd;
    if (listens && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
        !bind(fd, (struct sockaddr *)&name, sizeof name) && !listen(fd, 16))
        return fd;
    close(fd);
    return -1;
}

/* Answers whoever comes to a port with noise, or with what has come, the other way round. */
static pid_t answer_at(int at, bool reflects) {
    int listener = socket_at(at, true);
    pid_t process = fork();
    if (process != 0) {
        close(listener);
        return process;
    }
    for (;;) {
        sct_hello hello = {.rank = 77}, answer = {.proof = 1};
        int fd = accept(listener, NULL, NULL);
        if (reflects && recv(fd, &hello, sizeof hello, MSG_WAITALL) == sizeof hello)
            answer = (sct_hello){.rank = 0, .wanted = hello.rank, .proof = hello.proof};
        (void)!send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
        close(fd);
    }
}

static void end(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* Who listens to the first ports does not keep ranks from the port that rank 0 has: neither one
 * who answers something, nor one who is silent. */
static void strange_listeners(void) {
    ranks all;
    pid_t one = answer_at(port + 1, false), two = answer_at(port + 2, true);
    int silent = socket_at(port + 3, true);
    run(&all, meet);
    expect(&all, "strange listeners");
    end(one);
    end(two);
    close(silent);
}

/* Passes on to the next port what comes to a port. Exits with 1 once rank 0 has answered. */
static pid_t relay_from(int at) {
    int listener = socket_at(at, true);
    pid_t process = fork();
    if (process != 0) {
        close(listener);
        return process;
    }
    for (;;) {
        sct_hello hello, answer;
        int fd = accept(listener, NULL, NULL), next = socket_at(at + 1, false);
        bool heard = recv(fd, &hello, sizeof hello, MSG_WAITALL) == sizeof hello && next >= 0 &&
                     send(next, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello;
        if (heard && recv(next, &answer, sizeof answer, MSG_WAITALL) == sizeof answer)
            _exit(1);
        close(fd);
        close(next);
    }
}

/* Nobody between a rank and rank 0 can pass for the rank. */
static void relay(void) {
    ranks all;
    setenv("SECTILE_KEY", "00112233445566778899aabbccddeeff", 1);
    setenv("SECTILE_START_SECONDS", "10", 1);
    pid_t process = relay_from(port + 1);
    run(&all, meet);
    expect(&all, "a relay");
    CHECK(waitpid(process, NULL, WNOHANG) == 0);
    end(process);
    unsetenv("SECTILE_START_SECONDS");
    unsetenv("SECTILE_KEY");
}

/* Callers without the key, at rank 0 before the ranks come, disturb nobody. One of them says what a
 * rank would say with another key. */
static void strange_callers(void) {
    ranks all;
    int fds[40], count = 0;
    sct_hello hello = sct_hello_make((sct_siphash_key){{1, 2}}, 1, 0);
    start(&all, 0, meet);
    for (int64_t until = sct_now_ns() + INT64_C(5000000000); count < 40 && sct_now_ns() < until;) {
        int fd = socket_at(port + 1, false);
        if (fd < 0)
            continue;
        if (count % 3 > 0)
            CHECK(send(fd, &hello, sizeof hello - (size_t)(count % 3 - 1), MSG_NOSIGNAL) > 0);
        fds[count++] = fd;
    }
    CHECK(count == 40);
    for (int rank = 1; rank < RANKS; rank++)
        start(&all, rank, meet);
    for (int rank = 0; rank < RANKS; rank++)
        finish(&all, rank);
    expect(&all, "strange callers");
    while (count > 0)
        close(fds[--count]);
}

/* ---- Ranks that come late, or not ---- */

static int late(int rank) {
    if (rank == 0)
        usleep(700000);
    return meet(rank);
}

static int absent(int rank) {
    return rank == 2 ? 0 : meet(rank);
}

static int without_first(int rank) {
    return rank == 0 ? 0 : meet(rank);
}

static void lateness(void) {
    ranks all;
    run(&all, late);
    expect(&all, "a late rank 0");
    setenv("SECTILE_START_SECONDS", "1", 1);
    run(&all, absent);
    expect_reason(&all, 0,
                  "1 of 4 ranks, the first of them rank 2, have not come to rank 0 at "
                  "localhost:",
                  "no rank 2");
    CHECK(all.code[1] == 1 && all.code[3] == 1 && is_empty());
    run(&all, without_first);
    for (int rank = 1; rank < RANKS; rank++) {
        expect_reason(&all, rank, "has not reached rank 0 at localhost:", "no rank 0");
        expect_reason(&all, rank, "within 1 s, as SECTILE_START_SECONDS limits", "no rank 0");
        expect_reason(&all, rank, "Connection refused", "no rank 0");
    }
    unsetenv("SECTILE_START_SECONDS");
}

/* A rank that ends is noticed by all, at once. */
static int one_ends(int rank) {
    int code = meet(rank);
    if (code != 0 || rank == 3)
        return code;
    return meet(rank);
}

static int one_gathers_more(int rank) {
    sct_bootstrap me;
    char all[RANKS * 9] = "", mine[9] = "";
    if (sct_bootstrap_launched(&me) != SCT_OK)
        return 2;
    return sct_bootstrap_gather(&me, mine, rank == 3 ? 9 : 8, all) != SCT_OK;
}

static void losses(void) {
    ranks all;
    run(&all, one_ends);
    expect_reason(&all, 0, "the connection to rank 3 is lost", "rank 3 has ended");
    for (int rank = 1; rank < 3; rank++)
        expect_reason(&all, rank, "the connection to rank 0 is lost", "rank 3 has ended");
    run(&all, one_gathers_more);
    expect_reason(&all, 0, "rank 3 has sent something else", "other sizes");
    for (int rank = 1; rank < RANKS; rank++)
        expect_reason(&all, rank, "the connection to rank 0 is lost", "other sizes");
}

/* ---- Keys ---- */

static int other_key(int rank) {
    if (rank == 1)
        setenv("SECTILE_KEY", "00112233445566778899aabbccddeef0", 1);
    return meet(rank);
}

static void given_keys(void) {
    ranks all;
    setenv("SECTILE_KEY", "00112233445566778899AABBccddeeff", 1);
    setenv("HOME", "/nowhere", 1);
    run(&all, meet);
    expect(&all, "SECTILE_KEY");
    setenv("SECTILE_START_SECONDS", "1", 1);
    run(&all, other_key);
    expect_reason(&all, 0, "the first of them rank 1, have not come", "another key");
    expect_reason(&all, 1, "who listens there has another key", "another key");
    static const char *const wrong[] = {"",
                                        "x",
                                        "00112233445566778899aabbccddeef",
                                        "00112233445566778899aabbccddeefg",
                                        "00112233445566778899aabbccddeeff0",
                                        "0x112233445566778899aabbccddeeff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SECTILE_KEY", wrong[i], 1);
        run(&all, meet);
        for (int rank = 0; rank < RANKS; rank++) {
            expect_reason(&all, rank, "SECTILE_KEY must be 32 hexadecimal digits", wrong[i]);
            CHECK(wrong[i][0] == '\0' || wrong[i][1] == '\0' ||
                  !strstr(all.reason[rank], wrong[i]));
        }
    }
    unsetenv("SECTILE_KEY");
    run(&all, meet);
    expect_reason(&all, 0, "/nowhere/.sectile: No such file or directory; or set SECTILE_KEY",
                  "no home");
    setenv("HOME", "", 1);
    run(&all, meet);
    expect_reason(&all, 0, "HOME is not the path of a folder; set it, or SECTILE_KEY", "no home");
    unsetenv("SECTILE_START_SECONDS");
    setenv("HOME", home, 1);
}

static void path_of_key(int at, char path[REASON]) {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(path, REASON, "%s/%s:%d.key", folder, host, at);
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
    snprintf(target, sizeof target, "%s/target", home);
    put(path, S_IRUSR | S_IWUSR);
    run(&all, meet);
    expect(&all, "an old key");
    put(path, S_IRUSR | S_IRGRP);
    run(&all, meet);
    expect(&all, "an old key that others can read");
    put(target, S_IRUSR | S_IWUSR);
    CHECK(symlink(target, path) == 0);
    run(&all, meet);
    expect(&all, "a link in place of the key");
    struct stat about;
    CHECK(stat(target, &about) == 0 && about.st_size == 16);
    CHECK(is_empty());
}

/* A rank that finds a file that others could have written or read does not use it. */
static void foreign_files(void) {
    ranks all;
    char path[REASON];
    setenv("SECTILE_START_SECONDS", "1", 1);
    int listener = socket_at(port + 1, true);
    path_of_key(port + 1, path);
    put(path, S_IRUSR | S_IRGRP);
    run(&all, without_first);
    for (int rank = 1; rank < RANKS; rank++)
        expect_reason(&all, rank, "must be a file of this user that others cannot read", "0440");
    CHECK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
    run(&all, without_first);
    expect_reason(&all, 1, "Too many levels of symbolic links", "a link");
    CHECK(unlink(path) == 0 && mkfifo(path, S_IRUSR | S_IWUSR) == 0);
    run(&all, without_first);
    expect_reason(&all, 1, "must be a file of this user", "a pipe");
    CHECK(unlink(path) == 0);
    if (geteuid() == 0) {
        put(path, S_IRUSR);
        CHECK(chown(path, 1, 1) == 0);
        run(&all, without_first);
        expect_reason(&all, 1, "must be a file of this user", "of another user");
        CHECK(unlink(path) == 0);
    }
    run(&all, without_first);
    expect_reason(&all, 1, "there is no key in ~/.sectile", "no file");
    close(listener);
    CHECK(chmod(folder, S_IRWXU | S_IWGRP) == 0);
    run(&all, meet);
    expect_reason(&all, 0, "must belong to this user, and others must not write to it", "0720");
    CHECK(chmod(folder, S_IRWXU) == 0);
    unsetenv("SECTILE_START_SECONDS");
}

/* ---- Places ---- */

static void other_places(void) {
    ranks all;
    char place[64];
    setenv("SECTILE_START_SECONDS", "1", 1);
    snprintf(place, sizeof place, "127.0.0.1:%d", port + 30);
    setenv("SECTILE_MEETING", place, 1);
    setenv("MASTER_ADDR", "no.such.host.invalid", 1);
    run(&all, meet);
    expect(&all, "SECTILE_MEETING");
    run(&all, meet);
    expect(&all, "SECTILE_MEETING, once more at the same port");
    int listener = socket_at(port + 30, true);
    run(&all, meet);
    expect_reason(&all, 0, "rank 0 cannot listen to a port", "an occupied port");
    expect_reason(&all, 0, "Address already in use; SECTILE_MEETING=HOST:PORT", "an occupied port");
    close(listener);
    static const char *const wrong[] = {"", "x", "x:", ":5", "x:0", "x:65536", "x:5y", "x:-5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SECTILE_MEETING", wrong[i], 1);
        run(&all, meet);
        expect_reason(&all, 0, "is not HOST:PORT", wrong[i]);
        expect_reason(&all, 1, "is not HOST:PORT", wrong[i]);
    }
    unsetenv("SECTILE_MEETING");
    run(&all, without_first);
    expect_reason(&all, 1, "has not reached rank 0 at no.such.host.invalid:", "an unknown host");
    for (int i = 0; i < 3; i++) {
        setenv("MASTER_ADDR", (const char *[]){"", "../../x", "a b"}[i], 1);
        run(&all, meet);
        for (int rank = 0; rank < RANKS; rank++)
            expect_reason(&all, rank, ", where the ranks are to meet, is not a host", "a bad host");
    }
    unsetenv("MASTER_ADDR");
    run(&all, meet);
    expect_reason(&all, 0, "MASTER_ADDR: '' is not the host", "no host");
    setenv("MASTER_ADDR", "localhost", 1);
    for (int i = 0; i < 3; i++) {
        setenv("MASTER_PORT", (const char *[]){"x", "0", "65536"}[i], 1);
        run(&all, meet);
        expect_reason(&all, 1, "MASTER_PORT: '", "a bad port");
    }
    unsetenv("SECTILE_START_SECONDS");
    setenv("MASTER_PORT", "65530", 1);
    run(&all, meet);
    expect(&all, "a high port");
}

/* Ports that nobody uses now, below those of connections. */
static int find_ports(uint64_t *state) {
    for (;;) {
        int at = (int)check_between(state, 10000, 31000), free = 0;
        while (free < 32) {
            int fd = socket_at(at + free, true);
            if (fd < 0)
                break;
            close(fd);
            free++;
        }
        if (free == 32)
            return at;
    }
}

int main(void) {
    uint64_t state = check_seed((uint64_t)getpid());
    char text[16];
    CHECK(mkdtemp(home) != NULL);
    snprintf(folder, sizeof folder, "%s/.sectile", home);
    port = find_ports(&state);
    snprintf(text, sizeof text, "%d", port);
    setenv("HOME", home, 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("MASTER_ADDR", "localhost", 1);
    setenv("MASTER_PORT", text, 1);
    ranks all;
    run(&all, meet);
    expect(&all, "torchrun");
    struct stat about;
    CHECK(stat(folder, &about) == 0 && (about.st_mode & 0777) == S_IRWXU && is_empty());
    strange_listeners();
    relay();
    strange_callers();
    lateness();
    losses();
    given_keys();
    old_files();
    foreign_files();
    other_places();
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", home);
    CHECK(system(command) == 0);
    return check_report("meeting");
}
