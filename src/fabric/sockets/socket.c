/* socket.c - opens sockets; lists and chooses addresses. All addresses are kept as of IPv6, where
 * those of IPv4 are ::ffff:a.b.c.d. */
#include "fabric/sockets/socket.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { TIMEOUT_S = 3 };

static bool lose(int *fd) {
    int why = errno;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = why;
    return false;
}

/* Room for many that connect, so that strangers keep no rank out. */
static bool listen_one(int family, in_port_t port, int *fd) {
    struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = port};
    struct sockaddr_in one = {.sin_family = AF_INET, .sin_port = port};
    bool of_both = family == AF_INET6;
    int off = 0, on = port != 0;
    *fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && (!of_both || !setsockopt(*fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off)) &&
        !setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        (of_both ? !bind(*fd, (struct sockaddr *)&both, sizeof both)
                 : !bind(*fd, (struct sockaddr *)&one, sizeof one)) &&
        !listen(*fd, SOMAXCONN))
        return true;
    return lose(fd);
}

bool sct_socket_listen(in_port_t port, int *fd, in_port_t *bound) {
    union {
        struct sockaddr any;
        struct sockaddr_in one;
        struct sockaddr_in6 both;
    } name = {.both = {.sin6_port = 0}};
    socklen_t length = sizeof name;
    /* a host without IPv6 refuses the socket or its address, but an occupied port is occupied */
    if (!listen_one(AF_INET6, port, fd) && (errno == EADDRINUSE || !listen_one(AF_INET, port, fd)))
        return false;
    if (getsockname(*fd, &name.any, &length))
        return lose(fd);
    *bound = name.any.sa_family == AF_INET6 ? name.both.sin6_port : name.one.sin_port;
    return true;
}

/* Of a timeout, 0 means none. */
bool sct_socket_connect(const struct sockaddr *name, socklen_t length, const sct_deadline *limit,
                        int *fd) {
    const sct_deadline until = sct_deadline_within(limit, TIMEOUT_S);
    const int ms = sct_deadline_left_ms(&until);
    const struct timeval none = {.tv_sec = 0};
    const struct timeval timeout = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 + 1};
    *fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && !setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) &&
        !connect(*fd, name, length) &&
        !setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none))
        return true;
    return lose(fd);
}

/* Packets that want a connection are sent so often again, after 1, 2, 4 and 8 s. */
bool sct_socket_begin(const struct sockaddr *name, socklen_t length, int *fd) {
    int again = 3;
    *fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd >= 0 && !setsockopt(*fd, IPPROTO_TCP, TCP_SYNCNT, &again, sizeof again) &&
        (!connect(*fd, name, length) || errno == EINPROGRESS))
        return true;
    return lose(fd);
}

/* The system asks a host from which nothing has come for a while, and gives it a minute, since
 * networks may pause. */
static void notice_silence(int fd) {
    int yes = 1, idle_s = 20, again_s = 10, times = 4;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &again_s, sizeof again_s);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

