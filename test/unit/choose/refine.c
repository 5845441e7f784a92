/* refine.c - the slicing and the order of a choice, decided by simulation, and where replicas are
 * placed. */
#include "choose/search.h"
#include "support/check.h"
#include "support/choices.h"

#include <string.h>

enum { MOST = 4 };

static double simulated(const sct_search *search, const sct_choice *choice, sct_slicing slicing,
                        sct_schedule schedule) {
    sct_problem problem = choices_problem(search, choice);
    sct_options options = {.size = sizeof options,
                           .stay = choice->stay,
                           .work = choice->work,
                           .slicing = slicing,
                           .schedule = schedule,
                           .workspace = (size_t)choice->workspace};
    sct_forecast forecast = {.seconds = 0};
    CHECK(sct_simulate(&problem, &options, search->machine, NULL, &forecast) == SCT_OK);
    return forecast.seconds;
}

/* Another order is chosen only if the simulation with it is clearly faster, it fits, and the order
 * is not fixed. */
static void test_orders(void) {
    sct_search search = choices_search((choices_shape){8192, 8192, 8192}, 12);
    sct_options settled = {.size = sizeof settled, .schedule = SCT_COST};
    sct_choice choice;
    int count;
    CHECK(sct_machine_load("pvc12", (sct_machine **)&search.machine) == SCT_OK);
    search.type = SCT_F32;
    search.ranks_per_node = 0;
    if (!CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK))
        return;
    CHECK(choice.schedule != SCT_DIRECT);
    CHECK(choice.simulated == simulated(&search, &choice, choice.slicing, choice.schedule));
    CHECK(choice.simulated < 0.95 * simulated(&search, &choice, SCT_SLICE_CLASS, SCT_DIRECT));
    search.memory = choice.memory - 1;
    sct_choices_clear(&choice, 1);
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK && choice.memory <= search.memory);
    CHECK(choice.simulated == simulated(&search, &choice, choice.slicing, choice.schedule));
    choices_check_fit(&search, &choice);
    sct_choices_clear(&choice, 1);
    search.memory = 0;
    search.options = &settled;
    CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK && choice.schedule == SCT_COST);
    sct_choices_clear(&choice, 1);
    sct_machine_destroy((sct_machine *)search.machine);
}

/* Not if it is only slightly faster. */
static void test_alike_orders(void) {
    sct_search search = choices_search((choices_shape){8192, 12288, 49152}, 4);
    sct_choice choice;
    int count;
    CHECK(sct_machine_load("cluster", (sct_machine **)&search.machine) == SCT_OK);
    search.ranks_per_node = 0;
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(choice.slicing == SCT_SLICE_CLASS && choice.schedule == SCT_DIRECT);
        CHECK(simulated(&search, &choice, SCT_SLICE_CLASS, SCT_GREEDY) > 0.95 * choice.simulated);
        sct_choices_clear(&choice, 1);
    }
    sct_machine_destroy((sct_machine *)search.machine);
}

/* Replicas that have to be made are placed on one node if copying within it takes almost no time.
 */
static void test_neighbours(void) {
    sct_search search = choices_search((choices_shape){8192, 12288, 49152}, 64);
    sct_choice choice;
    char text[64];
    int count;
    CHECK(sct_machine_load("cluster", (sct_machine **)&search.machine) == SCT_OK);
    search.ranks_per_node = 0;
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(choice.stay == SCT_STAY_B && sct_layout_replicas(choice.b) == 2);
        CHECK(sct_layout_print(choice.b, text, sizeof text) < sizeof text);
        CHECK_CASE(strstr(text, "*2%2x32,1x2"), "%s", text);
        CHECK(choice.seconds - choice.product_seconds < 0.01 * choice.product_seconds);
        sct_choices_clear(&choice, 1);
    }
    sct_machine_destroy((sct_machine *)search.machine);
}

/* All ranks are simulated, unless that is too much work or the machine has another number of ranks.
 * The first choice is the fastest of those wanted. */
static void test_every_choice(const char *name, sct_type type, int ranks, choices_shape s,
                              bool possible) {
    sct_search search = choices_search(s, ranks);
    sct_choice choice[MOST];
    int count = 0, simulated = 0;
    CHECK(sct_machine_load(name, (sct_machine **)&search.machine) == SCT_OK);
    search.type = type;
    search.aim = SCT_AIM_TIME;
    search.ranks_per_node = 0;
    CHECK(sct_choose(&search, MOST, choice, &count) == SCT_OK && count > 0);
    for (int i = 0; i < count; i++) {
        double product = choice[i].simulated > 0 ? choice[i].simulated : choice[i].product_seconds;
        simulated += choice[i].simulated > 0;
        CHECK(choice[i].expected == choice[i].seconds - choice[i].product_seconds + product);
    }
    for (int i = 1; i < count; i++)
        choices_check_before(&choice[0], &choice[i]);
    CHECK_CASE(simulated == (possible ? count : 0), "%d ranks of %s: %d of %d simulated", ranks,
               name, simulated, count);
    sct_choices_clear(choice, count);
    sct_machine_destroy((sct_machine *)search.machine);
}

int main(void) {
    test_orders();
    test_alike_orders();
    test_neighbours();
    test_every_choice("pvc12", SCT_F32, 12, (choices_shape){8192, 8192, 8192}, true);
    test_every_choice("pvc12", SCT_F32, 12, (choices_shape){8192, 12288, 49152}, true);
    test_every_choice("h100x8", SCT_F32, 8, (choices_shape){30000, 20000, 10000}, true);
    test_every_choice("pvc12", SCT_F32, 6, (choices_shape){8192, 8192, 8192}, false);
    test_every_choice("cluster", SCT_F64, 16, (choices_shape){16384, 16384, 16384}, true);
    test_every_choice("cluster", SCT_F64, 512, (choices_shape){16384, 16384, 16384}, false);
    return check_report("choose_ways");
}
