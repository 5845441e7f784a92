/* fabric_collectives.c - the rules of barrier, exchange, reduce and agree. */
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
    sct_target target = {segment, rank, 0, {0, 0, 1, sizeof number}};
    sct_event event;
    CHECK(sct_fabric_get(fabric, NULL, &target, &number, sizeof number, &event) == SCT_OK);
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

/* The word of a rank at a place: any bits, so that the least is seldom that of rank 0. */
static uint64_t word_of(int turn, int rank, size_t at) {
    uint64_t state = (uint64_t)turn * 1000003 + (uint64_t)rank * 7919 + at + 1;
    return check_random(&state);
}

static void reduce_words(sct_fabric *fabric, int turn, sct_reduction how, size_t count) {
    uint64_t *words = malloc((count + 1) * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = word_of(turn, fabric->rank, i);
    CHECK(fabric->ops->reduce(fabric, how, words, count) == SCT_OK);
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t expected = word_of(turn, 0, i);
        for (int r = 1; r < fabric->size; r++) {
            uint64_t word = word_of(turn, r, i);
            expected = how == SCT_ANY_BIT ? expected | word : word < expected ? word : expected;
        }
        wrong += words[i] != expected;
    }
    CHECK_CASE(wrong == 0, "%d of %zu words reduced among %d are wrong", wrong, count,
               fabric->size);
    free(words);
}

/* Numbers around every limit at which a fabric may begin to send in another way, with an exchange
 * now and then, which may use the same memory. */
static void rule_reduce(sct_fabric *fabric) {
    const size_t counts[] = {1, 14, 15, 16, 2, 63, 64, 65, 126, 127, 300};
    const int others = sizeof counts / sizeof counts[0];
    for (int turn = 0; turn < 66; turn++) {
        reduce_words(fabric, turn, turn % 3 ? SCT_LEAST : SCT_ANY_BIT, counts[turn % others]);
        if (turn % 5 == 0)
            exchange_bytes(fabric, turn, (size_t)turn);
    }
}

/* The first rank with another word than rank 0, which is less or greater; or none. */
static void find_odd(sct_fabric *fabric, int odd, uint64_t word_of_odd) {
    uint64_t word = fabric->rank < odd ? 5 : fabric->rank == odd ? word_of_odd : 3;
    sct_odd_rank found;
    bool none = odd == fabric->size;
    CHECK(sct_fabric_find_odd(fabric, word, &found) == SCT_OK);
    CHECK_CASE(none ? found.rank == 0
                    : found.rank == odd && found.word == word_of_odd && found.word_of_0 == 5,
               "rank %d of %d, not %d", found.rank, fabric->size, odd);
}

static void rule_find_odd(sct_fabric *fabric) {
    for (int odd = 1; odd <= fabric->size; odd++) {
        find_odd(fabric, odd, 0);
        find_odd(fabric, odd, UINT64_MAX); /* a word like any other */
    }
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
    rule_reduce(fabric);
    rule_find_odd(fabric);
    rule_agree(fabric, seed);
}
