/* launched.c - a rank that loses its connection to sectile launch says so. */
#include "fabric/bootstrap.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 2 };

/* The launcher answers with so many bytes, and is gone; -1: it is gone before. */
static void lose(int answered) {
    const char zeros[8] = "", *lost = "failed: the connection to sectile launch is lost";
    char number[16];
    int pair[2], mine = 0, all[RANKS];
    sct_bootstrap ranks;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    snprintf(number, sizeof number, "%d", pair[0]);
    setenv("SECTILE_LAUNCHER", number, 1);
    if (answered < 0)
        close(pair[1]);
    else
        CHECK(send(pair[1], zeros, (size_t)answered, 0) == answered &&
              shutdown(pair[1], SHUT_WR) == 0);
    CHECK(sct_bootstrap_launched(&ranks) == SCT_OK);
    CHECK(sct_bootstrap_gather(&ranks, &mine, sizeof mine, all) == SCT_FAILED);
    CHECK_CASE(strstr(sct_last_reason(), lost), "%s", sct_last_reason());
    close(pair[0]);
    if (answered >= 0)
        close(pair[1]);
}

int main(void) {
    setenv("SECTILE_RANK", "0", 1);
    setenv("SECTILE_RANKS", "2", 1);
    lose(-1);
    lose(0);
    lose(8);
    return check_report("launched");
}
