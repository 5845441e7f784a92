/* choose.c - how near the layouts that are chosen come to the best grid there is, and to what no
 * layout can do without: a table in Markdown.
 *
 * choose [both|time|bytes|trade [MACHINE [MOST_RANKS]]]: by both, on the cluster, up to 4096 ranks.
 * For MACHINE, a number means so many ranks per node of the library's default machine, 0 all.
 * `trade` lists instead what moves more by time than by both, with the seconds of each in the
 * simulator, all ranks together, and of the making of replicas. The grids are found by trying all,
 * with one copy of each matrix of which each rank has a share of what it uses. The bytes of what is
 * chosen are those of the plans of all ranks, and of the making of replicas. */
#include <sectile/sectile.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct shape {
    int64_t m, n, k;
};

static const struct shape shapes[] = {
    {16384, 16384, 16384}, {8192, 49152, 12288}, {8192, 12288, 49152}, {1048576, 1024, 1024},
    {1024, 1024, 1048576}, {1048576, 8192, 512}, {30000, 20000, 10000}};
static const int all_ranks[] = {8, 64, 512, 4096};

static double part(int64_t size, int parts) {
    return (double)((size - 1) / parts + 1);
}

/* Bytes that a rank of a grid has to get and to add. */
static double grid_bytes(const struct shape *shape, int pm, int pn, int pk) {
    double m = part(shape->m, pm), n = part(shape->n, pn), k = part(shape->k, pk);
    return sizeof(double) *
           (m * k * (1 - 1.0 / pn) + k * n * (1 - 1.0 / pm) + m * n * (1 - 1.0 / pk));
}

static double best_grid(const struct shape *shape, int ranks, int grid[3]) {
    double best = -1;
    for (int pm = 1; pm <= ranks; pm++)
        for (int pn = 1; pn <= ranks / pm; pn++) {
            if (ranks % pm > 0 || ranks / pm % pn > 0)
                continue;
            double bytes = grid_bytes(shape, pm, pn, ranks / pm / pn);
            if (best < 0 || bytes < best) {
                best = bytes;
                memcpy(grid, (int[]){pm, pn, ranks / pm / pn}, 3 * sizeof *grid);
            }
        }
    return best;
}

static sct_problem problem_of(const sct_search *search, const sct_choice *choice) {
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = search->type,
                         .a = choice->a,
                         .b = choice->b,
                         .c = choice->c,
                         .ranks = search->ranks,
                         .ranks_per_node = search->machine
                                               ? sct_machine_ranks_per_node(search->machine)
                                               : search->ranks_per_node};
}

static sct_options options_of(const sct_search *search, const sct_choice *choice) {
    return (sct_options){.size = sizeof(sct_options),
                         .stay = choice->stay,
                         .work = choice->work,
                         .slicing = choice->slicing,
                         .schedule = choice->schedule,
                         .machine = search->machine};
}

/* Of the busiest rank. */
static sct_status plan_bytes(const sct_search *search, const sct_choice *choice, double *most) {
    sct_problem problem = problem_of(search, choice);
    sct_options options = options_of(search, choice);
    *most = 0;
    for (int rank = 0; rank < search->ranks; rank++) {
        sct_plan *plan;
        sct_cost cost;
        sct_status status = sct_plan_create(&problem, rank, &options, &plan);
        if (status)
            return status;
        sct_plan_cost(plan, &cost);
        sct_plan_destroy(plan);
        double bytes = (double)(cost.bytes_got + cost.bytes_in_place + cost.bytes_accumulated);
        *most = bytes > *most ? bytes : *most;
    }
    return SCT_OK;
}

/* Of this process, whatever else the machine does. */
static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Without its map of ranks or its cuts, if there is no room for them. */
static void print_layout(const sct_layout *layout) {
    enum { ROOM = 28 };
    size_t bytes = sct_layout_print(layout, NULL, 0) + 1;
    char *text = malloc(bytes);
    if (!text)
        exit(1);
    sct_layout_print(layout, text, bytes);
    size_t length = strlen(text);
    if (length > ROOM)
        length = strcspn(text, strncmp(text, "cuts", 4) == 0 ? ":" : "%");
    printf(" %.*s%s |", (int)length, text, text[length] ? "%..." : "");
    free(text);
}

/* Where ranks are: a machine, or so many on each node. */
struct site {
    sct_machine *machine;
    int ranks_per_node;
};

static sct_search search_for(const struct shape *shape, int ranks, sct_aim aim,
                             const struct site *site) {
    return (sct_search){.size = sizeof(sct_search),
                        .type = SCT_F64,
                        .m = shape->m,
                        .n = shape->n,
                        .k = shape->k,
                        .ranks = ranks,
                        .ranks_per_node = site->ranks_per_node,
                        .machine = site->machine,
                        .aim = aim};
}

