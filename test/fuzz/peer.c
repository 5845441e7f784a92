/* peer.c - fuzzes what a rank says: rank 0 has a service on sockets, and this file is rank 1, which
 * says anything. All calls of rank 0 return, with a status, and nothing but the memory that it
 * offers is written.
 *
 * An input is a list of what happens: messages of rank 1, mostly of the right form, and transfers
 * of rank 0. At the end rank 1 is gone. The service has no thread, so that an input always does the
 * same. */
#include "fuzz/fuzz.h"

#include "fabric/service/state.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/state.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 0x5a, OFFERED = 1, BLOCKS = 2, MOST_TRANSFERS = 8, MOST_BYTES = 4096 };

/* More than rank 1 may have answered beforehand. */
enum { MOST_GATHERS = 1000 };

/* ---- Rank 1 ---- */

static int call_rank_0(const sct_endpoint *there) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = there->port};
    sct_hello hello = sct_hello_make(there->key, 1, 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    CHECK(send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello);
    return fd;
}

/* Rank 1 says the same as rank 0, and calls once it knows where. */
static int gather(void *context, const void *mine, size_t bytes, void *all) {
    int *fd = context;
    memcpy(all, mine, bytes);
    memcpy((char *)all + bytes, mine, bytes);
    if (*fd < 0 && bytes == sizeof(sct_endpoint))
        *fd = call_rank_0(mine);
    return 0;
}

