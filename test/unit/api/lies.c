/* lies.c - a rank that says anything where all ranks exchange something: its texts may have no end,
 * and its status be none. */
#include "api/world.h"
#include "support/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2 };

/* Rank 1 says the same as rank 0 in an exchange whose bit is not set, and else only this sign. */
static const char sign = 'x';

static void answer(unsigned *lies, const void *mine, size_t bytes, char *all) {
    memcpy(all, mine, bytes);
    if (*lies & 1)
        memset(all + bytes, sign, bytes);
    else
        memcpy(all + bytes, mine, bytes);
    *lies >>= 1;
}

typedef struct lying_fabric {
    sct_fabric base;
    uint64_t status; /* of rank 1, or what it gives as one; 0: none */
} lying_fabric;

/* Rank 1 fails if it has a status. Otherwise it makes a request other than that of rank 0, and says
 * so. Of texts it passes signs only. */
static sct_status reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count) {
    enum { FINDING = 14, GREATEST_NUMBER = 3 };
    const lying_fabric *self = (lying_fabric *)fabric;
    uint64_t lies[64];
    CHECK(how == SCT_LEAST && count <= 64);
    memset(lies, count > FINDING ? sign : UCHAR_MAX, sizeof lies);
    if (count == FINDING)
        lies[GREATEST_NUMBER] = words[GREATEST_NUMBER] - 1;
    if (count == 1)
        lies[0] = self->status             ? (uint64_t)1 << 32 | self->status
                  : words[0] == UINT64_MAX ? 1
                                           : words[0];
    sct_reduce_words(how, words, lies, count);
    return SCT_OK;
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    answer(context, mine, bytes, all);
    return 0;
}

static const sct_fabric_ops ops = {.name = "lies", .reduce = reduce};

/* The reason is `before`, then the sign `count` times, then `after`. */
static void check_reason(const char *before, size_t count, const char *after) {
    const char *reason = sct_last_reason(), *signs = reason + strlen(before);
    CHECK_CASE(strncmp(reason, before, strlen(before)) == 0 &&
                   strspn(signs, (const char[]){sign, '\0'}) == count &&
                   strcmp(signs + count, after) == 0,
               "%s", reason);
}

static void test_status(void) {
    lying_fabric none = {.base = {.ops = &ops, .size = RANKS}, .status = SCT_FAILED + 1},
                 endless = none;
    endless.status = SCT_NO_MEMORY;
    CHECK(sct_fabric_agree(&none.base, SCT_OK) == SCT_FAILED);
    check_reason("rank 1 says no status: ranks do not understand each other", 0, "");
    CHECK(sct_fabric_agree(&endless.base, SCT_OK) == SCT_NO_MEMORY);
    check_reason("", SCT_REASON_BYTES - 1, "");
}

/* The ranks agree that all go on, compare their options, agree again, and look for a difference. */
static void test_options(void) {
    unsigned lies = 2 | 8;
    const sct_bootstrap ranks = {
        .size = sizeof ranks, .ranks = RANKS, .allgather = gather, .context = &lies};
    sct_world *world;
    CHECK(sct_world_create(&ranks, NULL, &world) == SCT_DISAGREE);
    check_reason("rank 1 asks for engine=", 16, ", but rank 0 for threads");
}

static void test_request(void) {
    lying_fabric fabric = {.base = {.ops = &ops, .size = RANKS}};
    sct_world *world = calloc(1, sizeof *world);
    sct_request_text request = sct_request_begin("test");
    world->fabric = &fabric.base;
    CHECK(sct_world_agree(world, SCT_OK, &request) == SCT_DISAGREE);
    check_reason("rank 1 asks for ", 103, ", but rank 0 for test");
    free(world);
}

int main(void) {
    test_status();
    test_options();
    test_request();
    return check_report("lies");
}
