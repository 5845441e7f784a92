/* sockets_scarce.c - the wire of sockets where a host lacks something: addresses, IPv6, sockets,
 * memory. What one rank lacks, all ranks are told. */
#include "fabric/sockets/socket.h"
#include "fabric/sockets/sockets.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/alloc_faults.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 3, VICTIM = 1, MANY = SCT_MOST_ADDRESSES + 4 };

/* ---- What fails ---- */

typedef enum lack {
    NOTHING,
    IPV6,
    IPV6_ADDRESSES,
    SOCKETS,
    LISTENING,
    ANSWERS, /* to packets that want a connection */
    RANDOM_NUMBERS,
    WATCHING,
    INTERFACES, /* they cannot be listed */
    FEW_INTERFACES
} lack;

/* What this thread lacks. */
static _Thread_local lack lacking;

int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
int __real_bind(int file, const struct sockaddr *name, socklen_t length);
int __wrap_bind(int file, const struct sockaddr *name, socklen_t length);
int __real_listen(int file, int most);
int __wrap_listen(int file, int most);
int __real_connect(int file, const struct sockaddr *name, socklen_t length);
int __wrap_connect(int file, const struct sockaddr *name, socklen_t length);
ssize_t __real_getrandom(void *to, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *to, size_t bytes, unsigned flags);
int __real_epoll_ctl(int poll, int what, int file, struct epoll_event *event);
int __wrap_epoll_ctl(int poll, int what, int file, struct epoll_event *event);
int __real_getifaddrs(struct ifaddrs **list);
int __wrap_getifaddrs(struct ifaddrs **list);
void __real_freeifaddrs(struct ifaddrs *list);
void __wrap_freeifaddrs(struct ifaddrs *list);

static int fail_with(int error) {
    errno = error;
    return -1;
}

int __wrap_socket(int family, int type, int protocol) {
    bool fails = lacking == SOCKETS || (lacking == IPV6 && family == AF_INET6);
    return fails ? fail_with(lacking == IPV6 ? EAFNOSUPPORT : EMFILE)
                 : __real_socket(family, type, protocol);
}

int __wrap_bind(int file, const struct sockaddr *name, socklen_t length) {
    bool fails = lacking == IPV6_ADDRESSES && name->sa_family == AF_INET6;
    return fails ? fail_with(EADDRNOTAVAIL) : __real_bind(file, name, length);
}

int __wrap_listen(int file, int most) {
    return lacking == LISTENING ? fail_with(EADDRINUSE) : __real_listen(file, most);
}

/* A listener that accepts nothing, and whose queue is full. */
static struct sockaddr_in silent;

int __wrap_connect(int file, const struct sockaddr *name, socklen_t length) {
    return lacking == ANSWERS
               ? __real_connect(file, (const struct sockaddr *)&silent, sizeof silent)
               : __real_connect(file, name, length);
}

ssize_t __wrap_getrandom(void *to, size_t bytes, unsigned flags) {
    return lacking == RANDOM_NUMBERS ? fail_with(ENOSYS) : __real_getrandom(to, bytes, flags);
}

int __wrap_epoll_ctl(int poll, int what, int file, struct epoll_event *event) {
    return lacking == WATCHING ? fail_with(ENOSPC) : __real_epoll_ctl(poll, what, file, event);
}

/* Interfaces that this host emulates to have. */
static struct ifaddrs emulated[MANY];
static int emulated_count;

int __wrap_getifaddrs(struct ifaddrs **list) {
    if (lacking == INTERFACES)
        return fail_with(ENOBUFS);
    if (lacking != FEW_INTERFACES)
        return __real_getifaddrs(list);
    *list = emulated_count > 0 ? emulated : NULL;
    return 0;
}

void __wrap_freeifaddrs(struct ifaddrs *list) {
    if (list != emulated)
        __real_freeifaddrs(list);
}

/* ---- Addresses ---- */