/* What the system does not take is not said. */
static void say(int fd, const void *bytes, size_t count) {
    (void)send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_message(int fd, int64_t kind, const void *bytes, size_t count) {
    const sct_head head = {count, kind};
    say(fd, &head, sizeof head);
    say(fd, bytes, count);
}

/* Mostly small, sometimes at the edge of what fits. */
static int64_t number(fuzz_input *input) {
    static const int64_t edges[] = {-1,        INT64_MAX,        INT64_MIN,
                                    INT32_MAX, (int64_t)1 << 32, INT64_MAX / 8};
    int byte = fuzz_below(input, 256), count = sizeof edges / sizeof *edges;
    return byte < 200 ? byte : edges[byte % count];
}

static void say_request(int fd, fuzz_input *input) {
    sct_request_message message;
    memset(&message, 'x', sizeof message);
    message.kind = fuzz_below(input, 4);
    message.id = (uint64_t)fuzz_below(input, 2) + OFFERED;
    message.block = fuzz_below(input, BLOCKS + 2) - 1;
    message.type = fuzz_below(input, 9) - 1;
    message.record = (int32_t)number(input);
    message.part.line = number(input);
    message.part.lines = number(input);
    message.part.byte = (uint64_t)number(input);
    message.part.width = (uint64_t)number(input);
    size_t data = (size_t)(4 * fuzz_below(input, 256));
    say_message(fd, SCT_KIND_REQUEST, &message, SCT_REQUEST_HEAD + data);
}

static void say_raw(int fd, fuzz_input *input) {
    size_t count = (size_t)fuzz_below(input, 256);
    count = count < input->left ? count : input->left;
    say(fd, input->at, count);
    input->at += count;
    input->left -= count;
}

/* ---- Rank 0 ---- */

typedef struct victim {
    sct_service *service;
    sct_memory blocks[BLOCKS];
    sct_bands bands[BLOCKS];
    char *local[MOST_TRANSFERS];
    uint64_t tickets[MOST_TRANSFERS];
    int transfers;
} victim;

static size_t block_bytes(const sct_memory *block) {
    return (size_t)(block->lines - 1) * block->pitch + block->width;
}

static void offer(victim *self) {
    static const sct_memory blocks[BLOCKS] = {{.pitch = 80, .lines = 5, .width = 64},
                                              {.pitch = 2400, .lines = 3, .width = 2396}};
    for (int b = 0; b < BLOCKS; b++) {
        self->blocks[b] = blocks[b];
        self->blocks[b].base = malloc(block_bytes(&blocks[b]));
        memset(self->blocks[b].base, GUARD, block_bytes(&blocks[b]));
    }
    CHECK(sct_service_offer(self->service, OFFERED, BLOCKS, self->blocks, self->bands) == SCT_OK);
}

static void check_gaps(const victim *self) {
    for (int b = 0; b < BLOCKS; b++) {
        const sct_memory *block = &self->blocks[b];
        for (int64_t line = 0; line + 1 < block->lines; line++)
            for (size_t i = block->width; i < block->pitch; i++)
                CHECK(block->base[(size_t)line * block->pitch + i] == GUARD);
        free(block->base);
    }
}

static void transfer(victim *self, bool get, fuzz_input *input) {
    int at = self->transfers;
    sct_place_far there = {
        .id = OFFERED,
        .rank = 1,
        .part = {.lines = fuzz_below(input, 4), .width = (size_t)(8 * fuzz_below(input, 130))}};
    size_t bytes = (size_t)there.part.lines * there.part.width;
    if (at == MOST_TRANSFERS)
        return;
    self->local[at] = calloc(bytes + 1, 1);
    sct_status status = get ? sct_service_get(self->service, &there, self->local[at],
                                              there.part.width, &self->tickets[at])
                            : sct_service_accumulate(self->service, SCT_F64, self->local[at],
                                                     there.part.width, &there, &self->tickets[at]);
    self->transfers++;
    if (status != SCT_OK)
        self->tickets[at] = 0;
}

/* Rank 1 is gone, so nothing is waited for in vain. */
static void end(victim *self) {
    char all[2 * sizeof(int64_t)];
    int64_t word = 1;
    for (int i = 0; i < self->transfers; i++) {
        (void)sct_service_wait(self->service, self->tickets[i]);
        CHECK(sct_service_done(self->service, self->tickets[i]));
        free(self->local[i]);
    }
    for (int i = 0; i < MOST_GATHERS && sct_service_status(self->service) == SCT_OK; i++)
        (void)sct_service_gather(self->service, &word, sizeof word, all);
    CHECK(sct_service_status(self->service) != SCT_OK);
    for (const char *reason = sct_last_reason(); *reason; reason++)
        CHECK_CASE((unsigned char)*reason >= ' ' && *reason != 127, "byte %d in a reason", *reason);
    sct_service_destroy(self->service);
}

static void happen(victim *self, int fd, fuzz_input *input) {
    static const char zeros[MOST_BYTES];
    switch (fuzz_below(input, 9)) {
    case 0:
        say_raw(fd, input);
        break;
    case 1:
    case 2:
        say_request(fd, input);
        break;
    case 3: {
        int64_t kind = SCT_KIND_GATHER + fuzz_below(input, 2 * SCT_MAX_PIECES + 3);
        say_message(fd, kind, zeros, (size_t)(8 * fuzz_below(input, MOST_BYTES / 8)));
        break;
    }
    case 4:
        say_message(fd, SCT_KIND_FAREWELL, zeros, 0);
        break;
    case 5:
        transfer(self, true, input);
        break;
    case 6:
        transfer(self, false, input);
        break;
    default:
        sct_service_progress(self->service);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    int fd = -1;
    const sct_bootstrap ranks = {
        .size = sizeof ranks, .rank = 0, .ranks = 2, .allgather = gather, .context = &fd};
    fuzz_input input = {bytes, length};
    victim self = {.transfers = 0};
    sct_hello answer;
    sct_wire *wire;
    if (!CHECK_CASE(sct_sockets_create(&ranks, &wire) == SCT_OK, "%s", sct_last_reason()) ||
        !CHECK(recv(fd, &answer, sizeof answer, MSG_WAITALL) == sizeof answer))
        abort();
    wire->threaded = false;
    CHECK(sct_service_create(wire, &self.service) == SCT_OK);
    offer(&self);
    while (input.left > 0)
        happen(&self, fd, &input);
    close(fd);
    end(&self);
    check_gaps(&self);
    if (check_failures())
        abort();
    return 0;
}
