/* sockets_calls.c - what becomes of a rank's call to another, which this test plays: answered late,
 * refused for a while or for good, by somebody with another key, or while the other calls, too. */
#include "fabric/sockets/state.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Ranks 1 and 2 of three are no neighbours in the tree of the start; rank 0 is the parent of both.
 * One of them is a rank, and the test plays the others. */
enum { RANKS = 3, KIND = 5 };

static const sct_siphash_key key = {{3, 4}}, other_key = {{3, 5}};

/* ---- The other ranks ---- */

typedef struct scene {
    int rank;            /* the one that is a rank */
    int listener[RANKS]; /* of the others */
    int parent;          /* the connection to rank 0 */
    in_port_t port[RANKS];
} scene;

static int listen_at(in_port_t *port) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = *port};
    socklen_t length = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    CHECK(bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && listen(fd, 5) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&name, &length) == 0);
    *port = name.sin_port;
    return fd;
}

static void say_hello(int fd, sct_siphash_key with, int rank, int wanted) {
    const sct_hello hello = sct_hello_make(with, rank, wanted);
    CHECK(send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello);
}

/* Whether the next that comes is the hello of that rank. */
static bool has_hello(int fd, int rank, int wanted) {
    const sct_hello right = sct_hello_make(key, rank, wanted);
    sct_hello got;
    return recv(fd, &got, sizeof got, MSG_WAITALL) == sizeof got &&
           memcmp(&got, &right, sizeof got) == 0;
}

static void *be_parent(void *arg) {
    scene *self = arg;
    self->parent = accept(self->listener[0], NULL, NULL);
    CHECK(has_hello(self->parent, self->rank, 0));
    say_hello(self->parent, key, 0, self->rank);
    return NULL;
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    const scene *self = context;
    for (int rank = 0; rank < RANKS; rank++)
        memcpy((char *)all + (size_t)rank * bytes, mine, bytes);
    sct_endpoint *endpoints = all;
    for (int rank = 0; rank < RANKS && bytes == sizeof *endpoints; rank++) {
        endpoints[rank].key = key;
        if (rank != self->rank)
            endpoints[rank] = (sct_endpoint){key, 1, self->port[rank]};
    }
    struct in6_addr *addresses = all;
    for (int rank = 0; rank < RANKS && bytes == sizeof *addresses; rank++)
        if (rank != self->rank)
            inet_pton(AF_INET6, "::ffff:127.0.0.1", &addresses[rank]);
    return 0;
}

static sct_wire *begin(scene *self, int rank) {
    pthread_t parent;
    const sct_bootstrap ranks = {
        .size = sizeof ranks, .rank = rank, .ranks = RANKS, .allgather = gather, .context = self};
    sct_wire *wire = NULL;
    *self = (scene){.rank = rank, .listener = {-1, -1, -1}};
    for (int other = 0; other < RANKS; other++)
        if (other != rank)
            self->listener[other] = listen_at(&self->port[other]);
    pthread_create(&parent, NULL, be_parent, self);
    CHECK_CASE(sct_sockets_create(&ranks, &wire) == SCT_OK, "%s", sct_last_reason());
    pthread_join(parent, NULL);
    return wire;
}

static void end(scene *self, sct_wire *wire) {
    wire->ops->close(wire);
    close(self->parent);
    for (int rank = 0; rank < RANKS; rank++)
        if (self->listener[rank] >= 0)
            close(self->listener[rank]);
}

/* ---- The rank ---- */

static const char word[] = "word";

static sct_message send_word(sct_wire *wire, int to) {
    sct_message message = 0;
    CHECK_CASE(wire->ops->send(wire, to, KIND, word, sizeof word, &message) == SCT_OK, "%s",
               sct_last_reason());
    return message;
}

/* Makes progress for some milliseconds, or until it fails. */
static sct_status go_on(sct_wire *wire, int ms) {
    sct_status status = SCT_OK;
    for (int i = 0; i < ms && status == SCT_OK; i++) {
        status = wire->ops->progress(wire);
        usleep(1000);
    }
    return status;
}

/* The word arrives, and nothing before it. */
static void check_word(sct_wire *wire, sct_message message, int fd) {
    struct {
        sct_head head;
        char word[sizeof word];
    } got;
    bool done = false;
    CHECK_CASE(go_on(wire, 20) == SCT_OK, "%s", sct_last_reason());
    CHECK(wire->ops->test(wire, message, &done) == SCT_OK && done);
    size_t bytes = sizeof got.head + sizeof word;
    CHECK(recv(fd, &got, bytes, MSG_DONTWAIT) == (ssize_t)bytes && got.head.kind == KIND &&
          got.head.bytes == sizeof word && strcmp(got.word, word) == 0);
}

static bool is_silent(int fd) {
    char byte;
    return recv(fd, &byte, 1, MSG_DONTWAIT) < 0;
}

static bool is_closed(int fd) {
    char byte;
    return recv(fd, &byte, 1, 0) <= 0;
}

static int accept_call(scene *self, sct_wire *wire, int rank) {
    CHECK(go_on(wire, 20) == SCT_OK);
    int fd = accept(self->listener[rank], NULL, NULL);
    CHECK(has_hello(fd, self->rank, rank));
    return fd;
}

static int call(const sct_wire *wire) {
    const sct_reception *reception = &((const sct_sockets *)wire)->reception;
    struct sockaddr_in6 name; /* the port is where that of IPv4 is, too */
    socklen_t length = sizeof name;
    CHECK(getsockname(reception->listener, (struct sockaddr *)&name, &length) == 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = name.sin6_port};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&here, sizeof here) == 0);
    return fd;
}

