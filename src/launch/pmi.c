/* pmi.c - a rendezvous by the key-value space of PMI, version 1, the protocol between the mpiexec
 * of MPICH and the processes that it starts; Slurm and Intel MPI have it, too. Both sides send
 * lines of words such as "cmd=get kvsname=k key=x", and each line is answered by one. */
#include "launch/launcher.h"

#include "base/clock.h"
#include "base/setting.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"
#include "launch/key.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where rank 0 listens, and the key that it has drawn. */
typedef struct host_card {
    sct_siphash_key key;
    sct_addresses addresses;
    in_port_t port; /* in network order */
} host_card;

/* HEX: the card as a value, with its end. */
enum { LINE = 2048, HEX = 2 * sizeof(host_card) + 1 };

static const char key_name[] = "sectile";

typedef struct pmi {
    int fd;
    sct_deadline deadline;
    char answer[LINE]; /* the last one */
} pmi;

static int find_fd(void) {
    int64_t fd;
    (void)sct_setting("PMI_FD", 0, INT32_MAX, -1, &fd);
    return (int)fd;
}

bool sct_pmi_is_open(void) {
    struct stat about;
    int fd = find_fd();
    return fd >= 0 && fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode);
}

static sct_status lose(const pmi *self, const char *sent) {
    if (sct_deadline_left_ms(&self->deadline) == 0)
        return sct_deadline_failure(&self->deadline);
    return sct_fail(SCT_FAILED, "PMI: '%.*s' has not been answered", (int)strcspn(sent, " \n"),
                    sent);
}

/* Reads one line, byte by byte, so that nothing of a next one is lost. */
static bool read_line(pmi *self) {
    struct pollfd watched = {.fd = self->fd, .events = POLLIN};
    for (size_t at = 0; at < sizeof self->answer;) {
        int ready = poll(&watched, 1, sct_deadline_left_ms(&self->deadline));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 || read(self->fd, &self->answer[at], 1) != 1)
            return false;
        if (self->answer[at] != '\n') {
            at++;
            continue;
        }
        self->answer[at] = '\0';
        return true;
    }
    return false;
}

/* Sends a line. The answer must be of the command `answer`, and report no failure. */
__attribute__((format(printf, 3, 4))) static sct_status ask(pmi *self, const char *answer,
                                                            const char *format, ...) {
    char line[LINE], begin[64];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    int known = snprintf(begin, sizeof begin, "cmd=%s", answer);
    if (length >= (int)sizeof line ||
        send(self->fd, line, (size_t)length, MSG_NOSIGNAL) != length || !read_line(self))
        return lose(self, line);
    const char *failed = strstr(self->answer, " rc=");
    bool named = strncmp(self->answer, begin, (size_t)known) == 0 &&
                 (self->answer[known] == ' ' || self->answer[known] == '\0');
    if (named && !(failed && failed[4] != '0'))
        return SCT_OK;
    return sct_fail(SCT_FAILED, "PMI: '%.*s' is answered by '%.60s'", (int)strcspn(line, " \n"),
                    line, self->answer);
}

/* Copies the value of a word of the answer, such as "kvsname". */
static sct_status find(const pmi *self, const char *word, char *value, size_t room) {
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s=", word);
    const char *at = strstr(self->answer, pattern);
    size_t length = at ? strcspn(at + strlen(pattern), " ") : 0;
    if (!at || length >= room)
        return sct_fail(SCT_FAILED, "PMI: there is no %s in '%.60s'", word, self->answer);
    memcpy(value, at + strlen(pattern), length);
    value[length] = '\0';
    return SCT_OK;
}

/* ---- Rank 0 ---- */

static sct_status put(pmi *self, const char *space, const host_card *mine) {
    char most[16], text[HEX];
    sct_status status = ask(self, "maxes", "cmd=get_maxes\n");
    if (!status)
        status = find(self, "vallen_max", most, sizeof most);
    if (!status && atoi(most) < HEX)
        status = sct_fail(SCT_FAILED, "PMI: values have %s bytes, fewer than %d", most, HEX);
    sct_hex_write(mine, sizeof *mine, text);
    return status ? status
                  : ask(self, "put_result", "cmd=put kvsname=%s key=%s value=%s\n", space, key_name,
                        text);
}

