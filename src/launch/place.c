/* place.c - see place.h. */
#include "launch/place.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/setting.h"
#include "fabric/sockets/socket.h"
#include "launch/key.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 512, LAST_PORT = 65535 };

/* How long a rank takes a key that cannot be read for one of an earlier job, which rank 0 is about
 * to replace. */
enum { OLD_KEY_S = 10 };

/* ---- Where ---- */

/* Reads HOST:PORT, where the host may be in brackets, as an address of IPv6 must. */
static sct_status read_variable(const char *text, sct_rendezvous_point *place) {
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    bool brackets = length > 2 && text[0] == '[' && text[length - 1] == ']';
    char *end = NULL;
    long port = colon && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : 0;
    if (port < 1 || port > LAST_PORT || *end != '\0' || length == 0 || length >= sizeof place->host)
        return sct_fail(SCT_BAD_ARGUMENT, "SECTILE_RENDEZVOUS: '%.60s' is not HOST:PORT", text);
    *place = (sct_rendezvous_point){.port = (int)port, .ports = 1, .counted_by = place->counted_by};
    memcpy(place->host, text + brackets, length - 2 * brackets);
    return SCT_OK;
}

/* A host's name becomes part of a file's. */
static sct_status find_place(const sct_rendezvous_point *usual, sct_rendezvous_point *place) {
    const char *text = sct_setting_text("SECTILE_RENDEZVOUS");
    *place = *usual;
    sct_status status = text ? read_variable(text, place) : SCT_OK;
    if (!status && (place->host[0] == '\0' || strpbrk(place->host, "/ \t\n")))
        return sct_fail(SCT_BAD_ARGUMENT, "'%.60s', where the ranks are to meet, is not a host",
                        place->host);
    return status;
}

/* The name of the key's file: nobody else can listen to that port of that host. The loopback
 * address names another host on each, which may have the same home. */
static void name_key(const sct_rendezvous_point *place, in_port_t port, char name[NAME]) {
    char here[256] = "";
    bool loopback = strcmp(place->host, "localhost") == 0 || strcmp(place->host, "::1") == 0 ||
                    strncmp(place->host, "127.", 4) == 0;
    if (loopback)
        (void)gethostname(here, sizeof here - 1);
    snprintf(name, NAME, "%s:%d.key", loopback ? here : place->host, ntohs(port));
}

/* ---- Rank 0 ---- */

static sct_status listen_at(const sct_rendezvous_point *place, int *listener, in_port_t *port) {
    for (int i = 0; i < place->ports; i++) {
        if (sct_socket_listen(htons((uint16_t)(place->port + i)), listener, port))
            return SCT_OK;
        if (errno != EADDRINUSE)
            break;
    }
    return sct_fail(
        SCT_FAILED,
        "rank 0 cannot listen to a port from %d to %d: %s; SECTILE_RENDEZVOUS=HOST:PORT "
        "names another",
        place->port, place->port + place->ports - 1, strerror(errno));
}

static sct_status host(const sct_rendezvous_point *place, sct_rendezvous *rendezvous,
                       sct_siphash_key key, bool given) {
    in_port_t port;
    char name[NAME], where[NAME];
    sct_status status = listen_at(place, &rendezvous->listener, &port);
    if (status)
        return status;
    name_key(place, port, name);
    snprintf(where, sizeof where, "%s:%d (%s is %d)", place->host, ntohs(port), place->counted_by,
             rendezvous->ranks);
    if (!given && !(status = sct_key_draw(&key)))
        status = sct_key_write(name, key);
    if (!status)
        status = sct_rendezvous_host(rendezvous, key, port, where);
    if (!given)
        sct_key_remove(name);
    sct_rendezvous_close_listener(rendezvous);
    return status;
}

/* ---- Other ranks ---- */

typedef struct visitor {
    const sct_rendezvous_point *place;
    sct_rendezvous *rendezvous;
    sct_siphash_key key;
    bool given;
    sct_deadline limit;
    const char *why;                 /* why rank 0 has not been reached, */
    const char *there;               /* or who listened instead; NULL: nobody */
    char unusable[SCT_REASON_BYTES]; /* why the key that is there cannot be used */
} visitor;

static void find_key(visitor *self, in_port_t port, bool *found) {
    char name[NAME];
    *found = self->given;
    if (self->given)
        return;
    name_key(self->place, port, name);
    self->there =
        "there is no key in ~/.sectile for who listens there: is it the same folder on all "
        "hosts? Otherwise set SECTILE_KEY";
    if (sct_key_read(name, &self->key, found) != SCT_OK)
        snprintf(self->unusable, sizeof self->unusable, "%s", sct_last_reason());
    else
        self->unusable[0] = '\0';
}

