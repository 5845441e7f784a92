/* socket.c - see socket.h. */
#include "fabric/sockets/socket.h"

#include <errno.h>
#include <netinet/tcp.h>
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

bool sct_socket_connect(const struct sockaddr *name, socklen_t length, int *fd) {
    const struct timeval timeout = {.tv_sec = TIMEOUT_S};
    *fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && !setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) &&
        !connect(*fd, name, length))
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