/* Opens a port of the system's choice. */
static sct_status open_port(const sct_siphash_key *given, sct_siphash_key *key, int *listener,
                            host_card *mine) {
    if (!sct_socket_listen(0, listener, &mine->port))
        return sct_fail(SCT_FAILED, "rank 0 cannot listen: %s", strerror(errno));
    sct_addresses_list(&mine->addresses);
    if (given)
        return SCT_OK;
    sct_status status = sct_key_draw(key);
    mine->key = *key;
    return status;
}

/* ---- All ranks ---- */

static sct_status enter(pmi *self, char *space, size_t room) {
    sct_status status = ask(self, "response_to_init", "cmd=init pmi_version=1 pmi_subversion=1\n");
    if (!status)
        status = ask(self, "my_kvsname", "cmd=get_my_kvsname\n");
    return status ? status : find(self, "kvsname", space, room);
}

/* The barrier comes even after a failure of rank 0, so that the others find that nothing is there.
 */
static sct_status host(pmi *self, const char *space, const sct_siphash_key *given,
                       sct_rendezvous *rendezvous) {
    host_card mine = {.port = 0};
    sct_siphash_key key = given ? *given : mine.key;
    sct_status status = open_port(given, &key, &rendezvous->listener, &mine);
    if (!status)
        status = put(self, space, &mine);
    sct_status passed = ask(self, "barrier_out", "cmd=barrier_in\n");
    if (!status)
        status = passed;
    if (!status)
        status = sct_rendezvous_host(rendezvous, key, mine.port, "its host");
    sct_rendezvous_close_listener(rendezvous);
    return status;
}

static sct_status call(const host_card *there, sct_siphash_key key, const sct_deadline *limit,
                       sct_rendezvous *rendezvous) {
    struct sockaddr_storage name;
    sct_addresses mine = {.count = 0};
    const char *why = NULL;
    int fd;
    sct_addresses_list(&mine);
    const struct in6_addr address = sct_addresses_choose(&mine, &there->addresses);
    socklen_t length = sct_address_name(&address, there->port, &name);
    if (!sct_socket_connect((struct sockaddr *)&name, length, limit, &fd))
        why = errno == EINPROGRESS ? "no answer" : strerror(errno);
    sct_status status =
        why ? SCT_OK : sct_rendezvous_greet(rendezvous, key, there->port, fd, limit, &why);
    if (status || rendezvous->fds[0] >= 0)
        return status;
    return sct_fail(SCT_FAILED, "rank %d cannot connect to rank 0: %s", rendezvous->rank, why);
}

static sct_status visit(pmi *self, const char *space, const sct_siphash_key *given,
                        sct_rendezvous *rendezvous) {
    char text[HEX];
    host_card there;
    sct_status status = ask(self, "barrier_out", "cmd=barrier_in\n");
    if (!status)
        status = ask(self, "get_result", "cmd=get kvsname=%s key=%s\n", space, key_name);
    if (!status)
        status = find(self, "value", text, sizeof text);
    if (status)
        return status;
    if (!sct_hex_read(text, &there, sizeof there) || !sct_addresses_can_be(there.addresses.count))
        return sct_fail(SCT_FAILED, "PMI: rank 0 has said something else than its addresses");
    return call(&there, given ? *given : there.key, &self->deadline, rendezvous);
}

sct_status sct_pmi_meet(const sct_launcher *launcher, sct_rendezvous *rendezvous) {
    pmi self = {.fd = find_fd(), .deadline = sct_deadline_begin()};
    char space[256];
    sct_siphash_key key;
    bool given;
    (void)launcher;
    sct_status status = sct_key_given(&key, &given);
    if (!status)
        status = enter(&self, space, sizeof space);
    if (!status)
        status =
            (rendezvous->rank == 0 ? host : visit)(&self, space, given ? &key : NULL, rendezvous);
    /* Without this, mpiexec would end the job when this process ends. */
    return status ? status : ask(&self, "finalize_ack", "cmd=finalize\n");
}