/* Nothing is sent to who has not proven yet to be the rank, however long that takes. */
static void answer_late(void) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    const sct_hello answer = sct_hello_make(key, 2, 1);
    sct_message message = send_word(wire, 2);
    int fd = accept_call(&self, wire, 2);
    CHECK(is_silent(fd) && send(fd, &answer, 7, MSG_NOSIGNAL) == 7);
    CHECK(go_on(wire, 50) == SCT_OK && is_silent(fd));
    CHECK(send(fd, (const char *)&answer + 7, sizeof answer - 7, MSG_NOSIGNAL) > 0);
    check_word(wire, message, fd);
    close(fd);
    end(&self, wire);
}

/* Who answers must have the key, and be the rank that was called. */
static void answer_wrongly(sct_siphash_key with, int rank) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    send_word(wire, 2);
    int fd = accept_call(&self, wire, 2);
    say_hello(fd, with, rank, 1);
    CHECK(go_on(wire, 1000) == SCT_FAILED);
    CHECK_CASE(!strcmp(sct_last_reason(),
                       "sockets: rank 1 has connected to rank 2, but who answers "
                       "has another key"),
               "%s", sct_last_reason());
    CHECK(is_closed(fd));
    close(fd);
    end(&self, wire);
}

/* A rank that was refused, or turned away, calls again. */
static void refuse(bool for_good) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    sct_message message = send_word(wire, 2);
    close(accept_call(&self, wire, 2));
    CHECK(go_on(wire, 20) == SCT_OK);
    close(self.listener[2]);
    self.listener[2] = -1;
    CHECK_CASE(go_on(wire, 500) == SCT_OK, "%s", sct_last_reason());
    if (for_good) {
        CHECK(go_on(wire, 20000) == SCT_FAILED);
        CHECK_CASE(!strcmp(sct_last_reason(),
                           "sockets: rank 1 cannot connect to rank 2: Connection refused"),
                   "%s", sct_last_reason());
    } else {
        self.listener[2] = listen_at(&self.port[2]);
        CHECK(go_on(wire, 400) == SCT_OK);
        int fd = accept_call(&self, wire, 2);
        say_hello(fd, key, 2, 1);
        check_word(wire, message, fd);
        close(fd);
    }
    end(&self, wire);
}

/* Both call: the lower rank refuses the call of the higher one, and goes on with its own. */
static void be_lower(void) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    sct_message message = send_word(wire, 2);
    int called = accept_call(&self, wire, 2), calling = call(wire);
    say_hello(calling, key, 2, 1);
    CHECK(go_on(wire, 20) == SCT_OK && is_closed(calling) && is_silent(called));
    say_hello(called, key, 2, 1);
    check_word(wire, message, called);
    close(called);
    close(calling);
    end(&self, wire);
}

/* The higher rank gives up its own call, whether or not that has been refused. */
static void be_higher(bool refused) {
    scene self;
    sct_wire *wire = begin(&self, 2);
    sct_message message = send_word(wire, 1);
    int called = accept_call(&self, wire, 1), calling;
    if (refused)
        close(called);
    CHECK(go_on(wire, 20) == SCT_OK);
    say_hello(calling = call(wire), key, 1, 2);
    CHECK(go_on(wire, 20) == SCT_OK && has_hello(calling, 2, 1));
    CHECK(refused || is_closed(called));
    check_word(wire, message, calling);
    if (!refused)
        close(called);
    close(calling);
    end(&self, wire);
}

/* A rank calls again, or one that does not exist does: that changes nothing. */
static void call_twice(void) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    int first = call(wire), again, none;
    say_hello(first, key, 2, 1);
    CHECK(go_on(wire, 20) == SCT_OK && has_hello(first, 1, 2));
    say_hello(again = call(wire), key, 2, 1);
    say_hello(none = call(wire), key, RANKS, 1);
    CHECK(go_on(wire, 20) == SCT_OK && is_closed(again) && is_closed(none) && is_silent(first));
    check_word(wire, send_word(wire, 2), first);
    close(first);
    close(again);
    close(none);
    end(&self, wire);
}

/* A rank without a descriptor for one more connection says so. */
static void run_short(bool calls) {
    scene self;
    sct_wire *wire = begin(&self, 1);
    struct rlimit usual, tight;
    sct_message message;
    int called = calls ? -1 : call(wire), next = dup(0);
    const char *reason = calls ? "sockets: rank 1 has 1 connections, and no file descriptor for "
                                 "that to rank 2: Too many open files (ulimit -n)"
                               : "sockets: rank 1 cannot accept connections: Too many open files";
    close(next);
    CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0);
    tight = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = usual.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &tight) == 0);
    if (calls)
        CHECK(wire->ops->send(wire, 2, KIND, word, sizeof word, &message) == SCT_FAILED);
    else
        CHECK(go_on(wire, 20) == SCT_FAILED);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s", sct_last_reason());
    CHECK(setrlimit(RLIMIT_NOFILE, &usual) == 0);
    if (called >= 0)
        close(called);
    end(&self, wire);
}

int main(void) {
    answer_late();
    answer_wrongly(other_key, 2);
    answer_wrongly(key, 0);
    refuse(false);
    refuse(true);
    be_lower();
    be_higher(false);
    be_higher(true);
    call_twice();
    run_short(true);
    run_short(false);
    return check_report("sockets_calls");
}