static void pretend(int count) {
    static struct sockaddr_in addresses[MANY], mask;
    mask = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(0xffffff00)}};
    emulated_count = count;
    for (int i = 0; i < count; i++) {
        addresses[i] =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(0x0a000001U + i)}};
        emulated[i] = (struct ifaddrs){.ifa_next = i + 1 < count ? &emulated[i + 1] : NULL,
                                       .ifa_flags = IFF_UP,
                                       .ifa_addr = (struct sockaddr *)&addresses[i],
                                       .ifa_netmask = (struct sockaddr *)&mask};
    }
}

/* A host that reaches itself alone, and that by IPv6. */
static void pretend_loopback(void) {
    static struct sockaddr_in6 address, mask;
    address = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    memset(&mask.sin6_addr, 0xff, sizeof mask.sin6_addr);
    emulated_count = 1;
    emulated[0] = (struct ifaddrs){.ifa_flags = IFF_UP | IFF_LOOPBACK,
                                   .ifa_addr = (struct sockaddr *)&address,
                                   .ifa_netmask = (struct sockaddr *)&mask};
}

/* How many addresses are listed, and the first. */
static void check_list(lack what, int count, const char *first) {
    char text[INET6_ADDRSTRLEN] = "";
    sct_addresses listed = {.count = 0};
    lacking = what;
    sct_addresses_list(&listed);
    lacking = NOTHING;
    inet_ntop(AF_INET6, &listed.of[0], text, sizeof text);
    CHECK_CASE(listed.count == count && strcmp(text, first) == 0, "%d addresses, first %s",
               (int)listed.count, text);
}

static void test_addresses(void) {
    check_list(INTERFACES, 1, "::ffff:127.0.0.1");
    pretend(0);
    check_list(FEW_INTERFACES, 1, "::ffff:127.0.0.1");
    pretend_loopback();
    check_list(FEW_INTERFACES, 1, "::1");
    pretend(MANY);
    check_list(FEW_INTERFACES, SCT_MOST_ADDRESSES, "::ffff:10.0.0.1");
}

/* Where two have no family in common, the other's first address is tried. */
static void test_families(void) {
    char text[INET6_ADDRSTRLEN] = "";
    sct_addresses mine = {.count = 1, .bits = {120}}, theirs = {.count = 2, .bits = {64, 64}};
    inet_pton(AF_INET6, "::ffff:10.0.0.1", &mine.of[0]);
    inet_pton(AF_INET6, "2001:db8::1", &theirs.of[0]);
    inet_pton(AF_INET6, "2001:db8::2", &theirs.of[1]);
    const struct in6_addr chosen = sct_addresses_choose(&mine, &theirs);
    inet_ntop(AF_INET6, &chosen, text, sizeof text);
    CHECK_CASE(strcmp(text, "2001:db8::1") == 0, "%s", text);
}

/* ---- Wires ---- */

typedef struct member {
    rank_thread thread;
    lack lacks;
    sct_status status;
    char reason[SCT_REASON_BYTES];
} member;

static void *join(void *arg) {
    member *self = arg;
    sct_bootstrap ranks = rank_threads_bootstrap(&self->thread);
    sct_wire *wire = NULL;
    lacking = self->lacks;
    self->status = sct_sockets_create(&ranks, &wire);
    snprintf(self->reason, sizeof self->reason, "%s", self->status ? sct_last_reason() : "");
    CHECK((self->status == SCT_OK) == (wire != NULL));
    if (wire)
        wire->ops->close(wire);
    return NULL;
}

static int open_files(void) {
    enum { SOME = 256 };
    int open = 0;
    for (int file = 0; file < SOME; file++)
        open += fcntl(file, F_GETFD) >= 0;
    return open;
}

