/* rendezvous.c - see rendezvous.h.
 *
 * What goes over a connection is a head and bytes: up those of a rank, down those of all. `sectile
 * launch` (cli/launch/frame.h) knows heads of more kinds, for its own use between hosts. */
#include "launch/rendezvous.h"

#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct head {
    uint64_t kind, bytes;
} head;

enum { KIND_GATHER = 1, KIND_ALL = 2, ANSWER_S = 3 };

/* ---- Sending and receiving ---- */

static sct_status lose(const char *whom) {
    return sct_fail(SCT_FAILED, "the connection to %s is lost", whom);
}

static sct_status send_all(int fd, const char *whom, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t sent = send(fd, (const char *)from + at, bytes - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return lose(whom);
        at += sent > 0 ? (size_t)sent : 0;
    }
    return SCT_OK;
}

static sct_status await(int fd, const char *whom, const sct_deadline *deadline) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    int ready = poll(&watched, 1, sct_deadline_left_ms(deadline));
    if (ready == 0)
        return sct_deadline_failure(deadline);
    return ready > 0 || errno == EINTR ? SCT_OK : lose(whom);
}

static sct_status receive_all(int fd, const char *whom, void *to, size_t bytes,
                              const sct_deadline *deadline) {
    for (size_t at = 0; at < bytes;) {
        sct_status status = await(fd, whom, deadline);
        if (status)
            return status;
        ssize_t got = recv(fd, (char *)to + at, bytes - at, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return lose(whom);
        at += got > 0 ? (size_t)got : 0;
    }
    return SCT_OK;
}

/* ---- Connecting ---- */

sct_status sct_rendezvous_create(int rank, int ranks, sct_rendezvous *rendezvous) {
    int count = rank == 0 ? ranks : 1;
    *rendezvous = (sct_rendezvous){.rank = rank,
                                   .ranks = ranks,
                                   .listener = -1,
                                   .fds = malloc((size_t)count * sizeof *rendezvous->fds)};
    if (!rendezvous->fds)
        return sct_no_memory("the connections of ranks");
    for (int i = 0; i < count; i++)
        rendezvous->fds[i] = -1;
    return SCT_OK;
}

static void close_one(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void sct_rendezvous_close_listener(sct_rendezvous *rendezvous) {
    close_one(&rendezvous->listener);
}

void sct_rendezvous_close(sct_rendezvous *rendezvous) {
    int count = rendezvous->rank == 0 ? rendezvous->ranks : 1;
    for (int i = 0; i < count && rendezvous->fds; i++)
        close_one(&rendezvous->fds[i]);
    if (rendezvous->fds)
        sct_rendezvous_close_listener(rendezvous);
}

void sct_rendezvous_destroy(sct_rendezvous *rendezvous) {
    sct_rendezvous_close(rendezvous);
    free(rendezvous->fds);
    rendezvous->fds = NULL;
}

/* Another user of the host may listen to a port at which a rank is looking for rank 0. What it is
 * sent there proves nothing at the port where rank 0 is, nor, as rank 0 draws the opening, if rank
 * 0 takes that port later. */
static sct_siphash_key key_of_port(sct_siphash_key key, in_port_t port,
                                   const sct_opening *opening) {
    const uint64_t first[] = {port, opening->random, opening->ranks, 0};
    const uint64_t second[] = {port, opening->random, opening->ranks, 1};
    return (sct_siphash_key){
        {sct_siphash(key, first, sizeof first), sct_siphash(key, second, sizeof second)}};
}

static void set_up(int fd) {
    sct_socket_set_up(fd);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
}

/* Fails if any rank is missing. The reason names the first one. It also names a rank that has
 * connected twice, since two processes may have the same number, and a rank whose number is too
 * high, since it may belong to a larger world. */
static sct_status check_missing(const sct_rendezvous *rendezvous, const char *where, int seconds,
                                const sct_unexpected *unexpected) {
    char twice[48] = "", beyond[64] = "";
    int missing = 0, first = 0;
    if (unexpected->again > 0)
        snprintf(twice, sizeof twice, "; rank %d has come twice", unexpected->again);
    if (unexpected->beyond > 0)
        snprintf(beyond, sizeof beyond, "; rank %d has come, which is none of %d",
                 unexpected->beyond, rendezvous->ranks);
    for (int rank = rendezvous->ranks - 1; rank > 0; rank--)
        if (rendezvous->fds[rank] < 0) {
            missing++;
            first = rank;
        }
    if (missing == 0)
        return SCT_OK;
    return sct_fail(SCT_FAILED,
                    "%d of %d ranks, the first of them rank %d, have not come to rank 0 at %s "
                    "within %d s, as SECTILE_START_SECONDS limits the start%s%s",
                    missing, rendezvous->ranks, first, where, seconds, twice, beyond);
}

/* Each rank sends, when it has come, as one of how many it was started. */
static sct_status check_count(const sct_rendezvous *rendezvous, int rank,
                              const sct_deadline *deadline) {
    char whom[32];
    uint64_t ranks;
    snprintf(whom, sizeof whom, "rank %d", rank);
    sct_status status = receive_all(rendezvous->fds[rank], whom, &ranks, sizeof ranks, deadline);
    if (status || ranks == (uint64_t)rendezvous->ranks)
        return status;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "rank %d was started as one of %llu ranks, but rank 0 as one of %d", rank,
                    (unsigned long long)ranks, rendezvous->ranks);
}

sct_status sct_rendezvous_host(sct_rendezvous *rendezvous, sct_siphash_key key, in_port_t port,
                               const char *where) {
    sct_opening opening = {.ranks = (uint64_t)rendezvous->ranks};
    sct_deadline deadline = sct_deadline_begin();
    if (getrandom(&opening.random, sizeof opening.random, 0) != sizeof opening.random)
        return sct_fail(SCT_FAILED, "no random numbers: %s", strerror(errno));
    sct_unexpected unexpected;
    sct_status status = sct_hello_answer(key_of_port(key, port, &opening), &opening,
                                         rendezvous->listener, where, rendezvous->fds, &unexpected);
    for (int rank = 1; rank < rendezvous->ranks && !status; rank++) {
        if (rendezvous->fds[rank] < 0)
            continue;
        set_up(rendezvous->fds[rank]);
        status = check_count(rendezvous, rank, &deadline);
    }
    return status ? status : check_missing(rendezvous, where, deadline.seconds, &unexpected);
}

/* Whether rank 0 with the same key is at the other end. */
static bool exchange_hellos(int fd, sct_siphash_key key, in_port_t port, int rank,
                            const sct_deadline *limit, sct_opening *opening, const char **why) {
    sct_hello answer = {.rank = 0};
    sct_deadline until = sct_deadline_within(limit, ANSWER_S);
    *why = "who listens there does not answer";
    if (receive_all(fd, "", opening, sizeof *opening, &until) != SCT_OK)
        return false;
    sct_siphash_key bound = key_of_port(key, port, opening);
    const sct_hello hello = sct_hello_make(bound, rank, 0);
    const sct_hello wanted = sct_hello_make(bound, 0, rank);
    until = sct_deadline_within(limit, ANSWER_S);
    bool answered = send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello &&
                    receive_all(fd, "", &answer, sizeof answer, &until) == SCT_OK;
    if (sct_deadline_left_ms(&until) > 0)
        *why = "who listens there has another key";
    return answered && answer.rank == wanted.rank && answer.wanted == wanted.wanted &&
           answer.proof == wanted.proof;
}

/* The connection is the rendezvous's from the start, so that no process that is forked meanwhile
 * keeps it. */
sct_status sct_rendezvous_greet(sct_rendezvous *rendezvous, sct_siphash_key key, in_port_t port,
                                int fd, const sct_deadline *limit, const char **why) {
    sct_opening opening;
    rendezvous->fds[0] = fd;
    const uint64_t ranks = (uint64_t)rendezvous->ranks;
    bool proven = exchange_hellos(fd, key, port, rendezvous->rank, limit, &opening, why);
    if (proven)
        (void)send(fd, &ranks, sizeof ranks, MSG_NOSIGNAL);
    if (!proven || opening.ranks != ranks)
        close_one(&rendezvous->fds[0]);
    if (!proven)
        return SCT_OK;
    if (opening.ranks != ranks)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "rank 0 was started as one of %lld ranks, but rank %d as one of %d",
                        (long long)opening.ranks, rendezvous->rank, rendezvous->ranks);
    set_up(fd);
    return SCT_OK;
}

