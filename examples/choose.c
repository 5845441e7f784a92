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
    printf("%.4f s; moves %.2f times the bound, and %.2f times to reduce replicas of C\n",
           choice->expected,
           (double)(choice->bytes - choice->bytes_reduced + choice->bytes_made) / bound->bytes,
           (double)choice->bytes_reduced / bound->bytes);
    printf("  A %s, B %s, C %s; ", a, b, c);
    if (choice->work) {
        char work[LINE];
        sct_layout_print(choice->work, work, sizeof work);
        printf("work %s, of the shape of %c\n", work, "?ABC"[choice->stay]);
    } else
        printf("%c stays\n", "?ABC"[choice->stay]);
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
                           .work = choice->work,
                           .slicing = choice->slicing,
                           .schedule = choice->schedule,
                           .workspace = choice->workspace,
                           .machine = search->machine};
    sct_forecast forecast;
    sct_status status = sct_simulate(&problem, &options, search->machine, NULL, &forecast);
    if (status == SCT_OK)
        printf("In virtual time the first takes %.4f s\n", forecast.seconds);
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
