/* launched.c - how ranks that `sectile launch` has started meet: each has a connection to the
 * launcher, which collects what they send and sends all of it to each.
 *
 * What goes over the connection is a head and bytes. The launcher (cli/launch/frame.h) knows heads
 * of more kinds, for its own use between hosts. */
#include "base/patience.h"
#include "base/setting.h"
#include "base/status.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

typedef struct head {
    uint64_t kind, bytes;
} head;

enum { KIND_GATHER = 1, KIND_ALL = 2 };

static bool lose(void) {
    (void)sct_fail(SCT_FAILED, "the connection to sectile launch is lost");
    return false;
}

static bool send_all(int fd, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t sent = send(fd, (const char *)from + at, bytes - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return lose();
        at += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool await(int fd, const sct_patience *patience) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    int ready = poll(&watched, 1, sct_patience_left_ms(patience));
    if (ready == 0)
        (void)sct_patience_failure(patience);
    return ready > 0 || (ready < 0 && errno == EINTR);
}

static bool receive_all(int fd, void *to, size_t bytes, const sct_patience *patience) {
    for (size_t at = 0; at < bytes;) {
        if (!await(fd, patience))
            return false;
        ssize_t got = recv(fd, (char *)to + at, bytes - at, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return lose();
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* The number in a variable; -1: none. */
static int number_in(const char *variable) {
    int64_t number;
    (void)sct_setting(variable, 0, INT32_MAX, -1, &number);
    return (int)number;
}

/* The context is the descriptor itself, so that there is nothing to free. */
static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    int fd = (int)(intptr_t)context;
    head sent = {KIND_GATHER, bytes}, got;
    sct_patience patience = sct_patience_begin();
    bool gathered = send_all(fd, &sent, sizeof sent) && send_all(fd, mine, bytes) &&
                    receive_all(fd, &got, sizeof got, &patience) && got.kind == KIND_ALL &&
                    got.bytes == (uint64_t)number_in("SECTILE_RANKS") * bytes &&
                    receive_all(fd, all, got.bytes, &patience);
    return !gathered;
}

/* A rank that went on alone without its connection would do the work of all. */
static sct_status explain(void) {
    static const char *const variables[] = {"SECTILE_LAUNCHER", "SECTILE_RANK", "SECTILE_RANKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return sct_fail(SCT_FAILED,
                            "%s is set, but this process has no connection to sectile launch: what "
                            "has started it may have closed that",
                            variables[i]);
    return sct_fail(SCT_NO_ENGINE, "this process was not started by sectile launch");
}

sct_status sct_bootstrap_launched(sct_bootstrap *bootstrap) {
    sct_status status = sct_check_given("the place for the bootstrap", bootstrap);
    if (status)
        return status;
    int fd = number_in("SECTILE_LAUNCHER"), rank = number_in("SECTILE_RANK");
    int ranks = number_in("SECTILE_RANKS");
    struct stat about;
    if (fd < 0 || rank < 0 || rank >= ranks || fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode))
        return explain();
    *bootstrap = (sct_bootstrap){.size = sizeof *bootstrap,
                                 .rank = rank,
                                 .ranks = ranks,
                                 .allgather = allgather,
                                 .context = (void *)(intptr_t)fd};
    return SCT_OK;
}
