/* hello.c - who is taken for a rank: only the one that knows the key and wants this rank; however
 * many strangers call before and after it, and whatever they say. And which address of a rank
 * others connect to. */
#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"
#include "support/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { RANKS = 4, RANK = 1, MANY = 400 };

static const sct_siphash_key key = {{3, 4}}, other_key = {{3, 5}};

/* ---- Hellos ---- */

static int listen_here(struct sockaddr_in *name) {
    socklen_t length = sizeof *name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(bind(fd, (struct sockaddr *)name, sizeof *name) == 0 && listen(fd, 2 * MANY) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)name, &length) == 0);
    return fd;
}

static int call(const struct sockaddr_in *name, sct_hello hello, size_t bytes) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (const struct sockaddr *)name, sizeof *name) == 0);
    CHECK(send(fd, &hello, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    return fd;
}

/* Calls in every wrong way; returns the number of calls. */
static int call_wrongly(const struct sockaddr_in *name, int *fd) {
    sct_hello right = sct_hello_make(key, 3, RANK), forged = right, moved = right;
    forged.proof ^= UINT64_C(1) << 63;
    moved.rank = 2;
    const sct_hello wrong[] = {forged,
                               moved,
                               sct_hello_make(other_key, 3, RANK),
                               sct_hello_make(key, 3, RANK + 1),
                               sct_hello_make(key, RANK, RANK),
                               sct_hello_make(key, RANKS, RANK),
                               sct_hello_make(key, -1, RANK)};
    int count = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        fd[count++] = call(name, wrong[i], sizeof wrong[i]);
    fd[count++] = call(name, right, 0);
    fd[count++] = call(name, right, sizeof right - 1);
    return count;
}

/* True if `fd` is the other end of `caller`. */
static bool is_connected(int fd, int caller) {
    char sent = 7, got = 0;
    return send(caller, &sent, 1, MSG_NOSIGNAL) == 1 && recv(fd, &got, 1, 0) == 1 && got == sent;
}

static bool is_turned_away(int caller) {
    char byte;
    ssize_t got = recv(caller, &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

/* ---- A reception ---- */

typedef struct awaited {
    int ranks, missing;
    int *fds; /* by rank; -1: not come yet */
} awaited;

static bool admit(void *context, int rank, int fd) {
    awaited *all = context;
    if (rank >= all->ranks || all->fds[rank] >= 0)
        return false;
    all->fds[rank] = fd;
    all->missing--;
    return true;
}

/* Receives until all higher ranks have come. Returns the error of the last accept; 0: none. */
static int receive_all(int rank, int ranks, int listener, int *fds) {
    awaited all = {.ranks = ranks, .missing = ranks - 1 - rank, .fds = fds};
    sct_reception reception = {.key = key,
                               .rank = rank,
                               .listener = listener,
                               .watch = -1,
                               .admit = admit,
                               .context = &all};
    CHECK(sct_reception_open(&reception, ranks) == SCT_OK);
    for (int i = 0; all.missing > 0 && !reception.refused && i < 10000; i++)
        sct_reception_pass(&reception, 10);
    reception.listener = -1;
    sct_reception_close(&reception);
    CHECK(all.missing == 0 || reception.refused);
    return reception.refused;
}

static void tell_apart(void) {
    struct sockaddr_in name;
    int listener = listen_here(&name), fds[RANKS] = {-1, -1, -1, -1}, wrong[64];
    int count = call_wrongly(&name, wrong);
    int two = call(&name, sct_hello_make(key, 2, RANK), sizeof(sct_hello));
    int three = call(&name, sct_hello_make(key, 3, RANK), sizeof(sct_hello));
    count += call_wrongly(&name, wrong + count);
    CHECK(receive_all(RANK, RANKS, listener, fds) == 0);
    CHECK(fds[0] < 0 && fds[RANK] < 0);
    CHECK(is_connected(fds[2], two) && is_connected(fds[3], three));
    close(listener);
    for (int i = 0; i < count; i++) {
        CHECK_CASE(is_turned_away(wrong[i]), "wrong call %d", i);
        close(wrong[i]);
    }
    for (int fd = 2; fd < RANKS; fd++)
        close(fds[fd]);
    close(two);
    close(three);
}

/* More silent callers than are listened to: the oldest are turned away, but not a rank that has
 * said its hello. */
static void outlast(void) {
    struct sockaddr_in name;
    int listener = listen_here(&name), fds[3] = {-1, -1, -1}, silent[MANY];
    int one = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    for (int i = 0; i < MANY; i++)
        silent[i] = call(&name, (sct_hello){.rank = 0}, 0);
    int two = call(&name, sct_hello_make(key, 2, 0), sizeof(sct_hello));
    CHECK(receive_all(0, 3, listener, fds) == 0);
    CHECK(is_connected(fds[1], one) && is_connected(fds[2], two));
    close(listener);
    for (int rank = 1; rank <= 2; rank++)
        close(fds[rank]);
    close(one);
    close(two);
    for (int i = 0; i < MANY; i++)
        close(silent[i]);
}

/* Rank 0 sends all the opening, and each rank an answer, which proves that it has the key; also
 * one of more ranks than there are. A rank that calls again, as it has not heard the answer in
 * time, takes the place of its first call. */
static void answer(void) {
    struct sockaddr_in name;
    int listener = listen_here(&name), fds[3] = {-1, -1, -1};
    const sct_opening opening = {.random = 5, .ranks = 3};
    sct_opening opened = {.ranks = 0};
    sct_hello heard, proper = sct_hello_make(key, 0, 1);
    int stranger = call(&name, sct_hello_make(other_key, 2, 0), sizeof(sct_hello));
    int first = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    int again = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    int surplus = call(&name, sct_hello_make(key, 3, 0), sizeof(sct_hello));
    int two = call(&name, sct_hello_make(key, 2, 0), sizeof(sct_hello));
    sct_unexpected came = {.again = 0};
    CHECK(sct_hello_answer(key, &opening, listener, NULL, fds, &came) == SCT_OK);
    CHECK(came.again == 1 && came.beyond == 3);
    CHECK(is_connected(fds[1], again) && is_connected(fds[2], two));
    CHECK(recv(again, &opened, sizeof opened, MSG_WAITALL) == sizeof opened &&
          memcmp(&opened, &opening, sizeof opened) == 0);
    CHECK(recv(again, &heard, sizeof heard, 0) == sizeof heard &&
          memcmp(&heard, &proper, sizeof heard) == 0);
    CHECK(recv(stranger, &opened, sizeof opened, MSG_WAITALL) == sizeof opened);
    CHECK(recv(stranger, &heard, sizeof heard, 0) <= 0);
    proper = sct_hello_make(key, 0, 3);
    CHECK(recv(surplus, &opened, sizeof opened, MSG_WAITALL) == sizeof opened);
    CHECK(recv(surplus, &heard, sizeof heard, MSG_WAITALL) == sizeof heard &&
          memcmp(&heard, &proper, sizeof heard) == 0 && recv(surplus, &heard, 1, 0) <= 0);
    const int all[] = {listener, fds[1], fds[2], stranger, surplus, first, again, two};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close(all[i]);
}

static void close_all(const int *fd, int count) {
    for (int i = 0; i < count; i++)
        close(fd[i]);
}

/* Ranks that have come are heard before all that call after them. */
static void hear_in_time(void) {
    struct sockaddr_in name;
    int listener = listen_here(&name), fds[2] = {-1, -1}, silent[MANY];
    int one = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    for (int i = 0; i < MANY; i++)
        silent[i] = call(&name, (sct_hello){.rank = 0}, 0);
    struct pollfd left = {.fd = listener, .events = POLLIN};
    CHECK(receive_all(0, 2, listener, fds) == 0);
    CHECK(is_connected(fds[1], one));
    CHECK(poll(&left, 1, 0) == 1);
    close_all((const int[]){listener, fds[1], one}, 3);
    close_all(silent, MANY);
}

/* Silent callers take all descriptors that there are. */
static void run_short(void) {
    enum { SILENT = 20, LEFT = 8 };
    struct sockaddr_in name;
    struct rlimit usual, tight;
    int listener = listen_here(&name), fds[3] = {-1, -1, -1}, silent[SILENT];
    for (int i = 0; i < SILENT; i++)
        silent[i] = call(&name, (sct_hello){.rank = 0}, 0);
    int one = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    int two = call(&name, sct_hello_make(key, 2, 0), sizeof(sct_hello));
    CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0);
    tight = usual;
    tight.rlim_cur = (rlim_t)two + LEFT;
    CHECK(setrlimit(RLIMIT_NOFILE, &tight) == 0);
    CHECK(receive_all(0, 3, listener, fds) == 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &usual) == 0);
    CHECK(is_connected(fds[1], one) && is_connected(fds[2], two));
    close_all((const int[]){listener, fds[1], fds[2], one, two}, 5);
    close_all(silent, SILENT);
}

/* One comes, but this process has no descriptor left for it. */
static void lack_descriptors(void) {
    struct sockaddr_in name;
    struct rlimit usual, none;
    int listener = listen_here(&name), fds[2] = {-1, -1};
    int caller = call(&name, sct_hello_make(key, 1, 0), sizeof(sct_hello));
    CHECK(getrlimit(RLIMIT_NOFILE, &usual) == 0);
    none = (struct rlimit){.rlim_cur = (rlim_t)caller + 1, .rlim_max = usual.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(receive_all(0, 2, listener, fds) == EMFILE);
    CHECK(setrlimit(RLIMIT_NOFILE, &usual) == 0);
    close_all((const int[]){listener, caller}, 2);
}

/* ---- Addresses ---- */

/* Texts such as "::ffff:10.0.0.1/120". */
static sct_addresses addresses(int count, const char *const *texts) {
    sct_addresses made = {.count = count};
    for (int i = 0; i < count; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[i]);
        char *slash = strchr(text, '/');
        *slash = '\0';
        CHECK(inet_pton(AF_INET6, text, &made.of[i]) == 1);
        made.bits[i] = (uint8_t)atoi(slash + 1);
    }
    return made;
}

static void choose(void) {
    static const struct {
        const char *mine[3], *theirs[3];
        int family;
        const char *chosen;
    } cases[] = {
        {{"::ffff:10.0.0.1/120"}, {"::ffff:10.0.0.2/120"}, AF_INET, "10.0.0.2"},
        {{"::ffff:10.0.0.1/120"},
         {"::ffff:10.0.1.2/120", "::ffff:10.0.0.2/120"},
         AF_INET,
         "10.0.0.2"},
        {{"::ffff:10.0.0.1/120"}, {"::ffff:10.0.1.2/120"}, AF_INET, "10.0.1.2"},
        {{"::ffff:172.17.0.1/112", "fd00::1/64"},
         {"::ffff:172.17.0.1/112", "fd00::2/64"},
         AF_INET6,
         "fd00::2"},
        {{"fd00::1/64"}, {"::ffff:10.0.0.2/120", "fd01::2/64"}, AF_INET6, "fd01::2"},
        {{"fd00::1/61"}, {"fd00:0:0:8::2/61", "fd00:0:0:7::2/61"}, AF_INET6, "fd00:0:0:7::2"},
        {{"::ffff:10.0.0.1/120", "fd00::1/64"}, {"fd00::2/64"}, AF_INET6, "fd00::2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int mine = 0, theirs = 0;
        while (mine < 3 && cases[i].mine[mine])
            mine++;
        while (theirs < 3 && cases[i].theirs[theirs])
            theirs++;
        sct_addresses own = addresses(mine, cases[i].mine);
        sct_addresses other = addresses(theirs, cases[i].theirs);
        struct sockaddr_storage name;
        char text[64] = "";
        const struct in6_addr chosen = sct_addresses_choose(&own, &other);
        socklen_t length = sct_address_name(&chosen, htons(99), &name);
        bool four = name.ss_family == AF_INET;
        const struct sockaddr_in *of_four = (const void *)&name;
        const struct sockaddr_in6 *of_six = (const void *)&name;
        inet_ntop(name.ss_family, four ? (const void *)&of_four->sin_addr : &of_six->sin6_addr,
                  text, sizeof text);
        CHECK_CASE(name.ss_family == cases[i].family && strcmp(text, cases[i].chosen) == 0,
                   "case %zu: %s", i, text);
        CHECK(length == (four ? sizeof *of_four : sizeof *of_six));
        CHECK((four ? of_four->sin_port : of_six->sin6_port) == htons(99));
    }
}

int main(void) {
    tell_apart();
    outlast();
    hear_in_time();
    answer();
    run_short();
    lack_descriptors();
    choose();
    return check_report("hello");
}
