/* sockets_strangers.c - strangers that call the ranks of a wire of sockets: in every way, by IPv4
 * and by IPv6, before the ranks connect, while they do, and afterwards. They change nothing. */
#include "support/check.h"
#include "support/socket_team.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* OF_EACH: more than the ranks could be kept waiting for, one after the other. LIMIT_MS: less than
 * any wait for a stranger, which would be of seconds. */
enum { OF_EACH = 20, HELLO = 16, LONG = 4096, MOST_STRANGERS = 1000, LIMIT_MS = 1000 };

/* What a stranger says, and then nothing more. */
typedef struct manner {
    const char *name;
    size_t bytes;
    int32_t words[HELLO / sizeof(int32_t)]; /* and zeros */
} manner;

/* The hellos name ranks that are waited for, but prove nothing. */
static const manner manners[] = {
    {"is silent", 0, {0}},
    {"says half a hello", HELLO / 2, {SOCKET_RANKS - 1}},
    {"says all but a byte of a hello", HELLO - 1, {SOCKET_RANKS - 1}},
    {"says garbage", HELLO, {0x20544547, 0x5448202f}},
    {"says much garbage", LONG, {0x20544547, 0x5448202f}},
    {"says a hello without the key", HELLO, {SOCKET_RANKS - 1, 0, 17, 4}},
    {"says a hello of an impossible rank", HELLO, {-1, 1 << 30, 17, 4}},
};

typedef enum moment { BEFORE, DURING, AFTER, MOMENTS } moment;
static const char *const moments[MOMENTS] = {"before", "during", "after"};

/* What happens now, and the strangers so far. */
static struct scene {
    const manner *manner;
    moment moment;
    int family;
    in_port_t ports[SOCKET_RANKS];
    int fd[MOST_STRANGERS], count;
    struct timespec since;
    pthread_t caller;
    atomic_bool connected; /* all ranks */
} now;

/* ---- Strangers ---- */

static int call_port(in_port_t port) {
    struct sockaddr_in one = {.sin_family = AF_INET, .sin_port = port};
    struct sockaddr_in6 other = {
        .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(now.family, SOCK_STREAM, 0);
    one.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int failed = now.family == AF_INET ? connect(fd, (struct sockaddr *)&one, sizeof one)
                                       : connect(fd, (struct sockaddr *)&other, sizeof other);
    if (!failed)
        return fd;
    CHECK_CASE(errno == ECONNREFUSED || errno == ECONNRESET, "%s", strerror(errno));
    close(fd);
    return -1;
}

/* False if nobody listens there any more. */
static bool call_and_speak(in_port_t port) {
    static const char zeros[LONG];
    int fd = call_port(port);
    if (fd < 0)
        return false;
    (void)send(fd, now.manner->words, now.manner->bytes < HELLO ? now.manner->bytes : HELLO,
               MSG_NOSIGNAL);
    if (now.manner->bytes > HELLO)
        (void)send(fd, zeros, now.manner->bytes - HELLO, MSG_NOSIGNAL);
    now.fd[now.count++] = fd;
    return true;
}

/* Calls all ranks as long as they listen. */
static void *keep_calling(void *ignored) {
    bool heard = true;
    while (heard && !atomic_load(&now.connected) &&
           now.count + 2 * SOCKET_RANKS <= MOST_STRANGERS) {
        heard = false;
        for (int r = 0; r < SOCKET_RANKS; r++)
            heard |= call_and_speak(now.ports[r]);
    }
    return ignored;
}

/* Finds all listening sockets of this process. */
static void find_ports(void) {
    int found = 0;
    for (int fd = 0; fd < 100 && found < SOCKET_RANKS; fd++) {
        int listens = 0;
        struct sockaddr_in6 name = {.sin6_port = 0}; /* at the same place as one of IPv4 */
        socklen_t size = sizeof listens, length = sizeof name;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens)
            continue;
        CHECK(getsockname(fd, (struct sockaddr *)&name, &length) == 0);
        now.ports[found++] = name.sin6_port;
    }
    CHECK(found == SOCKET_RANKS);
}

/* When all ranks listen, and none has connected yet. */
static void begin(void) {
    find_ports();
    for (int i = 0; now.moment == BEFORE && i < OF_EACH * SOCKET_RANKS; i++)
        CHECK(call_and_speak(now.ports[i % SOCKET_RANKS]));
    if (now.moment == DURING)
        CHECK(pthread_create(&now.caller, NULL, keep_calling, NULL) == 0);
    clock_gettime(CLOCK_MONOTONIC, &now.since);
}

/* ---- Ranks ---- */

static long waited_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (time.tv_sec - now.since.tv_sec) * 1000 + (time.tv_nsec - now.since.tv_nsec) / 1000000;
}

/* Each rank sends its number to the next. */
static void pass_round(sct_wire *wire) {
    int next = (wire->rank + 1) % wire->size, before = (wire->rank + wire->size - 1) % wire->size;
    int got = -1;
    sct_message sent, received;
    CHECK(wire->ops->receive(wire, before, 0, &got, sizeof got, &received) == SCT_OK);
    CHECK(wire->ops->send(wire, next, 0, &wire->rank, sizeof wire->rank, &sent) == SCT_OK);
    socket_await(wire, sent);
    socket_await(wire, received);
    CHECK(got == before);
}

/* The ranks still listen, for each other. Strangers that have been heard may still speak. */
static void end_strangers(void) {
    static const char more[HELLO];
    atomic_store(&now.connected, true);
    if (now.moment == DURING)
        pthread_join(now.caller, NULL);
    for (int r = 0; r < SOCKET_RANKS; r++)
        CHECK(call_and_speak(now.ports[r]));
    for (int i = 0; i < now.count; i++) {
        (void)send(now.fd[i], more, sizeof more, MSG_NOSIGNAL);
        close(now.fd[i]);
    }
}

static void meet(sct_wire *wire, socket_member *self) {
    long ms = waited_ms();
    CHECK_CASE(ms < LIMIT_MS, "a stranger that %s delays rank %d by %ld ms", now.manner->name,
               wire->rank, ms);
    pass_round(wire);
    socket_team_barrier(self);
    if (wire->rank == 0)
        end_strangers();
    if (wire->rank == 0)
        printf("IPv%d, %s the start: %d strangers, each %s: %ld ms\n",
               now.family == AF_INET ? 4 : 6, moments[now.moment], now.count, now.manner->name, ms);
    socket_team_barrier(self);
    pass_round(wire);
    socket_team_barrier(self);
}

static bool has_family(int family) {
    int fd = socket(family, SOCK_STREAM, 0);
    struct sockaddr_in6 name = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool has =
        fd >= 0 && (family == AF_INET || bind(fd, (struct sockaddr *)&name, sizeof name) == 0);
    if (fd >= 0)
        close(fd);
    return has;
}

int main(void) {
    static const int families[] = {AF_INET, AF_INET6};
    for (int f = 0; f < 2; f++)
        for (int m = 0; m < MOMENTS && has_family(families[f]); m++)
            for (size_t i = 0; i < (m == AFTER ? 1 : sizeof manners / sizeof *manners); i++) {
                now = (struct scene){
                    .manner = &manners[i], .moment = (moment)m, .family = families[f]};
                socket_team_run_well((socket_member){.body = meet, .visit = begin});
            }
    return check_report("sockets_strangers");
}
