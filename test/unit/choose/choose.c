/* choose.c - chosen layouts: they give the complete product, fit in the memory, and keep what is
 * fixed. */
#include "support/check.h"
#include "support/choices.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST = 4, MANY = 24 };

/* Every choice gives the complete product, including its rank maps and cuts. */
static void test_products(int ranks, sct_aim aim) {
    const choices_shape s = {50, 36, 70};
    sct_search search = choices_search(s, ranks);
    sct_choice choice[MOST];
    int count = 0;
    search.aim = aim;
    CHECK(sct_choose(&search, MOST, choice, &count) == SCT_OK && count > 0 && count <= MOST);
    for (int i = 0; i < count; i++) {
        sct_problem problem = choices_problem(&search, &choice[i]);
        sct_options options = choices_options(&choice[i]);
        CHECK_CASE(sct_plan_check(&problem, &options) == SCT_OK, "%d ranks, choice %d: %s", ranks,
                   i, sct_last_reason());
        CHECK(choice[i].seconds >= choice[i].product_seconds && choice[i].product_seconds > 0);
    }
    for (int i = 1; i < count && aim == SCT_AIM_TIME; i++)
        choices_check_before(&choice[0], &choice[i]);
    sct_choices_clear(choice, count);
}

/* A memory limit is kept. Below the minimum the reason says how much would suffice, and that does.
 */
static void test_memory(int ranks) {
    const choices_shape s = {600, 500, 400};
    sct_search search = choices_search(s, ranks);
    sct_choice choice;
    int count;
    unsigned long long given = 0, enough = 0;
    search.memory = 8000000 / (uint64_t)ranks;
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(choice.memory <= search.memory);
        sct_choices_clear(&choice, 1);
    }
    search.memory = 5600000 / (uint64_t)ranks;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_WORKSPACE);
    CHECK_CASE(
        sscanf(sct_last_reason(),
               "memory: %llu bytes are too few for any layouts and their workspace; %llu suffice",
               &given, &enough) == 2 &&
            given == search.memory && enough > given,
        "%s", sct_last_reason());
    search.memory = enough;
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(choice.memory <= enough);
        choices_check_fit(&search, &choice);
        sct_choices_clear(&choice, 1);
    }
}

/* With many uses it pays to replicate B, with one use it does not. */
static void test_uses(void) {
    const choices_shape s = {65536, 256, 256};
    sct_search search = choices_search(s, 8);
    sct_choice choice;
    int count;
    search.uses = 1000;
    search.aim = SCT_AIM_BYTES;
    if (!CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK))
        return;
    CHECK(sct_layout_replicas(choice.b) == 8 && choice.bytes == 0);
    CHECK_CASE(choice.bytes_made == 256 * 256 * 8 * 7 / 8, "%" PRIu64 " bytes", choice.bytes_made);
    CHECK(choice.seconds < choice.product_seconds * 1.01);
    sct_choices_clear(&choice, 1);
}

/* A fixed layout is kept and costs nothing to make. If it may be changed, the result is never
 * slower, and here it is faster. */
static void test_fixed(void) {
    const choices_shape s = {4096, 4096, 4096};
    sct_search search = choices_search(s, 8);
    sct_choice fixed, moved;
    sct_layout *col, *other;
    int count;
    CHECK(sct_layout_create_col(s.m, s.k, 2, &other) == SCT_OK);
    CHECK(sct_layout_replicate(other, 4, &col) == SCT_OK);
    search.a = col;
    search.aim = SCT_AIM_BYTES;
    CHECK(sct_choose(&search, 1, &fixed, &count) == SCT_OK);
    CHECK(fixed.a == col && fixed.bytes_made == 0);
    sct_choices_clear(&fixed, 1);
    search.a = other; /* on two ranks of eight */
    search.aim = SCT_AIM_TIME;
    CHECK(sct_choose(&search, 1, &fixed, &count) == SCT_OK && fixed.a == other);
    search.redistribute = 1;
    CHECK(sct_choose(&search, 1, &moved, &count) == SCT_OK && moved.a != other);
    CHECK(moved.seconds < fixed.seconds && moved.bytes_made > 0);
    sct_choices_clear(&fixed, 1);
    sct_choices_clear(&moved, 1);
    sct_layout_destroy(col);
    sct_layout_destroy(other);
}

/* A work layout that is given is kept, and layouts are found that suit it: on 2 x 2 x 2 ranks, each
 * moves half of what it uses. Beside one that equals a matrix, the matrix is stationary. */
