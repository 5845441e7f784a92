/* choose_cases.c - choices for one small product on 4 ranks: with little memory or workspace, and
 * where it is settled which matrix stays. */
#include "support/check.h"

#include <sectile/sectile.h>

#include <stdio.h>
#include <string.h>

enum { RANKS = 4, WANTED = 3 };

/* A part of all three matrices has 14 kB. */
static sct_search search_for(uint64_t memory) {
    return (sct_search){.size = sizeof(sct_search),
                        .type = SCT_F64,
                        .m = 60,
                        .n = 50,
                        .k = 40,
                        .ranks = RANKS,
                        .memory = memory};
}

/* What is used often is worth copies; with little memory of A or of B, but not of both. */
static void test_copies(void) {
    sct_search search = search_for(20000);
    sct_choice choices[WANTED];
    int count = 0;
    search.uses = 100;
    CHECK(sct_choose(&search, WANTED, choices, &count) == SCT_OK && count == WANTED);
    for (int i = 0; i < count; i++)
        CHECK(choices[i].memory <= search.memory);
    sct_choices_clear(choices, count);
}

/* The parts alone fit, but nothing beside them. */
static void test_no_workspace(void) {
    sct_search search = search_for(15100);
    sct_choice choice;
    int count;
    search.ranks_per_node = 1;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
}

/* Whole tiles cannot be cut for a little workspace, and it is said what they take. */
static void test_whole_tiles(void) {
    sct_options options = {.size = sizeof options, .fetch = SCT_FETCH_TILE};
    sct_search search = search_for(1000);
    sct_choice choice;
    unsigned long long enough = 0;
    int count;
    search.ranks_per_node = 1;
    search.options = &options;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
    CHECK(sscanf(sct_last_reason(), "memory: 1000 bytes hold no layouts and workspace; %llu do",
                 &enough) == 1);
    search.memory = enough;
    if (CHECK_CASE(sct_choose(&search, 1, &choice, &count) == SCT_OK, "%s", sct_last_reason()))
        sct_choices_clear(&choice, 1);
}

/* It is not the memory that is too little, with or without a limit on it. */
static void test_little_workspace(void) {
    sct_options options = {.size = sizeof options, .workspace = 8};
    for (uint64_t memory = 0; memory <= 15100; memory += 15100) {
        sct_search search = search_for(memory);
        sct_choice choice;
        int count;
        search.ranks_per_node = 1;
        search.options = &options;
        CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
        CHECK_CASE(strstr(sct_last_reason(), "workspace: 8 bytes are too few"), "%s",
                   sct_last_reason());
    }
}

static void test_stay(void) {
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
        sct_options options = {.size = sizeof options, .stay = (sct_stay)stay};
        sct_search search = search_for(0);
        sct_choice choices[WANTED];
        int count = 0;
        search.options = &options;
        CHECK(sct_choose(&search, WANTED, choices, &count) == SCT_OK && count == WANTED);
        for (int i = 0; i < count; i++)
            CHECK(choices[i].stay == options.stay);
        sct_choices_clear(choices, count);
    }
}

int main(void) {
    test_copies();
    test_no_workspace();
    test_whole_tiles();
    test_little_workspace();
    test_stay();
    return check_report("choose_cases");
}