/* ---- Gathering ---- */

static sct_status send_frame(int fd, const char *whom, uint64_t kind, const void *from,
                             size_t bytes) {
    head sent = {kind, bytes};
    sct_status status = send_all(fd, whom, &sent, sizeof sent);
    return status ? status : send_all(fd, whom, from, bytes);
}

/* Fails if the other end sends something else than that. */
static sct_status receive_frame(int fd, const char *whom, uint64_t kind, void *to, size_t bytes,
                                const sct_deadline *deadline) {
    head got;
    sct_status status = receive_all(fd, whom, &got, sizeof got, deadline);
    if (status)
        return status;
    if (got.kind != kind || got.bytes != bytes)
        return sct_fail(SCT_FAILED, "%s has sent something else", whom);
    return receive_all(fd, whom, to, bytes, deadline);
}

sct_status sct_rendezvous_ask(int fd, int ranks, const char *whom, const void *mine, size_t bytes,
                              void *all) {
    sct_deadline deadline = sct_deadline_begin();
    sct_status status = send_frame(fd, whom, KIND_GATHER, mine, bytes);
    return status ? status
                  : receive_frame(fd, whom, KIND_ALL, all, (size_t)ranks * bytes, &deadline);
}

/* What rank 0 does: receives from all, then sends to all. */
static sct_status serve(const sct_rendezvous *rendezvous, const void *mine, size_t bytes,
                        void *all) {
    sct_deadline deadline = sct_deadline_begin();
    char whom[32];
    sct_status status = SCT_OK;
    memcpy(all, mine, bytes);
    for (int rank = 1; rank < rendezvous->ranks && !status; rank++) {
        snprintf(whom, sizeof whom, "rank %d", rank);
        status = receive_frame(rendezvous->fds[rank], whom, KIND_GATHER,
                               (char *)all + (size_t)rank * bytes, bytes, &deadline);
    }
    for (int rank = 1; rank < rendezvous->ranks && !status; rank++) {
        snprintf(whom, sizeof whom, "rank %d", rank);
        status = send_frame(rendezvous->fds[rank], whom, KIND_ALL, all,
                            (size_t)rendezvous->ranks * bytes);
    }
    return status;
}

sct_status sct_rendezvous_gather(const sct_rendezvous *rendezvous, const void *mine, size_t bytes,
                                 void *all) {
    if (rendezvous->rank > 0)
        return sct_rendezvous_ask(rendezvous->fds[0], rendezvous->ranks, "rank 0", mine, bytes,
                                  all);
    sct_status status = serve(rendezvous, mine, bytes, all);
    /* The others must not wait for what cannot come any more. */
    for (int rank = 1; rank < rendezvous->ranks && status; rank++)
        shutdown(rendezvous->fds[rank], SHUT_RDWR);
    return status;
}