/* Returns its descriptors. */
static void make_silent(int fds[3]) {
    socklen_t length = sizeof silent;
    silent = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    for (int i = 0; i < 3; i++)
        fds[i] = socket(AF_INET, SOCK_STREAM | (i > 0 ? SOCK_NONBLOCK : 0), 0);
    CHECK(bind(fds[0], (struct sockaddr *)&silent, sizeof silent) == 0 && listen(fds[0], 0) == 0);
    CHECK(getsockname(fds[0], (struct sockaddr *)&silent, &length) == 0);
    for (int i = 1; i < 3; i++)
        (void)connect(fds[i], (struct sockaddr *)&silent, sizeof silent);
}

static void test_creation(void) {
    static const struct {
        lack lacks;
        const char *reason;
    } cases[] = {
        {SOCKETS, "sockets: rank 1 cannot listen: Too many open files"},
        {LISTENING, "sockets: rank 1 cannot listen: Address already in use"},
        {RANDOM_NUMBERS, "sockets: rank 1 cannot get random numbers: Function not implemented"},
        {ANSWERS, "sockets: rank 1 cannot connect to rank 0: no answer"},
        {WATCHING, "sockets: rank 1 cannot watch a connection: No space left on device"},
        {IPV6, ""},
        {IPV6_ADDRESSES, ""},
        {INTERFACES, ""}};
    int queued[3];
    make_silent(queued);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        member members[RANKS] = {{.lacks = NOTHING}};
        const char *reason = cases[i].reason;
        for (int r = 0; r < RANKS; r++)
            if (r == VICTIM || !reason[0])
                members[r].lacks = cases[i].lacks;
        int files = open_files();
        rank_threads_run(RANKS, join, members, sizeof *members);
        CHECK_CASE(open_files() == files, "case %zu leaves files open", i);
        for (int r = 0; r < RANKS; r++)
            CHECK_CASE(members[r].status == (reason[0] ? SCT_NO_ENGINE : SCT_OK) &&
                           strcmp(members[r].reason, reason) == 0,
                       "case %zu, rank %d: %s", i, r, members[r].reason);
    }
    for (int i = 0; i < 3; i++)
        close(queued[i]);
}

/* ---- Messages ---- */

static int gather_own(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    memcpy(all, mine, bytes);
    return 0;
}

static void refused(sct_status is, sct_status expected, const char *reason) {
    CHECK_CASE(is == expected && strstr(sct_last_reason(), reason), "%s", sct_last_reason());
}

/* A rank alone, which sends to itself. Each receive takes a slot; when they are used up, no memory
 * is left for more, be it of a message that is sent or of one that arrives early. */
static void test_messages(void) {
    enum { SLOTS = 64, ASKED, SENT };
    const sct_bootstrap alone = {.size = sizeof alone, .ranks = 1, .allgather = gather_own};
    char bytes[100] = "";
    sct_wire *wire;
    sct_message message;
    if (!CHECK(sct_sockets_create(&alone, &wire) == SCT_OK))
        return;
    const sct_wire_ops *ops = wire->ops;
    CHECK(ops->send(wire, 0, SENT, bytes, 50, &message) == SCT_OK);
    refused(ops->receive(wire, 0, SENT, bytes, 51, &message), SCT_FAILED,
            "rank 0 sent 50 bytes instead of 51");
    for (int used = 2; used < SLOTS - 1; used++)
        CHECK(ops->receive(wire, 0, ASKED, bytes, 1, &message) == SCT_OK);
    alloc_countdown = 1; /* the first is for the bytes of the message */
    refused(ops->send(wire, 0, SENT, bytes, 1, &message), SCT_NO_MEMORY, "one more message");
    CHECK(alloc_countdown < 0);
    alloc_countdown = 0;
    refused(ops->send(wire, 0, SENT, bytes, 1, &message), SCT_NO_MEMORY, "one more message");
    alloc_countdown = -1;
    CHECK(ops->send(wire, 0, SENT, bytes, 1, &message) == SCT_OK);
    ops->close(wire);
}

int main(void) {
    test_addresses();
    test_families();
    test_creation();
    test_messages();
    return check_report("sockets_scarce");
}
