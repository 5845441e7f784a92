/* pmi.c - ranks meet by the key-value space of PMI-1, here of a stand-in for mpiexec; and fail,
 * each with a reason, if that says something else, is silent, or is gone. */
#include "fabric/bootstrap.h"
#include "support/check.h"

#include <poll.h>
#include <sectile/sectile_launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, LINE = 2048, REASON = 300 };

/* What mpiexec does wrong: it answers a command with something else. */
typedef struct lie {
    const char *command, *answer; /* NULL: nothing; "": it closes the connection */
    const char *reason;           /* of rank 0, or of the others */
    int rank;
} lie;

/* ---- Ranks ---- */

static void be_rank(int rank, int fd, int out) {
    char number[16];
    sct_bootstrap me;
    int mine = 7 * rank, all[RANKS], failed = 0;
    snprintf(number, sizeof number, "%d", rank);
    setenv("PMI_RANK", number, 1);
    snprintf(number, sizeof number, "%d", fd);
    setenv("PMI_FD", number, 1);
    for (int time = 0; time < 2 && !failed; time++)
        failed = sct_bootstrap_launched(&me) != SCT_OK ||
                 sct_bootstrap_gather(&me, &mine, sizeof mine, all) != SCT_OK;
    for (int other = 0; other < RANKS && !failed; other++)
        failed = all[other] == 7 * other ? 0 : 2;
    if (failed && write(out, sct_last_reason(), strlen(sct_last_reason())) < 0)
        failed = 3;
    _exit(failed);
}

/* ---- mpiexec ---- */

typedef struct server {
    int fd[RANKS];
    char value[LINE]; /* of the one key; "": not put yet */
    int waiting, finalized;
    const lie *told; /* NULL: none */
} server;

static void say(int fd, const char *line) {
    CHECK(write(fd, line, strlen(line)) == (ssize_t)strlen(line));
}

static void close_one(server *all, int rank) {
    close(all->fd[rank]);
    all->fd[rank] = -1;
}

static bool is(const char *line, const char *command) {
    size_t length = strlen(command);
    return strncmp(line, "cmd=", 4) == 0 && strncmp(line + 4, command, length) == 0 &&
           (line[4 + length] == ' ' || line[4 + length] == '\0');
}

static void answer(server *all, int rank, const char *line) {
    char text[LINE + 100];
    int fd = all->fd[rank];
    const lie *told = all->told;
    if (told && is(line, told->command) && told->rank == rank) {
        if (told->answer && told->answer[0] != '\0')
            say(fd, told->answer);
        else if (told->answer)
            close_one(all, rank);
    } else if (is(line, "init")) {
        say(fd, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    } else if (is(line, "get_maxes")) {
        say(fd, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    } else if (is(line, "get_my_kvsname")) {
        say(fd, "cmd=my_kvsname kvsname=kvs_1_0\n");
    } else if (is(line, "put")) {
        CHECK(sscanf(line, "cmd=put kvsname=kvs_1_0 key=sectile value=%2000s", all->value) == 1);
        CHECK(strlen(all->value) <= 1024);
        say(fd, "cmd=put_result rc=0 msg=success\n");
    } else if (is(line, "barrier_in")) {
        if (++all->waiting == RANKS)
            for (int i = 0; i < RANKS; i++)
                if (all->fd[i] >= 0)
                    say(all->fd[i], "cmd=barrier_out rc=0\n");
    } else if (is(line, "get")) {
        CHECK(strcmp(line, "cmd=get kvsname=kvs_1_0 key=sectile") == 0);
        snprintf(text, sizeof text,
                 all->value[0] ? "cmd=get_result rc=0 msg=success value=%s\n"
                               : "cmd=get_result rc=-1 msg=key_sectile_not_found value=unknown\n",
                 all->value);
        say(fd, text);
    } else if (is(line, "finalize")) {
        all->finalized++;
        say(fd, "cmd=finalize_ack rc=0\n");
    } else {
        CHECK_CASE(false, "mpiexec is told: %s", line);
    }
}

/* Until all ranks have closed their connections. */
static void serve(server *all) {
    static char line[RANKS][LINE];
    size_t got[RANKS] = {0};
    for (int open = RANKS; open > 0;) {
        struct pollfd watched[RANKS];
        for (int rank = 0; rank < RANKS; rank++)
            watched[rank] = (struct pollfd){.fd = all->fd[rank], .events = POLLIN};
        CHECK(poll(watched, RANKS, 10000) > 0);
        open = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            char *at = &line[rank][got[rank]];
            if (watched[rank].revents && read(all->fd[rank], at, 1) != 1) {
                close_one(all, rank);
            } else if (watched[rank].revents && (*at != '\n' || got[rank] == LINE - 1)) {
                got[rank]++;
            } else if (watched[rank].revents) {
                *at = '\0';
                got[rank] = 0;
                answer(all, rank, line[rank]);
            }
            open += all->fd[rank] >= 0;
        }
    }
}

/* Runs all ranks; returns the number that have failed. */
static int run(const lie *told, char reason[RANKS][REASON]) {
    server all = {.told = told};
    pid_t process[RANKS];
    int out[RANKS], failed = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        int ends[2], said[2];
        CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && pipe(said) == 0);
        process[rank] = fork();
        if (process[rank] == 0) {
            close(ends[0]);
            for (int before = 0; before < rank; before++)
                close(all.fd[before]);
            be_rank(rank, ends[1], said[1]);
        }
        close(ends[1]);
        close(said[1]);
        all.fd[rank] = ends[0];
        out[rank] = said[0];
    }
    serve(&all);
    for (int rank = 0; rank < RANKS; rank++) {
        int status;
        ssize_t got = read(out[rank], reason[rank], REASON - 1);
        reason[rank][got > 0 ? got : 0] = '\0';
        close(out[rank]);
        waitpid(process[rank], &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
        failed += status != 0;
    }
    CHECK(all.finalized == RANKS || failed > 0);
    return failed;
}

