/* called_ranks.c - see called_ranks.h. */
#include "support/called_ranks.h"

#include "fabric/bootstrap.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sectile/sectile_launch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char called_home[] = "/tmp/sectile-ranks-XXXXXX", called_folder[64];

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

void called_start(ranks *all, int rank, rank_main *work) {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    all->process[rank] = fork();
    if (all->process[rank] == 0)
        be_rank(rank, work, ends[1]);
    close(ends[1]);
    all->out[rank] = ends[0];
}

void called_finish(ranks *all, int rank) {
    int status;
    ssize_t got = read(all->out[rank], all->reason[rank], REASON - 1);
    all->reason[rank][got > 0 ? got : 0] = '\0';
    waitpid(all->process[rank], &status, 0);
    all->code[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(all->out[rank]);
}

void called_run(ranks *all, rank_main *work) {
    for (int rank = 0; rank < RANKS; rank++)
        called_start(all, rank, work);
    for (int rank = 0; rank < RANKS; rank++)
        called_finish(all, rank);
}

void called_expect(const ranks *all, const char *what) {
    for (int rank = 0; rank < RANKS; rank++)
        CHECK_CASE(all->code[rank] == 0, "%s: rank %d: code %d: %s", what, rank, all->code[rank],
                   all->reason[rank]);
}

void called_expect_reason(const ranks *all, int rank, const char *reason, const char *what) {
    CHECK_CASE(all->code[rank] == 1 && strstr(all->reason[rank], reason),
               "%s: rank %d: code %d: '%s', not '%s'", what, rank, all->code[rank],
               all->reason[rank], reason);
}

int called_meet(int rank) {
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

int called_meet_without_first(int rank) {
    return rank == 0 ? 0 : called_meet(rank);
}

bool called_left_no_key(void) {
    return rmdir(called_folder) == 0 && mkdir(called_folder, S_IRWXU) == 0;
}

int called_socket(int at, bool listens) {
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                               .sin_port = htons((uint16_t)at)};
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!listens && connect(fd, (struct sockaddr *)&name, sizeof name) == 0)
        return fd;
    if (listens && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
        !bind(fd, (struct sockaddr *)&name, sizeof name) && !listen(fd, SOMAXCONN))
        return fd;
    close(fd);
    return -1;
}

/* Ports that nobody uses now, below those of connections. */
static int find_ports(uint64_t *state) {
    for (;;) {
        int at = (int)check_between(state, 10000, 31000), free = 0;
        while (free < 32) {
            int fd = called_socket(at + free, true);
            if (fd < 0)
                break;
            close(fd);
            free++;
        }
        if (free == 32)
            return at;
    }
}

int called_begin(void) {
    uint64_t state = check_seed((uint64_t)getpid());
    char text[16];
    int port = find_ports(&state);
    CHECK(mkdtemp(called_home) != NULL);
    snprintf(called_folder, sizeof called_folder, "%s/.sectile", called_home);
    snprintf(text, sizeof text, "%d", port);
    setenv("HOME", called_home, 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("MASTER_ADDR", "localhost", 1);
    setenv("MASTER_PORT", text, 1);
    return port;
}

void called_end(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", called_home);
    CHECK(system(command) == 0);
}
