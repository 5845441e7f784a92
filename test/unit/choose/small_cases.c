/* small_cases.c - choices for one small product on 4 ranks: with little memory or workspace, with a
 * fixed stationary matrix, and where nothing can be chosen. */
#include "support/check.h"

#include <sectile/sectile.h>

#include <stdio.h>
#include <string.h>

enum { RANKS = 4, WANTED = 3 };

/* A rank's parts of all three matrices take 14 kB. */
static sct_search search_for(uint64_t memory) {
    return (sct_search){.size = sizeof(sct_search),
                        .type = SCT_F64,
                        .m = 60,
                        .n = 50,
                        .k = 40,
                        .ranks = RANKS,
                        .memory = memory};
}

/* Matrices that are used often are worth replicating; with little memory A or B, but not both. */
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

/* Only the parts fit; there is no room for workspace. */
static void test_no_workspace(void) {
    sct_search search = search_for(15100);
    sct_choice choice;
    int count;
    search.ranks_per_node = 1;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
}

/* Whole tiles cannot be cut to fit a small workspace, and the reason says how much they need. */
static void test_whole_tiles(void) {
    sct_options options = {.size = sizeof options, .fetch = SCT_FETCH_TILE};
    sct_search search = search_for(1000);
    sct_choice choice;
    unsigned long long enough = 0;
    int count;
    search.ranks_per_node = 1;
    search.options = &options;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
    CHECK(sscanf(sct_last_reason(),
                 "memory: 1000 bytes are too few for any layouts and their workspace; %llu suffice",
                 &enough) == 1);
    search.memory = enough;
    if (CHECK_CASE(sct_choose(&search, 1, &choice, &count) == SCT_OK, "%s", sct_last_reason()))
        sct_choices_clear(&choice, 1);
}

/* The workspace limit is too small, not the memory, with or without a memory limit. The product is
 * tiny, as it is cut into its single terms. */
static void test_little_workspace(void) {
    sct_options options = {.size = sizeof options, .workspace = 8};
    for (uint64_t memory = 0; memory <= 610; memory += 610) {
        sct_search search = search_for(memory);
        sct_choice choice;
        int count;
        search.m = 12;
        search.n = 10;
        search.k = 8;
        search.ranks = 6;
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

static void check_refused(const sct_search *search, const char *reason) {
    sct_choice choice;
    int count;
    CHECK(sct_choose(search, 1, &choice, &count) == SCT_BAD_ARGUMENT);
    CHECK_CASE(strcmp(sct_last_reason(), reason) == 0, "%s, not %s", sct_last_reason(), reason);
}

static void test_errors(void) {
    const sct_search search = {.size = sizeof search,
                               .type = SCT_F64,
                               .m = 10,
                               .n = 20,
                               .k = 30,
                               .ranks = 4,
                               .ranks_per_node = 1};
    sct_search bad = search;
    sct_layout *layout;
    CHECK(sct_layout_create_row(10, 20, 4, &layout) == SCT_OK);
    bad.m = 0;
    check_refused(&bad, "shape 0x20x30: m, n and k must be at least 1, as otherwise "
                        "nothing is moved");
    bad = search;
    bad.ranks = 0;
    check_refused(&bad, "ranks: 0 is not between 1 and 1048576");
    bad = search;
    bad.uses = -1;
    check_refused(&bad, "uses: -1 is negative");
    bad = search;
    bad.type = (sct_type)77;
    check_refused(&bad, "type 77 is not one of f32, f64, cf32, cf64, f16, bf16");
    bad = search;
    bad.aim = (sct_aim)77;
    check_refused(&bad, "aim: 77 is not one of both, time, bytes");
    bad = search;
    bad.a = layout;
    check_refused(&bad, "a: the layout is for 10x20, not 10x30");
    bad = search;
    bad.options = &(sct_options){.size = sizeof *bad.options, .stay = SCT_STAY_A, .work = layout};
    check_refused(&bad, "work: the layout is for 10x20, not 10x30");
    bad = search;
    bad.options = &(sct_options){.size = sizeof *bad.options, .work = layout};
    bad.ranks = 3;
    check_refused(&bad, "work: the layout uses 4 ranks, but there are 3");
    bad = search;
    bad.c = layout;
    bad.ranks = 3;
    check_refused(&bad, "c: the layout uses 4 ranks, but there are 3");
    bad = search;
    CHECK(sct_machine_load("pvc12", (sct_machine **)&bad.machine) == SCT_OK);
    bad.ranks = 13;
    check_refused(&bad, "ranks: 13 is more than the 12 ranks of pvc12");
    sct_machine_destroy((sct_machine *)bad.machine);
    bad = search;
    CHECK(sct_machine_parse("{\"name\": \"one\", \"peak\": {\"f32\": 1}, \"links\": [{}]}", "one",
                            (sct_machine **)&bad.machine) == SCT_OK);
    check_refused(&bad, "one: its peak for f64 is not known");
    sct_machine_destroy((sct_machine *)bad.machine);
    check_refused(NULL, "'search' is NULL");
    sct_layout_destroy(layout);
}

int main(void) {
    test_copies();
    test_no_workspace();
    test_whole_tiles();
    test_little_workspace();
    test_stay();
    test_errors();
    return check_report("choose_cases");
}
