/* choose.c - finds the best layouts of A, B and C for a described machine, compares the bytes that
 * they move with the lower bound, and simulates the best choice. */
#include <sectile/sectile.h>

#include <stdio.h>

enum { BEST = 3, LINE = 80 };

static void print_choice(const sct_choice *choice, const sct_lower_bound *bound) {
    char a[LINE], b[LINE], c[LINE];
    sct_layout_print(choice->a, a, sizeof a);
    sct_layout_print(choice->b, b, sizeof b);
    sct_layout_print(choice->c, c, sizeof c);
    printf("%.3f s, %.2f times the bound and %.2f to add up: A %s, B %s, C %s, %c stays\n",
           choice->seconds,
           (double)(choice->bytes - choice->bytes_reduced + choice->bytes_made) / bound->bytes,
           (double)choice->bytes_reduced / bound->bytes, a, b, c, "?ABC"[choice->stay]);
}

static sct_status simulate(const sct_search *search, const sct_choice *choice) {
    sct_problem problem = {.size = sizeof problem,
                           .type = search->type,
                           .a = choice->a,
                           .b = choice->b,
                           .c = choice->c,
                           .ranks = search->ranks};
    sct_options options = {.size = sizeof options,
                           .stay = choice->stay,
                           .slicing = choice->slicing,
                           .schedule = choice->schedule,
                           .machine = search->machine};
    sct_forecast forecast;
    sct_status status = sct_simulate(&problem, &options, search->machine, NULL, &forecast);
    if (status == SCT_OK)
        printf("In virtual time the first takes %.3f s\n", forecast.seconds);
    return status;
}

int main(void) {
    sct_search search = {.size = sizeof search,
                         .type = SCT_F32,
                         .m = 8192,
                         .n = 49152,
                         .k = 12288,
                         .ranks = 12,
                         .uses = 100};
    sct_choice choice[BEST];
    sct_lower_bound bound;
    sct_machine *machine = NULL;
    int count = 0;
    sct_status status = sct_machine_load("pvc12", &machine);
    search.machine = machine;
    if (status == SCT_OK)
        status = sct_lower_bound_find(search.type, search.m, search.n, search.k, search.ranks, 0,
                                      &bound);
    if (status == SCT_OK)
        status = sct_choose(&search, BEST, choice, &count);
    for (int i = 0; i < count; i++)
        print_choice(&choice[i], &bound);
    if (status == SCT_OK)
        status = simulate(&search, &choice[0]);
    if (status != SCT_OK)
        fprintf(stderr, "choose: %s\n", sct_last_reason());
    sct_choices_clear(choice, count);
    sct_machine_destroy(machine);
    return status != SCT_OK;
}
