/* plan.c - plans the work of one of 512 ranks, without data, and prints what it moves for each
 * choice of the stationary matrix, what its first step is, and how a workspace limit changes the
 * plan. */
#include <sectile/sectile.h>

#include <stdio.h>
#include <stdlib.h>

enum { M = 40000, N = 10000, K = 20000, RANKS = 512, RANKS_PER_NODE = 8, RANK = 300 };

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "plan: %s: %s\n", sct_status_name(status), sct_last_reason());
    exit(1);
}

/* Which matrix is stationary; or, if none is, which layout says who computes what. */
static void print_work(const sct_plan *plan) {
    char text[80];
    if (sct_plan_work(plan)) {
        sct_layout_print(sct_plan_work(plan), text, sizeof text);
        printf("work %s: ", text);
    } else
        printf("%c stays: ", "?ABC"[sct_plan_stay(plan)]);
}

static uint64_t print_cost(const sct_problem *problem, const sct_options *options) {
    sct_plan *plan;
    sct_cost cost;
    must(sct_plan_create(problem, RANK, options, &plan));
    must(sct_plan_cost(plan, &cost));
    print_work(plan);
    printf("%lld steps; %.1f MiB got, %.1f MiB accumulated, %.1f MiB of workspace\n",
           (long long)cost.steps, (double)cost.bytes_got / 1048576,
           (double)cost.bytes_accumulated / 1048576, (double)cost.workspace / 1048576);
    sct_plan_destroy(plan);
    return cost.bytes_got + cost.bytes_accumulated;
}

static void print_first_step(const sct_problem *problem, const sct_options *options) {
    sct_plan *plan;
    sct_step step;
    must(sct_plan_create(problem, RANK, options, &plan));
    must(sct_plan_step(plan, 0, &step));
    printf("First a product of %lld x %lld, k is %lld; A comes from ", (long long)step.m.count,
           (long long)step.n.count, (long long)step.k.count);
    if (step.owner_a < 0)
        printf("several ranks\n");
    else
        printf("rank %d\n", step.owner_a);
    sct_plan_destroy(plan);
}

int main(void) {
    sct_layout *a, *b, *c;
    must(sct_layout_parse("2d", M, K, RANKS, &a));
    must(sct_layout_parse("row", K, N, RANKS, &b));
    must(sct_layout_parse("cyclic:128x128*2", M, N, RANKS, &c));
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = a,
                           .b = b,
                           .c = c,
                           .ranks = RANKS,
                           .ranks_per_node = RANKS_PER_NODE};
    sct_options options = {.size = sizeof options};
    printf("Rank %d of %d:\n", RANK, RANKS);
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
        options.stay = (sct_stay)stay;
        print_cost(&problem, &options);
    }
    options.stay = SCT_STAY_AUTO;
    printf("Chosen: ");
    uint64_t moved = print_cost(&problem, &options);
    print_first_step(&problem, &options);
    options.workspace = 4 << 20;
    printf("Within 4 MiB: ");
    uint64_t moved_within = print_cost(&problem, &options);

    sct_layout_destroy(a);
    sct_layout_destroy(b);
    sct_layout_destroy(c);
    return moved_within < moved;
}