static void test_given_work(void) {
    const choices_shape s = {4096, 4096, 4096};
    sct_search search = choices_search(s, 8);
    sct_options options = {.size = sizeof options};
    sct_choice choice[MOST];
    sct_layout *work, *rows;
    int count = 0;
    CHECK(sct_layout_parse("2d:2x2*2%0,2,4,6,1,3,5,7", s.m, s.n, 8, &work) == SCT_OK);
    CHECK(sct_layout_create_row(s.m, s.n, 8, &rows) == SCT_OK);
    options.work = work;
    search.options = &options;
    search.aim = SCT_AIM_BYTES;
    CHECK(sct_choose(&search, MOST, choice, &count) == SCT_OK && count == MOST);
    for (int i = 0; i < count; i++)
        CHECK(choice[i].stay == SCT_STAY_C &&
              (choice[i].work == work || (!choice[i].work && choice[i].c == work)));
    CHECK(choice[0].work == work && choice[0].bytes == 3 * 2048 * 2048 * 8 / 2);
    sct_choices_clear(choice, count);
    search.c = rows;
    CHECK(sct_choose(&search, 1, choice, &count) == SCT_OK && choice->work == work);
    CHECK(choice->c == rows);
    sct_choices_clear(choice, count);
    options.work = rows;
    CHECK(sct_choose(&search, 1, choice, &count) == SCT_OK && !choice->work && choice->c == rows);
    sct_choices_clear(choice, count);
    sct_layout_destroy(work);
    sct_layout_destroy(rows);
}

/* Beside work that is dealt in blocks, matrices are dealt alike, so that each rank moves half of
 * what it uses, as on the grid of equal parts. */
static void test_dealt_work(void) {
    static const char *const works[] = {"2d:2x2*2:64", "cyclic:64x64@2x2*2",
                                        "cyclic:64x64@2x2*2:64"};
    const choices_shape s = {4096, 4096, 4096};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        sct_search search = choices_search(s, 8);
        sct_options options = {.size = sizeof options};
        sct_choice choice = {.c = NULL};
        sct_layout *work;
        int count = 0;
        CHECK(sct_layout_parse(works[i], s.m, s.n, 8, &work) == SCT_OK);
        options.work = work;
        search.options = &options;
        search.aim = SCT_AIM_BYTES;
        CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK && count == 1);
        CHECK_CASE(choice.work == work && choice.bytes == 3 * 2048 * 2048 * 8 / 2,
                   "%s: %" PRIu64 " bytes", works[i], choice.bytes);
        sct_choices_clear(&choice, count);
        sct_layout_destroy(work);
    }
}

/* Beside blocks of one index, and sizes that nothing divides, layouts are not lists of cuts. */
static void test_short_texts(void) {
    const choices_shape s = {1009, 997, 1013};
    sct_search search = choices_search(s, 6);
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
    sct_choice choice[MANY];
    sct_layout *ones;
    int count = 0;
    CHECK(sct_layout_parse("cyclic:1x1", s.m, s.n, 6, &ones) == SCT_OK);
    search.c = ones;
    search.options = &options;
    CHECK(sct_choose(&search, MANY, choice, &count) == SCT_OK && count > 1);
    for (int i = 0; i < count; i++)
        CHECK(sct_layout_print(choice[i].a, NULL, 0) < 64 &&
              sct_layout_print(choice[i].b, NULL, 0) < 64);
    sct_choices_clear(choice, count);
    sct_layout_destroy(ones);
}

/* However the work is dealt or cut, the plans beside it are the product. */
static void test_products_of_work(void) {
    static const char *const works[] = {"cyclic:7x5@2x3,src=1x2,first=3x2*2:9", "row*3:10",
                                        "cyclic:1x30@3x4,src=2x0",
                                        "cuts:20,40x9,11@0,1,0x1,0,2*2:5"};
    const choices_shape s = {50, 36, 70};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        sct_search search = choices_search(s, 12);
        sct_options options = {.size = sizeof options};
        sct_choice choice[MANY];
        sct_layout *work;
        int count = 0;
        CHECK(sct_layout_parse(works[i], s.m, s.n, 12, &work) == SCT_OK);
        options.work = work;
        search.options = &options;
        search.uses = 5;
        CHECK(sct_choose(&search, MANY, choice, &count) == SCT_OK && count > 1);
        for (int j = 0; j < count; j++) {
            sct_problem problem = choices_problem(&search, &choice[j]);
            sct_options by = choices_options(&choice[j]);
            CHECK_CASE(sct_plan_check(&problem, &by) == SCT_OK, "%s, choice %d: %s", works[i], j,
                       sct_last_reason());
        }
        sct_choices_clear(choice, count);
        sct_layout_destroy(work);
    }
}

/* Where no stationary matrix gives as little time, work that keeps none is chosen. */
static void test_free_work(void) {
    sct_search search = choices_search((choices_shape){4096, 4096, 4096}, 8);
    sct_choice chosen, kept;
    int count;
    if (!CHECK(sct_choose(&search, 1, &chosen, &count) == SCT_OK && chosen.work))
        return;
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
        sct_options options = {.size = sizeof options, .stay = (sct_stay)stay};
        search.options = &options;
        if (CHECK(sct_choose(&search, 1, &kept, &count) == SCT_OK)) {
            CHECK(!kept.work && chosen.bytes_each <= kept.bytes_each);
            CHECK_CASE(chosen.expected < kept.expected, "%g and %g s", chosen.expected,
                       kept.expected);
            sct_choices_clear(&kept, 1);
        }
    }
    sct_choices_clear(&chosen, 1);
}

