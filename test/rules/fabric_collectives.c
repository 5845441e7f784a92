/* fabric_collectives.c - the rules of barrier, exchange and agree. */
#include "rules/device_memory.h"
#include "rules/fabric_rules.h"

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Now and then some rank is late, so that the others block. */
static void come_late(uint64_t *random) {
    if (check_between(random, 0, 63) == 0) {
        struct timespec time = {.tv_nsec = 200000};
        nanosleep(&time, NULL);
    }
}

/* The number in a rank's block. */
static int64_t read_number(sct_fabric *fabric, sct_device *device, sct_segment *segment, int rank) {
    const sct_memory *blocks = fabric->ops->peer(segment, rank);
    int64_t number = -1;
    if (blocks) {
        memory_take(device, blocks[0].base, &number, sizeof number);
        return number;
    }
    sct_target target = {segment, rank, 0, 0, 0, 1, sizeof number};
    sct_event event;
    CHECK(fabric->ops->get(fabric, NULL, &target, &number, sizeof number, &event) == SCT_OK);
    CHECK(sct_event_wait(event) == SCT_OK);
    return number;
}

/* What was written before a barrier is visible to all ranks after it. */
static void rule_barrier(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    enum { TURNS = 100 };
    uint64_t random = seed + (uint64_t)fabric->rank;
    sct_segment *segment;
    sct_memory block = {.lines = 1, .width = sizeof(int64_t)};
    if (!CHECK(fabric->ops->segment_open(fabric, 1, &block, &segment) == SCT_OK))
        return;
    int wrong = 0;
    for (int64_t turn = 0; turn < TURNS; turn++) {
        int64_t number = turn * fabric->size + fabric->rank;
        memory_put(device, block.base, &number, sizeof number);
        come_late(&random);
        CHECK(fabric->ops->barrier(fabric) == SCT_OK);
        for (int r = 0; r < fabric->size; r++)
            wrong += read_number(fabric, device, segment, r) != turn * fabric->size + r;
        CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    }
    CHECK_CASE(wrong == 0, "rank %d of %d read %d old numbers", fabric->rank, fabric->size, wrong);
    fabric->ops->segment_close(segment);
}

static char letter(int turn, int rank, size_t at) {
    return (char)(turn * 31 + rank * 7 + (int)at);
}

static void exchange_bytes(sct_fabric *fabric, int turn, size_t bytes) {
    char *mine = malloc(bytes), *all = malloc(bytes * (size_t)fabric->size);
    for (size_t i = 0; i < bytes; i++)
        mine[i] = letter(turn, fabric->rank, i);
    CHECK(fabric->ops->exchange(fabric, mine, bytes, all) == SCT_OK);
    memset(mine, 0, bytes); /* nobody may still read it */
    int wrong = 0;
    for (int r = 0; r < fabric->size; r++) {
        for (size_t i = 0; i < bytes; i++)
            wrong += all[(size_t)r * bytes + i] != letter(turn, r, i);
    }
    CHECK_CASE(wrong == 0, "%d of %zu bytes exchanged among %d are wrong", wrong, bytes,
               fabric->size);
    free(mine);
    free(all);
}

/* Sizes around every limit at which a fabric may begin to send in another way. */
static void rule_exchange(sct_fabric *fabric) {
    const size_t sizes[] = {1000, 1, 1016, 3, 1017, 8, 2500};
    const int others = sizeof sizes / sizeof sizes[0];
    for (int turn = 0; turn < 140; turn++)
        exchange_bytes(fabric, turn, turn % 2 ? (size_t)turn : sizes[turn / 2 % others]);
}

/* A rank's status and reason, drawn from a sequence that all ranks share. */
static sct_status draw_finding(uint64_t *random, int turn, int rank, char *reason) {
    bool failed = turn > 0 && check_between(random, 0, 3) == 0;
    int length = (int)check_between(random, 0, SCT_REASON_BYTES - 1);
    snprintf(reason, SCT_REASON_BYTES, "rank %d in turn %d%*s", rank, turn, length, ".");
    return failed ? (sct_status)check_between(random, SCT_BAD_ARGUMENT, SCT_FAILED) : SCT_OK;
}

/* All ranks get the status and the reason of the lowest rank that failed. */
static void rule_agree(sct_fabric *fabric, uint64_t seed) {
    enum { TURNS = 12 };
    for (int turn = 0; turn < TURNS; turn++) {
        char reason[SCT_REASON_BYTES], expected_reason[SCT_REASON_BYTES] = "";
        sct_status mine = SCT_OK, expected = SCT_OK;
        for (int r = 0; r < fabric->size; r++) {
            sct_status finding = draw_finding(&seed, turn, r, reason);
            if (finding != SCT_OK && expected == SCT_OK) {
                expected = finding;
                strcpy(expected_reason, reason);
            }
            if (finding != SCT_OK && r == fabric->rank)
                mine = sct_fail(finding, "%s", reason);
        }
        sct_status agreed = sct_fabric_agree(fabric, mine);
        CHECK_CASE(agreed == expected, "agreed on %s instead of %s", sct_status_name(agreed),
                   sct_status_name(expected));
        CHECK_CASE(expected == SCT_OK || strcmp(sct_last_reason(), expected_reason) == 0,
                   "reason \"%s\" instead of \"%s\"", sct_last_reason(), expected_reason);
    }
}

void fabric_rules_collectives(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    rule_barrier(fabric, device, seed);
    rule_exchange(fabric);
    rule_agree(fabric, seed);
}
