/* bytes_and_time.c - the default aim: first a choice that moves no more than the best grid, if
 * there is one, then the fastest choices. */
#include "support/check.h"
#include "support/choices.h"

#include <string.h>

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

static bool alike(const sct_choice *x, const sct_choice *y) {
    const sct_layout *of_x[] = {x->a, x->b, x->c}, *of_y[] = {y->a, y->b, y->c};
    bool same = x->stay == y->stay && x->slicing == y->slicing && x->schedule == y->schedule;
    for (int i = 0; i < 3; i++) {
        char text_x[200], text_y[200];
        sct_layout_print(of_x[i], text_x, sizeof text_x);
        sct_layout_print(of_y[i], text_y, sizeof text_y);
        same = same && strcmp(text_x, text_y) == 0;
    }
    return same;
}

/* The first choice is followed by those by time, without it, as many as there are places for. */
static void check_others(const sct_choice *both, int count, int most, const sct_choice *by_time,
                         int timed) {
    int at = 1;
    for (int i = 0; i < timed && at < most; i++)
        if (!alike(&by_time[i], &both[0])) {
            CHECK_CASE(at < count && alike(&by_time[i], &both[at]),
                       "choice %d by time is not choice %d", i, at);
            at++;
        }
    CHECK(at == count);
}

/* Whether the fastest choice is not the first one. */
static bool test_shape(choices_shape s, int ranks, int most) {
    sct_search search = on_cluster(s, ranks);
    sct_choice both[MORE], by_time[MORE];
    double limit = 1.02 * choices_best_grid(s, ranks);
    int count = choose(&search, SCT_AIM_BOTH, most, both);
    int timed = choose(&search, SCT_AIM_TIME, most, by_time);
    bool other = false;
    if (CHECK(count > 0 && timed > 0)) {
        other = by_time[0].bytes_each > limit;
        CHECK_CASE(both[0].bytes_each <= limit, "%g bytes, not %g", both[0].bytes_each, limit);
        CHECK(other || alike(&both[0], &by_time[0]));
        CHECK(count <= most);
        check_others(both, count, most, by_time, timed);
    }
    sct_choices_clear(both, count);
    sct_choices_clear(by_time, timed);
    sct_machine_destroy((sct_machine *)search.machine);
    return other;
}

/* If fixed layouts or the memory force more traffic than on the best grid, the order is by time. */
static void test_hindered(const char *fixed, uint64_t memory) {
    sct_search search = on_cluster((choices_shape){4096, 4096, 4096}, 8);
    sct_choice both[MOST], by_time[MOST];
    search.memory = memory;
    if (fixed)
        CHECK(sct_layout_parse(fixed, search.m, search.k, search.ranks, (sct_layout **)&search.a) ==
              SCT_OK);
    int count = choose(&search, SCT_AIM_BOTH, MOST, both);
    int timed = choose(&search, SCT_AIM_TIME, MOST, by_time);
    CHECK(count == timed && count > 0);
    for (int i = 0; i < count && i < timed; i++)
        CHECK(alike(&both[i], &by_time[i]));
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
    test_hindered("row@1", 0);
    test_hindered(NULL, 60000000);
    test_uses();
    return check_report("choose_both");
}