static void lies(void) {
    static char longest[LINE + 10];
    memset(longest, 'x', sizeof longest - 1);
    const lie all[] = {
        {"init", "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=-1\n",
         "PMI: 'cmd=init' is answered by 'cmd=response_to_init pmi_version=2", 0},
        {"init", "cmd=response\n", "PMI: 'cmd=init' is answered by 'cmd=response'", 1},
        {"init", "hello\n", "PMI: 'cmd=init' is answered by 'hello'", 1},
        {"init", longest, "PMI: 'cmd=init' has not been answered", 2},
        {"init", NULL, "not all ranks have come within 1 s", 1},
        {"init", "", "PMI: 'cmd=init' has not been answered", 1},
        {"get_my_kvsname", "cmd=my_kvsname\n", "PMI: there is no kvsname in 'cmd=my_kvsname'", 0},
        {"get_maxes", "cmd=maxes vallen_max=64\n", "PMI: values have 64 bytes, fewer than", 0},
        {"put", "cmd=put_result rc=-1 msg=full\n", "PMI: 'cmd=put' is answered by", 0},
        {"barrier_in", "", "PMI: 'cmd=barrier_in' has not been answered", 0},
        {"get", "cmd=get_result rc=-1 msg=none\n", "PMI: 'cmd=get' is answered by", 1},
        {"get", "cmd=get_result rc=0\n", "PMI: there is no value in", 1},
        {"get", "cmd=get_result rc=0 value=00\n", "PMI: rank 0 has said something else than its",
         1},
        {"finalize", "", "PMI: 'cmd=finalize' has not been answered", 1},
    };
    char reason[RANKS][REASON];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int failed = run(&all[i], reason);
        CHECK_CASE(failed >= 1 && strstr(reason[all[i].rank], all[i].reason),
                   "%s %s: %d failed: '%s', not '%s'", all[i].command,
                   all[i].answer ? all[i].answer : "none", failed, reason[all[i].rank],
                   all[i].reason);
    }
}

int main(void) {
    char reason[RANKS][REASON];
    setenv("PMI_SIZE", "3", 1);
    int failed = run(NULL, reason);
    CHECK_CASE(failed == 0, "%s %s %s", reason[0], reason[1], reason[2]);
    setenv("SECTILE_KEY", "00112233445566778899aabbccddeeff", 1);
    CHECK(run(NULL, reason) == 0);
    unsetenv("SECTILE_KEY");
    setenv("SECTILE_START_SECONDS", "1", 1);
    lies();
    /* Without a connection the ranks have nowhere to meet. */
    sct_bootstrap me;
    setenv("PMI_RANK", "0", 1);
    for (int i = 0; i < 2; i++) {
        setenv("PMI_FD", i ? "1000" : "x", 1);
        CHECK(sct_bootstrap_launched(&me) == SCT_NO_ENGINE &&
              strstr(sct_last_reason(), "PMI_SIZE: its ranks can meet by MPI only"));
    }
    return check_report("pmi");
}