static sct_status try_address(visitor *self, const struct addrinfo *at, in_port_t port) {
    struct sockaddr_storage name;
    int fd;
    bool found;
    memcpy(&name, at->ai_addr, at->ai_addrlen);
    if (at->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)&name)->sin6_port = port;
    else
        ((struct sockaddr_in *)&name)->sin_port = port;
    if (!sct_socket_connect((struct sockaddr *)&name, at->ai_addrlen, &self->limit, &fd)) {
        self->why = errno == EINPROGRESS ? "no answer" : strerror(errno);
        return SCT_OK;
    }
    find_key(self, port, &found);
    if (found)
        return sct_rendezvous_greet(self->rendezvous, self->key, port, fd, &self->limit,
                                    &self->there);
    close(fd);
    return SCT_OK;
}

static bool has_come(const visitor *self) {
    return self->rendezvous->fds[0] >= 0;
}

static bool is_late(const visitor *self) {
    return sct_deadline_left_ms(&self->limit) == 0;
}

/* Tries all ports and addresses once. A host's name may become known later. */
static sct_status try_all(visitor *self) {
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL;
    sct_status status = SCT_OK;
    int failed = getaddrinfo(self->place->host, NULL, &wanted, &all);
    if (failed)
        self->why = gai_strerror(failed);
    for (int i = 0; i < self->place->ports; i++) {
        in_port_t port = htons((uint16_t)(self->place->port + i));
        for (struct addrinfo *at = all; at && !status && !has_come(self) && !is_late(self);
             at = at->ai_next)
            status = try_address(self, at, port);
    }
    if (all)
        freeaddrinfo(all);
    return status;
}

enum { DESCRIPTION = 3 * SCT_REASON_BYTES }; /* with a name of a host and a reason in it */

/* That rank 0 has not been reached in so many seconds, and why. */
static void describe(const visitor *self, int seconds, const char *limit, char text[DESCRIPTION]) {
    const char *why = self->unusable[0] ? self->unusable : self->there ? self->there : self->why;
    snprintf(text, DESCRIPTION, "rank %d has not reached rank 0 at %s:%d within %d s%s: %s",
             self->rendezvous->rank, self->place->host, self->place->port, seconds, limit, why);
}

static sct_status visit(visitor *self) {
    const long longest = 500000000;
    struct timespec nap = {.tv_nsec = 10000000};
    char text[DESCRIPTION];
    const sct_deadline replaced = sct_deadline_for(OLD_KEY_S);
    sct_deadline quiet = sct_deadline_for(SCT_LONG_WAIT_S);
    for (;;) {
        sct_status status = try_all(self);
        if (status || has_come(self))
            return status;
        bool late = is_late(self);
        if (self->unusable[0] && (late || sct_deadline_left_ms(&replaced) == 0))
            return sct_fail(SCT_FAILED, "%s", self->unusable);
        if (late) {
            describe(self, self->limit.seconds, ", as SECTILE_START_SECONDS limits the start",
                     text);
            return sct_fail(SCT_FAILED, "%s", text);
        }
        if (sct_deadline_left_ms(&quiet) == 0) {
            char limit[80];
            snprintf(limit, sizeof limit, ", and tries until SECTILE_START_SECONDS (%d) are over",
                     self->limit.seconds);
            quiet = sct_deadline_for(0);
            describe(self, SCT_LONG_WAIT_S, limit, text);
            sct_log_write(SCT_LOG_WARNING, self->rendezvous->rank, "%s", text);
        }
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < longest / 2 ? 2 * nap.tv_nsec : longest;
    }
}

sct_status sct_place_meet(const sct_rendezvous_point *usual, sct_rendezvous *rendezvous) {
    sct_rendezvous_point place;
    sct_siphash_key key;
    bool given;
    sct_status status = find_place(usual, &place);
    if (!status)
        status = sct_key_given(&key, &given);
    if (!status && !given)
        status = sct_key_check_folder();
    if (status)
        return status;
    if (rendezvous->rank == 0)
        return host(&place, rendezvous, key, given);
    visitor self = {.place = &place,
                    .rendezvous = rendezvous,
                    .key = key,
                    .given = given,
                    .limit = sct_deadline_begin(),
                    .why = "no answer"};
    return visit(&self);
}

/* ---- torchrun ---- */

sct_status sct_torch_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous) {
    const int64_t usual = 29500;
    const char *address = getenv("MASTER_ADDR");
    int64_t port;
    sct_rendezvous_point place = {.ports = SCT_PLACE_PORTS, .counted_by = launcher->variable};
    sct_status status = sct_setting("MASTER_PORT", 1, LAST_PORT, usual, &port);
    if (status)
        return status;
    if (launcher->rank < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "WORLD_SIZE is set, but RANK is not");
    if (!sct_setting_text("SECTILE_RENDEZVOUS") &&
        (!address ||
         snprintf(place.host, sizeof place.host, "%s", address) >= (int)sizeof place.host))
        return sct_fail(SCT_BAD_ARGUMENT,
                        "MASTER_ADDR: '%.60s' is not the host where the ranks are to meet",
                        address ? address : "");
    bool room = port + SCT_PLACE_PORTS <= LAST_PORT;
    place.port = (int)(room ? port + 1 : port - SCT_PLACE_PORTS);
    return sct_place_meet(&place, rendezvous);
}