void sct_socket_set_up(int fd) {
    int yes = 1;
    notice_silence(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* ---- Addresses ---- */

enum { BITS = 128, IPV4_BITS = 32, IPV4_AT = 12 }; /* IPV4_AT: the byte where one of IPv4 begins */

static struct in6_addr mapped(struct in_addr address) {
    struct in6_addr made = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(&made.s6_addr[IPV4_AT], &address, sizeof address);
    return made;
}

static int count_bits(const void *mask, int bytes) {
    int bits = 0;
    for (int i = 0; i < bytes; i++)
        bits += __builtin_popcount(((const unsigned char *)mask)[i]);
    return bits;
}

/* ---- Listing ---- */

static void add(sct_addresses *mine, struct in6_addr address, int bits) {
    if (mine->count == SCT_MOST_ADDRESSES)
        return;
    mine->of[mine->count] = address;
    mine->bits[mine->count++] = (uint8_t)bits;
}

/* Addresses of one link alone name no interface elsewhere. */
static void add_usable(sct_addresses *mine, const struct ifaddrs *at, bool loopback) {
    const struct sockaddr *address = at->ifa_addr, *mask = at->ifa_netmask;
    if (!address || !mask || !(at->ifa_flags & IFF_UP) ||
        loopback != ((at->ifa_flags & IFF_LOOPBACK) != 0))
        return;
    if (address->sa_family == AF_INET) {
        const struct in_addr *of_mask = &((const struct sockaddr_in *)mask)->sin_addr;
        add(mine, mapped(((const struct sockaddr_in *)address)->sin_addr),
            BITS - IPV4_BITS + count_bits(of_mask, sizeof *of_mask));
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *one = &((const struct sockaddr_in6 *)address)->sin6_addr;
        const struct in6_addr *of_mask = &((const struct sockaddr_in6 *)mask)->sin6_addr;
        if (!IN6_IS_ADDR_LINKLOCAL(one))
            add(mine, *one, count_bits(of_mask, sizeof *of_mask));
    }
}

void sct_addresses_list(sct_addresses *mine) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all))
        all = NULL;
    for (int loopback = 0; loopback < 2 && mine->count == 0; loopback++)
        for (const struct ifaddrs *at = all; at; at = at->ifa_next)
            add_usable(mine, at, loopback);
    if (all)
        freeifaddrs(all);
    if (mine->count == 0)
        add(mine, mapped((struct in_addr){htonl(INADDR_LOOPBACK)}), BITS);
}

/* ---- Choosing ---- */

static bool same_network(const struct in6_addr *a, const struct in6_addr *b, int bits) {
    for (int i = 0; i < bits; i++)
        if ((a->s6_addr[i / 8] ^ b->s6_addr[i / 8]) & 0x80 >> i % 8)
            return false;
    return true;
}

static bool has(const sct_addresses *ranks, const struct in6_addr *address) {
    for (int i = 0; i < ranks->count; i++)
        if (same_network(&ranks->of[i], address, BITS))
            return true;
    return false;
}

static bool has_family_of(const sct_addresses *ranks, const struct in6_addr *address) {
    for (int i = 0; i < ranks->count; i++)
        if (!IN6_IS_ADDR_V4MAPPED(&ranks->of[i]) == !IN6_IS_ADDR_V4MAPPED(address))
            return true;
    return false;
}

/* How late an address is tried: in the order of this rank's networks that it is in, then by family.
 * If both ranks have the same address, they are on one machine, or each machine has a private
 * network of its own with that address. */
static int delay_of(const sct_addresses *mine, const struct in6_addr *theirs) {
    bool common = has(mine, theirs);
    for (int i = 0; i < mine->count && !common; i++)
        if (same_network(&mine->of[i], theirs, mine->bits[i]))
            return i;
    return has_family_of(mine, theirs) ? mine->count : mine->count + 1;
}

void sct_address_choose(const sct_addresses *mine, const struct in6_addr *theirs,
                        struct in6_addr *chosen) {
    if (delay_of(mine, theirs) < delay_of(mine, chosen))
        *chosen = *theirs;
}

struct in6_addr sct_addresses_choose(const sct_addresses *mine, const sct_addresses *theirs) {
    struct in6_addr chosen = theirs->of[0];
    for (int i = 1; i < theirs->count; i++)
        sct_address_choose(mine, &theirs->of[i], &chosen);
    return chosen;
}

socklen_t sct_address_name(const struct in6_addr *address, in_port_t port,
                           struct sockaddr_storage *name) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        struct sockaddr_in *made = (struct sockaddr_in *)name;
        *made = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
        memcpy(&made->sin_addr, &address->s6_addr[IPV4_AT], sizeof made->sin_addr);
        return sizeof *made;
    }
    *(struct sockaddr_in6 *)name =
        (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = *address};
    return sizeof(struct sockaddr_in6);
}