/* With a memory limit, a choice comes with the workspace limit that makes it fit. */
static void test_limit(void) {
    sct_search search = choices_search((choices_shape){1000, 1000, 1000}, 4);
    sct_choice choice;
    int count = 7;
    CHECK(sct_layout_parse("row%0,1,2,3", search.m, search.k, search.ranks,
                           (sct_layout **)&search.a) == SCT_OK);
    search.memory = 6187500;
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(choice.workspace > 0 && choice.simulated > 0);
        choices_check_fit(&search, &choice);
        sct_choices_clear(&choice, 1);
    }
    CHECK(sct_choose(&search, 0, &choice, &count) == SCT_BAD_ARGUMENT && count == 0);
    sct_layout_destroy((sct_layout *)search.a);
}

/* The same if the rank that stores most is not among those that are planned: here one in the middle
 * of many stores most of A. */
static void test_largest(void) {
    enum { RANKS = 100, LARGE = 40, BLOCK = 10, MORE = 6 };
    sct_search search = choices_search((choices_shape){RANKS * BLOCK, 1000, 1000}, RANKS);
    sct_choice choice;
    int64_t cuts[RANKS - 1];
    int owners[RANKS], count;
    for (int i = 0; i < RANKS; i++) {
        owners[i] = i;
        if (i > 0)
            cuts[i - 1] = i * BLOCK + (i == LARGE + 1 ? MORE : 0);
    }
    sct_cuts rows = {RANKS, cuts, owners}, cols = {1, cuts, owners};
    CHECK(sct_layout_create_cuts(search.m, search.k, RANKS, 1, &rows, &cols,
                                 (sct_layout **)&search.a) == SCT_OK);
    search.memory = 340000;
    if (CHECK_CASE(sct_choose(&search, 1, &choice, &count) == SCT_OK, "%s", sct_last_reason())) {
        CHECK(choice.workspace > 0);
        choices_check_fit(&search, &choice);
        sct_choices_clear(&choice, 1);
    }
    sct_layout_destroy((sct_layout *)search.a);
}

/* And if only some of many ranks are planned, and others use slightly more. */
static void test_sampled(void) {
    sct_search search = choices_search((choices_shape){5932, 5029, 1703}, 84);
    sct_choice choice[MOST + 1];
    int count = 0;
    CHECK(sct_machine_load("cluster", (sct_machine **)&search.machine) == SCT_OK);
    CHECK(sct_layout_parse("col@7", search.m, search.n, search.ranks, (sct_layout **)&search.c) ==
          SCT_OK);
    search.ranks_per_node = 2;
    search.memory = 51562224;
    CHECK(sct_choose(&search, MOST + 1, choice, &count) == SCT_OK && count > 0);
    for (int i = 0; i < count; i++)
        choices_check_fit(&search, &choice[i]);
    sct_choices_clear(choice, count);
    sct_layout_destroy((sct_layout *)search.c);
    sct_machine_destroy((sct_machine *)search.machine);
}

/* Beside a matrix on few ranks of many, the printed layouts mean what was chosen. */
static void test_few(void) {
    sct_search search = choices_search((choices_shape){1000, 1000, 1000}, 8);
    sct_choice choice[MOST];
    int count = 0;
    CHECK(sct_layout_create_row(search.k, search.n, 1, (sct_layout **)&search.b) == SCT_OK);
    CHECK(sct_choose(&search, MOST, choice, &count) == SCT_OK && count > 0);
    for (int i = 0; i < count; i++) {
        const sct_layout *chosen[] = {choice[i].a, choice[i].c};
        for (int j = 0; j < 2; j++) {
            char text[200];
            sct_layout *read = NULL;
            CHECK(sct_layout_print(chosen[j], text, sizeof text) < sizeof text);
            CHECK(sct_layout_parse(text, 1000, 1000, search.ranks, &read) == SCT_OK);
            CHECK_CASE(sct_layout_ranks(read) == sct_layout_ranks(chosen[j]),
                       "%s on %d ranks is on %d", text, sct_layout_ranks(chosen[j]),
                       sct_layout_ranks(read));
            sct_layout_destroy(read);
        }
    }
    sct_choices_clear(choice, count);
    sct_layout_destroy((sct_layout *)search.b);
}

int main(void) {
    for (int ranks = 1; ranks <= 12; ranks++) {
        test_products(ranks, SCT_AIM_TIME);
        test_products(ranks, SCT_AIM_BYTES);
    }
    test_memory(8);
    test_memory(7);
    test_uses();
    test_fixed();
    test_given_work();
    test_dealt_work();
    test_short_texts();
    test_products_of_work();
    test_free_work();
    test_few();
    test_limit();
    test_largest();
    test_sampled();
    return check_report("choose");
}
