/* large.c - choices for more ranks and larger matrices than can all be planned; and beside matrices
 * on a few of many ranks. */
#include "support/check.h"
#include "support/choices.h"

enum { MOST = 3 };

static sct_search on_cluster(int64_t m, int64_t n, int64_t k, int ranks) {
    sct_search search = {
        .size = sizeof search, .type = SCT_F64, .m = m, .n = n, .k = k, .ranks = ranks};
    CHECK(sct_machine_load("cluster", (sct_machine **)&search.machine) == SCT_OK);
    return search;
}

/* Of many ranks the busiest are planned. Rank 0 is none of them here; and what it takes to add up
 * replicas is that of the same rank. */
static void test_busiest(int64_t n, int64_t k, sct_stay stay) {
    sct_search search = on_cluster(8192, n, k, 96);
    sct_choice choice;
    int count;
    search.options = &(sct_options){.size = sizeof *search.options, .stay = stay};
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        sct_problem problem = choices_problem(&search, &choice);
        sct_options options = choices_options(&choice);
        uint64_t most = 0, reduced = 0;
        problem.ranks_per_node = sct_machine_ranks_per_node(search.machine);
        options.machine = search.machine;
        for (int rank = 0; rank < search.ranks; rank++) {
            sct_plan *plan;
            sct_cost cost = {.bytes_got = UINT64_MAX};
            if (CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK)) {
                sct_plan_cost(plan, &cost);
                sct_plan_destroy(plan);
            }
            uint64_t moved = cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated;
            reduced = moved > most ? cost.bytes_reduced : reduced;
            most = moved > most ? moved : most;
        }
        CHECK((stay == SCT_STAY_C) == (reduced > 0));
        CHECK_CASE(choice.planned < search.ranks && choice.bytes <= most &&
                       (double)choice.bytes >= 0.999 * (double)most &&
                       choice.bytes_reduced == reduced,
                   "%llu bytes of %d ranks, not %llu", (unsigned long long)choice.bytes,
                   choice.planned, (unsigned long long)most);
        sct_choices_clear(&choice, 1);
    }
    sct_machine_destroy((sct_machine *)search.machine);
}

/* If the large matrix is on two ranks, the other ranks are not used. */
static void test_few_ranks(void) {
    sct_search search = on_cluster(512, 512, 65536, 16);
    sct_choice choice;
    int count;
    CHECK(sct_layout_create_row(512, 65536, 2, (sct_layout **)&search.a) == SCT_OK);
    if (CHECK(sct_choose(&search, 1, &choice, &count) == SCT_OK)) {
        CHECK(sct_layout_ranks(choice.b) <= 2 && sct_layout_ranks(choice.c) <= 2);
        sct_choices_clear(&choice, 1);
    }
    sct_layout_destroy((sct_layout *)search.a);
    sct_machine_destroy((sct_machine *)search.machine);
}

/* For matrices of terabytes few plans are made; otherwise a choice would take minutes. */
static void test_huge(void) {
    sct_search search = on_cluster(1000000, 1000000, 1000000, 64);
    sct_choice choices[MOST];
    int count = 0;
    CHECK(sct_choose(&search, MOST, choices, &count) == SCT_OK && count > 0);
    for (int i = 0; i < count; i++)
        CHECK_CASE(choices[i].steps < 8192 || choices[i].planned <= 4, "%lld steps of %d ranks",
                   (long long)choices[i].steps, choices[i].planned);
    sct_choices_clear(choices, count);
    sct_machine_destroy((sct_machine *)search.machine);
}

/* Bytes moved by the first choice over the lower bound; 0: there is none. */
static double times_bound(const sct_search *search) {
    sct_choice choice;
    sct_lower_bound bound;
    int count;
    if (!CHECK_CASE(sct_choose(search, 1, &choice, &count) == SCT_OK, "%s", sct_last_reason()))
        return 0;
    CHECK(sct_lower_bound_find(search->type, search->m, search->n, search->k, search->ranks, 0,
                               &bound) == SCT_OK);
    double times = choice.bytes_each / bound.bytes;
    sct_choices_clear(&choice, 1);
    return times;
}

/* Up to a million ranks little is moved, also with numbers of ranks that have large prime factors,
 * and with boxes of work that no workspace of the default size keeps. */
static void test_many_ranks(void) {
    static const struct {
        int64_t m, n, k;
        int ranks;
        double most;
    } cases[] = {
        {16384, 49152, 12288, 65536, 1.1},         {30000, 20000, 10000, 65536, 1.1},
        {1000000, 1000000, 1000000, 1048576, 1.1}, {1000000, 1000000, 1000000, 720720, 1.1},
        {1000000, 300000, 2000000, 2 * 4999, 1.1}, {300000, 300000, 300000, 512, 1.1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sct_search search = on_cluster(cases[i].m, cases[i].n, cases[i].k, cases[i].ranks);
        double times = times_bound(&search);
        CHECK_CASE(times > 0 && times <= cases[i].most, "%d ranks: %.3f of the bound",
                   cases[i].ranks, times);
        sct_machine_destroy((sct_machine *)search.machine);
    }
}

/* Where not all ranks are looked at, the memory suffices for each of them. */
static void test_memory_of_many(void) {
    sct_search search = on_cluster(30011, 20011, 10007, 4104);
    sct_choice choice;
    int count;
    search.memory = 16 << 20;
    if (CHECK_CASE(sct_choose(&search, 1, &choice, &count) == SCT_OK, "%s", sct_last_reason())) {
        choices_check_fit(&search, &choice);
        sct_choices_clear(&choice, 1);
    }
    sct_machine_destroy((sct_machine *)search.machine);
}

int main(void) {
    test_busiest(49152, 12288, SCT_STAY_B);
    test_busiest(12288, 49152, SCT_STAY_C);
    test_few_ranks();
    test_huge();
    test_many_ranks();
    test_memory_of_many();
    return check_report("choose_large");
}
