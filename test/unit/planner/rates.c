/* rates.c - rates of measured products, and the machine that plans are for when they are known. */
#include "planner/rates.h"
#include "layout/layout.h"
#include "planner/wisdom.h"
#include "support/check.h"
#include "support/problems.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 8, PER_NODE = 2, FAR = 1 };

static struct sct_machine usual(void) {
    return sct_machine_default(PER_NODE, false);
}

static void test_find(void) {
    struct sct_machine machine = usual();
    double link = sct_level_rate(&machine, FAR, RANKS), much = 1e9;
    sct_rates rates = sct_rates_find(1, 2, much, much / link / 10, PER_NODE, RANKS);
    CHECK(rates.computing == 500);
    CHECK(llabs(rates.far - 10000) <= 1);
    rates = sct_rates_find(1e-4, 2e-4, 1000, 1, PER_NODE, RANKS);
    CHECK(rates.computing == 0 && rates.far == 0);
    rates = sct_rates_find(0, 2, 0, 0, PER_NODE, RANKS);
    CHECK(rates.computing == 0 && rates.far == 0);
}

static void test_add(void) {
    sct_rates known = {0, 0};
    sct_rates_add(&(sct_rates){500, 2000}, &known);
    CHECK(known.computing == 500 && known.far == 2000);
    sct_rates_add(&(sct_rates){700, 1000}, &known);
    CHECK(known.computing == 500 && known.far == 2000);
    sct_rates_add(&(sct_rates){0, 3000}, &known);
    CHECK(known.computing == 500 && known.far == 3000);
}

static void test_apply(void) {
    static const sct_layout none;
    struct sct_machine machine, plain = usual();
    sct_problem problem = {.size = sizeof problem, .ranks = RANKS, .ranks_per_node = PER_NODE};
    const sct_rates unknown = {0, 0}, slower = {0, 900}, both = {500, 10000};
    sct_options own, given = {.size = sizeof given, .ordered = 0, .workspace = 7};
    CHECK(!sct_rates_apply(&unknown, &problem, NULL, &own, &machine));
    CHECK(!sct_rates_apply(&slower, &problem, NULL, &own, &machine));
    CHECK(sct_rates_apply(&both, &problem, NULL, &own, &machine) == &own);
    CHECK(own.machine == &machine);
    CHECK(machine.peak[SCT_F64] == plain.peak[SCT_F64] / 2);
    CHECK(machine.level[FAR].pair == plain.level[FAR].pair * 10);
    CHECK(machine.level[FAR].uplink == plain.level[FAR].uplink * 10);
    CHECK(machine.level[0].pair == plain.level[0].pair && machine.level[0].ranks == PER_NODE);
    CHECK(sct_rates_apply(&both, &problem, &given, &own, &machine) == &own && own.workspace == 7);
    given.stay = SCT_STAY_B;
    CHECK(sct_rates_apply(&both, &problem, &given, &own, &machine) == &given);
    given.stay = SCT_STAY_AUTO;
    given.machine = &plain;
    CHECK(sct_rates_apply(&both, &problem, &given, &own, &machine) == &given);
    given.machine = NULL;
    given.work = &none;
    CHECK(sct_rates_apply(&both, &problem, &given, &own, &machine) == &given);
    problem.gpus = SCT_GPUS_HALVES;
    CHECK(!sct_rates_apply(&both, &problem, NULL, &own, &machine));
}

/* Returns the text of wisdom that is read from a text; NULL: it is refused. */
static char *read_and_print(const char *text) {
    sct_wisdom wisdom;
    if (sct_wisdom_parse(text, &wisdom) != SCT_OK)
        return NULL;
    size_t bytes = sct_wisdom_print(&wisdom, NULL, 0) + 1;
    char *printed = malloc(bytes);
    CHECK(printed);
    sct_wisdom_print(&wisdom, printed, bytes);
    sct_wisdom_clear(&wisdom);
    return printed;
}

static void test_text(void) {
    static const char head[] = "sectile wisdom 1\n",
                      text[] = "sectile wisdom 1\ncomputing=5 far=0\n";
    static const char *const refused[] = {
        "sectile wisdom 1\ncomputing=0 far=0\n", "sectile wisdom 1\ncomputing=1\n",
        "sectile wisdom 1\ncomputing=1 far=1 \n", "sectile wisdom 1\ncomputing=1 far=99999999999\n",
        "sectile wisdom 1\ncomputing=1 far=1\ncomputing=1 far=1\n"};
    char *same = read_and_print(text), *none = read_and_print(head);
    CHECK(same && strcmp(same, text) == 0);
    CHECK(none && strcmp(none, head) == 0);
    free(same);
    free(none);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_CASE(!read_and_print(refused[i]), "%s", refused[i]);
}

int main(void) {
    test_find();
    test_add();
    test_apply();
    test_text();
    return check_report("rates");
}
