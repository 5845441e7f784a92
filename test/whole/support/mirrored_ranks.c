/* mirrored_ranks.c - see mirrored_ranks.h. */
#include "whole/support/mirrored_ranks.h"

#include "support/check.h"

#include "fabric/machine.h"
#include "fabric/service/state.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/state.h"

#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 256, CHUNK = 1 << 16 };

/* A connection of the real rank to another one. */
typedef struct connection {
    int fd, rank;
} connection;

struct mirrored_ranks {
    int rank, ranks, ranks_per_host;
    uint64_t machine;
    int listener; /* of all others */
    in_port_t port;
    sct_siphash_key key;
    in_port_t there; /* where the real rank listens; 0: that is not known yet */
    int addresses;   /* of each rank, which are gathered next */
    pthread_t thread;
    atomic_int count;
    connection links[MOST_LINKS];
    atomic_long messages;
    char chunk[CHUNK];
};

/* ---- The bootstrap ---- */

/* Each host has an address of its own, by which this one reaches itself. */
static struct in6_addr address_of(int host) {
    struct in6_addr made = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127}};
    made.s6_addr[13] = (uint8_t)(1 + (host >> 16));
    made.s6_addr[14] = (uint8_t)(host >> 8);
    made.s6_addr[15] = (uint8_t)host;
    return made;
}

/* What names the machine of the real rank is another's on other hosts. */
static void change_machine(const mirrored_ranks *self, int host, uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i] == self->machine)
            words[i] += 1 + (uint64_t)host;
}

static void *be_others(void *arg);

/* What another rank says, if it is not what the real one does. */
static void change(const mirrored_ranks *self, int rank, size_t bytes, void *theirs) {
    int host = rank / self->ranks_per_host;
    if (bytes == sizeof(sct_endpoint) && !self->there)
        ((sct_endpoint *)theirs)->port = self->port;
    else if (bytes == sizeof(struct in6_addr) && self->addresses > 0)
        *(struct in6_addr *)theirs = address_of(host);
    else if (bytes % sizeof(uint64_t) == 0)
        change_machine(self, host, theirs, bytes / sizeof(uint64_t));
}

static void meet(mirrored_ranks *self, sct_siphash_key key, const sct_endpoint *real) {
    self->key = key;
    self->there = real->port;
    self->addresses = real->addresses;
    CHECK(pthread_create(&self->thread, NULL, be_others, self) == 0);
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    mirrored_ranks *self = context;
    for (int rank = 0; rank < self->ranks; rank++) {
        char *theirs = (char *)all + (size_t)rank * bytes;
        memcpy(theirs, mine, bytes);
        if (rank != self->rank)
            change(self, rank, bytes, theirs);
    }
    if (bytes == sizeof(sct_endpoint) && !self->there)
        meet(self, ((const sct_endpoint *)all)->key, mine);
    else if (bytes == sizeof(struct in6_addr) && self->addresses > 0)
        self->addresses--;
    return 0;
}

/* ---- The others ---- */

static bool receive(int fd, void *to, size_t bytes) {
    return recv(fd, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

static void say(int fd, const void *from, size_t bytes) {
    CHECK(send(fd, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

static int keep(mirrored_ranks *self, int fd, int rank) {
    int on = 1, count = self->count;
    if (CHECK(count < MOST_LINKS)) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        self->links[count] = (connection){fd, rank};
        self->count = count + 1;
    }
    return fd;
}

/* Another rank calls the real one. */
static int call(mirrored_ranks *self, int rank) {
    const sct_hello hello = sct_hello_make(self->key, rank, self->rank);
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = self->there};
    sct_hello answer;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    say(fd, &hello, sizeof hello);
    CHECK(receive(fd, &answer, sizeof answer) && sct_hello_is_proven(self->key, &answer, rank));
    return keep(self, fd, rank);
}

/* The real rank calls another one. */
static void accept_call(mirrored_ranks *self) {
    sct_hello hello;
    int fd = accept(self->listener, NULL, NULL);
    if (!CHECK(fd >= 0 && receive(fd, &hello, sizeof hello) && hello.rank == self->rank))
        return;
    const sct_hello answer = sct_hello_make(self->key, hello.wanted, self->rank);
    say(fd, &answer, sizeof answer);
    keep(self, fd, hello.wanted);
}

static int link_of(mirrored_ranks *self, int rank) {
    for (int i = 0; i < self->count; i++)
        if (self->links[i].rank == rank)
            return self->links[i].fd;
    return call(self, rank);
}

/* Passes on what follows the head of a message; -1: to nobody. */
static void pass_on(mirrored_ranks *self, int from, size_t bytes, int to) {
    for (size_t left = bytes, part; left > 0; left -= part) {
        part = left < CHUNK ? left : CHUNK;
        CHECK(receive(from, self->chunk, part));
        if (to >= 0)
            say(to, self->chunk, part);
    }
}

/* Returns a message. False once the real rank has left. */
static bool mirror(mirrored_ranks *self, const connection *from) {
    sct_head head;
    int fd = from->fd, to = -1;
    if (!receive(fd, &head, sizeof head) || head.kind == SCT_KIND_FAREWELL)
        return false;
    if (head.kind == SCT_KIND_GATHER) {
        to = link_of(self, (int)((2L * self->rank - from->rank + self->ranks) % self->ranks));
        self->messages++;
        say(to, &head, sizeof head);
    }
    pass_on(self, fd, head.bytes, to);
    return true;
}

/* The children of a rank in the tree by which ranks connect (sockets.c). */
static void call_as_children(mirrored_ranks *self) {
    for (int far = 1; self->rank + far < self->ranks && !(self->rank & far); far *= 2)
        call(self, self->rank + far);
}

static void *be_others(void *arg) {
    mirrored_ranks *self = arg;
    call_as_children(self);
    for (;;) {
        struct pollfd watched[MOST_LINKS + 1] = {{self->listener, POLLIN, 0}};
        int count = self->count;
        for (int i = 0; i < count; i++)
            watched[1 + i] = (struct pollfd){self->links[i].fd, POLLIN, 0};
        poll(watched, (nfds_t)count + 1, -1);
        if (watched[0].revents & POLLHUP)
            return NULL;
        if (watched[0].revents)
            accept_call(self);
        for (int i = 0; i < count; i++)
            if (watched[1 + i].revents && !mirror(self, &self->links[i]))
                self->links[i].fd = -1 - self->links[i].fd; /* no longer watched */
    }
}

/* ---- Interface ---- */

mirrored_ranks *mirrored_begin(int rank, int ranks, int ranks_per_host) {
    mirrored_ranks *self = calloc(1, sizeof *self);
    self->rank = rank;
    self->ranks = ranks;
    self->ranks_per_host = ranks_per_host;
    self->machine = sct_find_machine();
    CHECK(sct_socket_listen(0, &self->listener, &self->port));
    return self;
}

sct_bootstrap mirrored_bootstrap(mirrored_ranks *self) {
    return (sct_bootstrap){.size = sizeof(sct_bootstrap),
                           .rank = self->rank,
                           .ranks = self->ranks,
                           .allgather = gather,
                           .context = self};
}

int mirrored_partners(const mirrored_ranks *self) {
    return self->count;
}

long mirrored_messages(const mirrored_ranks *self) {
    return self->messages;
}

void mirrored_end(mirrored_ranks *self) {
    shutdown(self->listener, SHUT_RDWR);
    if (self->there)
        pthread_join(self->thread, NULL);
    for (int i = 0; i < self->count; i++)
        close(self->links[i].fd < 0 ? -1 - self->links[i].fd : self->links[i].fd);
    close(self->listener);
    free(self);
}
