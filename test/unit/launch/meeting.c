/* meeting.c - ranks that only know who they are meet: in spite of strangers at the ports and of
 * late ranks; and if a rank does not come, or ends, all say so. */
#include "base/clock.h"
#include "base/hash.h"
#include "fabric/bootstrap.h"
#include "fabric/sockets/hello.h"
#include "support/called_ranks.h"
#include "support/check.h"

#include <pthread.h>
#include <sectile/sectile_launch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int port; /* MASTER_PORT; ranks try those after it */

/* ---- Strangers ---- */

/* Answers whoever comes to a port with noise, or with what has come, the other way round. */
static pid_t answer_at(int at, bool reflects) {
    int listener = called_socket(at, true);
    pid_t process = fork();
    if (process != 0) {
        close(listener);
        return process;
    }
    for (;;) {
        const sct_opening opening = {.random = 5, .ranks = RANKS};
        sct_hello hello = {.rank = 77}, answer = {.proof = 1};
        int fd = accept(listener, NULL, NULL);
        (void)!send(fd, &opening, sizeof opening, MSG_NOSIGNAL);
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
    int silent = called_socket(port + 3, true);
    called_run(&all, called_meet);
    called_expect(&all, "strange listeners");
    end(one);
    end(two);
    close(silent);
}

static bool pass(int from, int to, void *bytes, size_t count) {
    return recv(from, bytes, count, MSG_WAITALL) == (ssize_t)count &&
           send(to, bytes, count, MSG_NOSIGNAL) == (ssize_t)count;
}

/* Passes on to the next port what comes to a port, and the opening from there. Exits with 1 once
 * rank 0 has answered. */
static pid_t relay_from(int at) {
    int listener = called_socket(at, true);
    pid_t process = fork();
    if (process != 0) {
        close(listener);
        return process;
    }
    for (;;) {
        sct_opening opening;
        sct_hello hello, answer;
        int fd = accept(listener, NULL, NULL), next = called_socket(at + 1, false);
        if (pass(next, fd, &opening, sizeof opening) && pass(fd, next, &hello, sizeof hello) &&
            recv(next, &answer, sizeof answer, MSG_WAITALL) == sizeof answer)
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
    called_run(&all, called_meet);
    called_expect(&all, "a relay");
    CHECK(waitpid(process, NULL, WNOHANG) == 0);
    end(process);
    unsetenv("SECTILE_START_SECONDS");
    unsetenv("SECTILE_KEY");
}

/* Says again what a rank has said to whom had the port before rank 0. */
static void replay(void) {
    ranks all;
    const sct_opening opening = {.random = 5, .ranks = RANKS};
    sct_opening drawn = opening;
    sct_hello hello, answer;
    setenv("SECTILE_KEY", "00112233445566778899aabbccddeeff", 1);
    setenv("SECTILE_START_SECONDS", "10", 1);
    called_start(&all, 1, called_meet);
    int listener = called_socket(port + 1, true), fd = accept(listener, NULL, NULL), again = -1;
    CHECK(send(fd, &opening, sizeof opening, MSG_NOSIGNAL) == sizeof opening);
    CHECK(recv(fd, &hello, sizeof hello, MSG_WAITALL) == sizeof hello && hello.rank == 1);
    close(listener);
    close(fd);
    called_start(&all, 0, called_meet);
    for (int64_t until = sct_now_ns() + INT64_C(5000000000); again < 0 && sct_now_ns() < until;)
        again = called_socket(port + 1, false);
    CHECK(recv(again, &drawn, sizeof drawn, MSG_WAITALL) == sizeof drawn &&
          drawn.random != opening.random);
    CHECK(send(again, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello);
    CHECK(recv(again, &answer, sizeof answer, MSG_WAITALL) <= 0);
    close(again);
    called_start(&all, 2, called_meet);
    called_start(&all, 3, called_meet);
    for (int rank = 0; rank < RANKS; rank++)
        called_finish(&all, rank);
    called_expect(&all, "a replay");
    unsetenv("SECTILE_START_SECONDS");
    unsetenv("SECTILE_KEY");
}

/* Callers without the key, at rank 0 before the ranks come, disturb nobody. One of them says what a
 * rank would say with another key. */
static void strange_callers(void) {
    ranks all;
    int fds[40], count = 0;
    sct_hello hello = sct_hello_make((sct_siphash_key){{1, 2}}, 1, 0);
    called_start(&all, 0, called_meet);
    for (int64_t until = sct_now_ns() + INT64_C(5000000000); count < 40 && sct_now_ns() < until;) {
        int fd = called_socket(port + 1, false);
        if (fd < 0)
            continue;
        if (count % 3 > 0)
            CHECK(send(fd, &hello, sizeof hello - (size_t)(count % 3 - 1), MSG_NOSIGNAL) > 0);
        fds[count++] = fd;
    }
    CHECK(count == 40);
    for (int rank = 1; rank < RANKS; rank++)
        called_start(&all, rank, called_meet);
    for (int rank = 0; rank < RANKS; rank++)
        called_finish(&all, rank);
    called_expect(&all, "strange callers");
    while (count > 0)
        close(fds[--count]);
}

/* ---- Ranks that come late, or not ---- */

/* What cannot become a world is refused, and not waited for. */
static void too_many(void) {
    ranks all;
    setenv("WORLD_SIZE", "2147483647", 1);
    called_run(&all, called_meet);
    for (int rank = 0; rank < RANKS; rank++)
        called_expect_reason(&all, rank, "2147483647 ranks are more than the 4096 that can meet",
                             "too many");
    setenv("WORLD_SIZE", "4", 1);
}

static int miscounted(int rank) {
    if (rank > 0)
        setenv("WORLD_SIZE", rank == 1 ? "2" : "5", 1);
    if (rank == 3)
        setenv("RANK", "4", 1);
    return called_meet(rank);
}

/* Ranks that are not of as many as rank 0 say so at once, and rank 0 when no more ranks can come.
 */
static void counts_differ(void) {
    ranks all;
    setenv("SECTILE_START_SECONDS", "2", 1);
    called_run(&all, miscounted);
    called_expect_reason(&all, 1, "rank 0 was started as one of 4 ranks, but rank 1 as one of 2",
                         "other counts");
    called_expect_reason(&all, 3, "rank 0 was started as one of 4 ranks, but rank 4 as one of 5",
                         "other counts");
    called_expect_reason(&all, 0, "rank 1 was started as one of 2 ranks, but rank 0 as one of 4",
                         "other counts");
    unsetenv("SECTILE_START_SECONDS");
}

static int one_of_more(int rank) {
    if (rank == 3) {
        setenv("WORLD_SIZE", "5", 1);
        setenv("RANK", "4", 1);
    }
    return called_meet(rank);
}

/* A rank whose number is too high is named where others are missing. */
static void one_beyond(void) {
    ranks all;
    setenv("SECTILE_START_SECONDS", "2", 1);
    called_run(&all, one_of_more);
    called_expect_reason(&all, 3, "rank 0 was started as one of 4 ranks, but rank 4 as one of 5",
                         "a rank beyond");
    called_expect_reason(&all, 0, "; rank 4 has come, which is none of 4", "a rank beyond");
    unsetenv("SECTILE_START_SECONDS");
}

static int one_miscounted(int rank) {
    if (rank == 3)
        setenv("WORLD_SIZE", "5", 1);
    return called_meet(rank);
}

/* Rank 0 then says so, too, though all have come. */
static void one_count_differs(void) {
    ranks all;
    called_run(&all, one_miscounted);
    called_expect_reason(&all, 0, "rank 3 was started as one of 5 ranks, but rank 0 as one of 4",
                         "another count");
    called_expect_reason(&all, 3, "rank 0 was started as one of 4 ranks, but rank 3 as one of 5",
                         "another count");
}

static int late(int rank) {
    if (rank == 0)
        usleep(700000);
    return called_meet(rank);
}

static int absent(int rank) {
    return rank == 2 ? 0 : called_meet(rank);
}

static void lateness(void) {
    ranks all;
    called_run(&all, late);
    called_expect(&all, "a late rank 0");
    setenv("SECTILE_START_SECONDS", "1", 1);
    called_run(&all, absent);
    called_expect_reason(&all, 0,
                         "1 of 4 ranks, the first of them rank 2, have not come to rank 0 at "
                         "localhost:",
                         "no rank 2");
    CHECK(all.code[1] == 1 && all.code[3] == 1 && called_left_no_key());
    called_run(&all, called_meet_without_first);
    for (int rank = 1; rank < RANKS; rank++) {
        called_expect_reason(&all, rank, "has not reached rank 0 at localhost:", "no rank 0");
        called_expect_reason(&all, rank, "within 1 s, as SECTILE_START_SECONDS limits",
                             "no rank 0");
        called_expect_reason(&all, rank, "Connection refused", "no rank 0");
    }
    unsetenv("SECTILE_START_SECONDS");
}

/* Who listens at all ports, but is silent, does not make ranks wait for longer than they may. */
static void silence(void) {
    enum { PORTS = 16 };
    ranks all;
    int silent[PORTS];
    int64_t began = sct_now_ns();
    setenv("SECTILE_KEY", "00112233445566778899aabbccddeeff", 1);
    setenv("SECTILE_START_SECONDS", "1", 1);
    for (int i = 0; i < PORTS; i++)
        silent[i] = called_socket(port + 1 + i, true);
    called_run(&all, called_meet_without_first);
    for (int rank = 1; rank < RANKS; rank++)
        called_expect_reason(&all, rank, "who listens there does not answer", "silence");
    for (int i = 0; i < PORTS; i++)
        close(silent[i]);
    CHECK(sct_now_ns() - began < INT64_C(20000000000)); /* once at each port would take 48 s */
    unsetenv("SECTILE_START_SECONDS");
    unsetenv("SECTILE_KEY");
}

static char logged[REASON];
static int messages;

static void keep(void *context, sct_log_level level, int rank, const char *text) {
    (void)context;
    (void)level;
    (void)rank;
    snprintf(logged, sizeof logged, "%s", text);
    messages++;
}

/* Rank 0 comes when it has been missed for long, and rank 3 much later. */
static int very_late(int rank) {
    static const char *const wanted[RANKS] = {
        "rank 0 has waited 5 s at localhost:", "rank 1 has not reached rank 0 at localhost:",
        "rank 2 has not reached rank 0 at localhost:", ""};
    sct_log(SCT_LOG_WARNING, keep, NULL);
    sleep(rank == 0 ? 6 : rank == 3 ? 12 : 0);
    int code = called_meet(rank);
    const char *detail =
        rank == 0 ? " (WORLD_SIZE is 4) for 1 of 4 ranks, the first of them rank 3" : "";
    bool right = messages == (rank < 3) && strstr(logged, wanted[rank]) && strstr(logged, detail);
    return code ? code : right ? 0 : 3;
}

static void long_waits(void) {
    ranks all;
    called_run(&all, very_late);
    called_expect(&all, "long waits");
}

/* A rank that ends is noticed by all, at once. */
static int one_ends(int rank) {
    int code = called_meet(rank);
    if (code != 0 || rank == 3)
        return code;
    return called_meet(rank);
}

/* Rank 3 is killed; a child of it lives until the test lets it end. */
static int hold[2];

static int one_forks(int rank) {
    char byte;
    int code = called_meet(rank);
    if (code != 0 || rank < 3)
        return code ? code : called_meet(rank);
    if (fork() > 0)
        raise(SIGKILL);
    close(hold[1]);
    return read(hold[0], &byte, 1) != 0;
}

static void *fork_soon(void *ignored) {
    char byte;
    (void)ignored;
    usleep(300000);
    if (fork() == 0) {
        close(hold[1]);
        _exit(read(hold[0], &byte, 1) != 0);
    }
    return NULL;
}

/* Rank 0 waits for rank 3 when it forks; later it is killed. */
static int forks_while_meeting(int rank) {
    pthread_t thread;
    if (rank == 3)
        usleep(900000);
    if (rank == 0 && pthread_create(&thread, NULL, fork_soon, NULL) != 0)
        return 2;
    int code = called_meet(rank);
    if (rank == 0)
        pthread_join(thread, NULL);
    if (rank == 0)
        raise(SIGKILL);
    return code ? code : called_meet(rank);
}

static void early_fork(void) {
    ranks all;
    setenv("SECTILE_START_SECONDS", "20", 1);
    CHECK(pipe(hold) == 0);
    for (int rank = 0; rank < RANKS; rank++)
        called_start(&all, rank, forks_while_meeting);
    for (int rank = 1; rank < RANKS; rank++) {
        called_finish(&all, rank);
        called_expect_reason(&all, rank, "the connection to rank 0 is lost", "rank 0 has a child");
    }
    int listener = called_socket(port + 1, true);
    CHECK(listener >= 0);
    close(listener);
    close(hold[1]);
    called_finish(&all, 0);
    CHECK(all.code[0] == 128 + SIGKILL);
    close(hold[0]);
    unsetenv("SECTILE_START_SECONDS");
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
    called_run(&all, one_ends);
    called_expect_reason(&all, 0, "the connection to rank 3 is lost", "rank 3 has ended");
    for (int rank = 1; rank < 3; rank++)
        called_expect_reason(&all, rank, "the connection to rank 0 is lost", "rank 3 has ended");
    setenv("SECTILE_START_SECONDS", "20", 1);
    CHECK(pipe(hold) == 0);
    for (int rank = 0; rank < RANKS; rank++)
        called_start(&all, rank, one_forks);
    for (int rank = 0; rank < 3; rank++)
        called_finish(&all, rank);
    called_expect_reason(&all, 0, "the connection to rank 3 is lost", "rank 3 has a child");
    close(hold[1]);
    called_finish(&all, 3);
    CHECK(all.code[3] == 128 + SIGKILL);
    close(hold[0]);
    unsetenv("SECTILE_START_SECONDS");
    called_run(&all, one_gathers_more);
    called_expect_reason(&all, 0, "rank 3 has sent something else", "other sizes");
    for (int rank = 1; rank < RANKS; rank++)
        called_expect_reason(&all, rank, "the connection to rank 0 is lost", "other sizes");
}

int main(void) {
    ranks all;
    struct stat about;
    port = called_begin();
    called_run(&all, called_meet);
    called_expect(&all, "torchrun");
    CHECK(stat(called_folder, &about) == 0 && (about.st_mode & 0777) == S_IRWXU &&
          called_left_no_key());
    strange_listeners();
    relay();
    replay();
    too_many();
    strange_callers();
    counts_differ();
    one_count_differs();
    one_beyond();
    silence();
    lateness();
    long_waits();
    losses();
    early_fork();
    called_end();
    return check_report("meeting");
}
