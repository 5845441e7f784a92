/* bytes_and_time.c - the default aim: bytes above those of the best grid count as time does. */
#include "support/check.h"
#include "support/choices.h"

enum { MOST = 4, MORE = 30 /* than are found */ };

static sct_search on_cluster(choices_shape s, int ranks) {
    sct_search search = choices_search(s, ranks);
    search.ranks_per_node = 0;
    CHECK(sct_machine_load("cluster", (sct_machine **)&search.machine) == SCT_OK);
    return search;
}

static int choose(const sct_search *search, sct_aim aim, int most, sct_choice *choices) {
    sct_search aimed = *search;
    int count = 0;
    aimed.aim = aim;
    CHECK_CASE(sct_choose(&aimed, most, choices, &count) == SCT_OK, "%s", sct_last_reason());
    return count;
}

static double value_of(const sct_choice *choice, double grid) {
    double excess = choice->bytes_each / grid;
    return choice->expected * (excess > 1 ? excess : 1);
}

/* The first choice has the least value, and moves little. Whether another one is faster. */
static bool test_shape(choices_shape s, int ranks, int most) {
    sct_search search = on_cluster(s, ranks);
    sct_choice both[MORE], by_time[MORE];
    double grid = choices_best_grid(s, ranks);
    int count = choose(&search, SCT_AIM_BOTH, most, both);
    int timed = choose(&search, SCT_AIM_TIME, most, by_time);
    bool other = false;
    if (CHECK(count > 0 && timed > 0)) {
        other = by_time[0].bytes_each > 1.02 * grid;
        CHECK_CASE(value_of(&both[0], grid) <= 1.02 * value_of(&by_time[0], grid),
                   "%g bytes in %g s, not %g in %g", both[0].bytes_each, both[0].expected,
                   by_time[0].bytes_each, by_time[0].expected);
        for (int i = 1; i < count; i++)
            CHECK(value_of(&both[0], grid) <= 1.02 * value_of(&both[i], grid));
        CHECK(count <= most);
    }
    sct_choices_clear(both, count);
    sct_choices_clear(by_time, timed);
    sct_machine_destroy((sct_machine *)search.machine);
    return other;
}

/* Where a matrix lies already, no grid says how little is moved: the order is by time. */
static void test_fixed(void) {
    sct_search search = on_cluster((choices_shape){4096, 4096, 4096}, 8);
    sct_choice both[MOST], by_time[MOST];
    CHECK(sct_layout_parse("row@1", search.m, search.k, search.ranks, (sct_layout **)&search.a) ==
          SCT_OK);
    int count = choose(&search, SCT_AIM_BOTH, MOST, both);
    int timed = choose(&search, SCT_AIM_TIME, MOST, by_time);
    CHECK(count == timed && count > 0);
    for (int i = 0; i < count && i < timed; i++)
        CHECK(both[i].expected == by_time[i].expected &&
              both[i].bytes_each == by_time[i].bytes_each);
    sct_choices_clear(both, count);
    sct_choices_clear(by_time, timed);
    sct_layout_destroy((sct_layout *)search.a);
    sct_machine_destroy((sct_machine *)search.machine);
}

/* Making replicas counts once, shared by all uses: for many products replicas of B move less than
 * any grid. */
static void test_uses(void) {
    sct_search search = on_cluster((choices_shape){65536, 1024, 1024}, 8);
    sct_choice choice;
    search.uses = 1000;
    if (CHECK(choose(&search, SCT_AIM_BOTH, 1, &choice) == 1)) {
        CHECK(sct_layout_replicas(choice.b) == 8 && choice.bytes == 0);
        CHECK(choice.bytes_each == (double)choice.bytes_made / 1000);
        sct_choices_clear(&choice, 1);
    }
    sct_machine_destroy((sct_machine *)search.machine);
}

int main(void) {
    static const choices_shape shapes[] = {
        {16384, 16384, 16384}, {8192, 49152, 12288}, {65536, 1024, 1024}, {30000, 20000, 10000}};
    int others = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        others += test_shape(shapes[i], 8, MOST);
        others += test_shape(shapes[i], 16, MORE);
        others += test_shape(shapes[i], 16, 1);
    }
    others += test_shape((choices_shape){32768, 512, 512}, 64, MOST);
    others += test_shape((choices_shape){65536, 256, 256}, 64, 1);
    CHECK_CASE(others >= 4, "%d times only there is something to put first", others);
    test_fixed();
    test_uses();
    return check_report("choose_both");
}