static sct_status print_line(const struct shape *shape, int ranks, sct_aim aim,
                             const struct site *site) {
    sct_search search = search_for(shape, ranks, aim, site);
    sct_choice choice;
    sct_lower_bound bound;
    int grid[3] = {0}, count;
    double bytes, least = best_grid(shape, ranks, grid), begun = cpu_seconds();
    sct_status status = sct_choose(&search, 1, &choice, &count);
    double seconds = cpu_seconds() - begun;
    if (!status)
        status = plan_bytes(&search, &choice, &bytes);
    if (!status)
        status = sct_lower_bound_find(SCT_F64, shape->m, shape->n, shape->k, ranks, 0, &bound);
    if (status)
        return status;
    bytes += (double)choice.bytes_made;
    printf("| %" PRId64 "x%" PRId64 "x%" PRId64 " | %d |", shape->m, shape->n, shape->k, ranks);
    print_layout(choice.a);
    print_layout(choice.b);
    print_layout(choice.c);
    if (choice.work)
        print_layout(choice.work);
    else
        printf(" stationary %c |", "?ABC"[choice.stay]);
    printf(" %.4g | %dx%dx%d | %.3f | %.3f | %.4g %s | %.2f |\n", bytes / 1048576, grid[0], grid[1],
           grid[2], bytes / least, bytes / bound.bytes, choice.expected,
           choice.simulated > 0 ? "simulated" : "estimated", seconds);
    sct_choices_clear(&choice, 1);
    return SCT_OK;
}

/* By time and by both. */
static sct_status print_trade(const struct shape *shape, int ranks, const struct site *site) {
    static const sct_aim aims[] = {SCT_AIM_TIME, SCT_AIM_BOTH};
    sct_choice choice[2];
    double seconds[2];
    sct_status status = SCT_OK;
    int found = 0;
    for (int i = 0; i < 2 && !status; i++) {
        sct_search search = search_for(shape, ranks, aims[i], site);
        int count;
        status = sct_choose(&search, 1, &choice[i], &count);
        found += !status;
    }
    bool apart = !status && choice[0].bytes_each > 1.01 * choice[1].bytes_each;
    for (int i = 0; i < 2 && apart && !status; i++) {
        sct_search search = search_for(shape, ranks, aims[i], site);
        sct_problem problem = problem_of(&search, &choice[i]);
        sct_options options = options_of(&search, &choice[i]);
        sct_forecast forecast;
        status = sct_simulate(&problem, &options, site->machine, NULL, &forecast);
        seconds[i] = status ? 0 : forecast.seconds + choice[i].seconds - choice[i].product_seconds;
    }
    if (apart && !status)
        printf("| %" PRId64 "x%" PRId64 "x%" PRId64 " | %d | %.4g | %.4g | %.4g | %.4g | %.2f |\n",
               shape->m, shape->n, shape->k, ranks, choice[0].bytes_each / 1048576, seconds[0],
               choice[1].bytes_each / 1048576, seconds[1], seconds[1] / seconds[0]);
    sct_choices_clear(choice, found);
    return status;
}

static sct_aim find_aim(const char *name) {
    return strcmp(name, "bytes") == 0  ? SCT_AIM_BYTES
           : strcmp(name, "time") == 0 ? SCT_AIM_TIME
                                       : SCT_AIM_BOTH;
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "both";
    bool trade = strcmp(what, "trade") == 0;
    const char *name = count > 2 ? words[2] : "cluster";
    int most = count > 3 ? atoi(words[3]) : 4096;
    struct site site = {.machine = NULL};
    bool numbered = strspn(name, "0123456789") == strlen(name);
    sct_status status = numbered ? SCT_OK : sct_machine_load(name, &site.machine);
    site.ranks_per_node = numbered ? atoi(name) : 0;
    if (numbered && trade) {
        fputs("choose: a trade needs a machine\n", stderr);
        return 2;
    }
    if (!status && trade)
        puts("| m x n x k | ranks | MiB by time | seconds | MiB by default | seconds | times as "
             "long |\n|---|---|---|---|---|---|---|");
    else if (!status)
        puts("| m x n x k | ranks | A | B | C | work | MiB moved | best grid | of the best grid | "
             "of the bound | expected, s | CPU s to choose "
             "|\n|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; !status && i < sizeof all_ranks / sizeof *all_ranks; i++)
        for (size_t j = 0; !status && j < sizeof shapes / sizeof *shapes; j++)
            if (all_ranks[i] <= most)
                status = trade ? print_trade(&shapes[j], all_ranks[i], &site)
                               : print_line(&shapes[j], all_ranks[i], find_aim(what), &site);
    if (status)
        fprintf(stderr, "choose: %s\n", sct_last_reason());
    return status != SCT_OK;
}
