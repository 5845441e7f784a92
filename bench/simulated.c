/* simulated.c - the simulated times of random products, one product on each line: how rules and
 * constants of the planner and of the search for layouts are judged.
 *
 * simulated [list [PERCENT [SET...]]]: lists the products of all sets, or of those named, PERCENT
 * of their usual number. simulated table OLD NEW: compares two lists that two builds have made, as
 * a table in Markdown: the quotients of the second list over the first.
 *
 * The sets whose names begin with "choose" let sct_choose find the layouts; the others have layouts
 * in which each matrix is stored by rows, by columns, in a grid or block-cyclically. Sizes are
 * evenly distributed by their logarithms. A product depends on its set and number alone. */
#include <sectile/sectile.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A, B, C, MATRICES };

struct set {
    const char *name, *machine;
    int count;      /* of products */
    int ranks[2];   /* the least and the most */
    double size[2]; /* of m, n and k, likewise */
    sct_aim aim;    /* of a set that chooses */
};

static const struct set sets[] = {
    {"small cluster", "cluster", 200, {2, 16}, {64, 6144}, SCT_AIM_BOTH},
    {"small pvc12", "pvc12", 200, {12, 12}, {64, 6144}, SCT_AIM_BOTH},
    {"small h100x8", "h100x8", 200, {8, 8}, {64, 6144}, SCT_AIM_BOTH},
    {"small node", "node", 100, {2, 2}, {64, 6144}, SCT_AIM_BOTH},
    {"large cluster", "cluster", 100, {2, 16}, {2048, 40000}, SCT_AIM_BOTH},
    {"large pvc12", "pvc12", 100, {12, 12}, {2048, 40000}, SCT_AIM_BOTH},
    {"large h100x8", "h100x8", 100, {8, 8}, {2048, 40000}, SCT_AIM_BOTH},
    {"large node", "node", 50, {2, 2}, {2048, 40000}, SCT_AIM_BOTH},
    {"many cluster", "cluster", 40, {36, 144}, {512, 32768}, SCT_AIM_BOTH},
    {"choose cluster", "cluster", 100, {2, 32}, {512, 32768}, SCT_AIM_BOTH},
    {"choose pvc12", "pvc12", 100, {12, 12}, {512, 32768}, SCT_AIM_BOTH},
    {"choose h100x8", "h100x8", 100, {8, 8}, {512, 32768}, SCT_AIM_BOTH},
    {"choose many", "cluster", 30, {36, 128}, {512, 32768}, SCT_AIM_BOTH},
    {"choose time", "cluster", 100, {2, 32}, {512, 32768}, SCT_AIM_TIME},
    {"choose time pvc12", "pvc12", 100, {12, 12}, {512, 32768}, SCT_AIM_TIME},
};
enum { SETS = sizeof sets / sizeof *sets };

struct product {
    int number, ranks;
    int64_t m, n, k;
    sct_layout *layout[MATRICES];
};

/* What is simulated: seconds with the making of replicas; bytes of the busiest rank if it is known,
 * else of all; and the processor time to choose or plan. */
struct outcome {
    double seconds, bytes, cpu;
};

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "simulated: %s\n", sct_last_reason());
    exit(1);
}

static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* SplitMix64. */
static double random_share(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int64_t random_size(const struct set *set, uint64_t *state) {
    return (int64_t)(set->size[0] * pow(set->size[1] / set->size[0], random_share(state)));
}

static sct_layout *random_layout(int64_t rows, int64_t cols, int ranks, uint64_t *state) {
    static const char *const kinds[] = {"row", "col", "2d", "cyclic:64x64"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    sct_layout *layout;
    must(sct_layout_parse(kinds[(int)(random_share(state) * KINDS)], rows, cols, ranks, &layout));
    return layout;
}

static struct product random_product(const struct set *set, int number) {
    uint64_t state = (uint64_t)number * 0x2545f4914f6cdd1d + (uint64_t)set->ranks[1];
    struct product product = {.number = number};
    product.ranks =
        set->ranks[0] + (int)(random_share(&state) * (set->ranks[1] - set->ranks[0] + 1));
    product.m = random_size(set, &state);
    product.n = random_size(set, &state);
    product.k = random_size(set, &state);
    product.layout[A] = random_layout(product.m, product.k, product.ranks, &state);
    product.layout[B] = random_layout(product.k, product.n, product.ranks, &state);
    product.layout[C] = random_layout(product.m, product.n, product.ranks, &state);
    return product;
}

static sct_type type_on(const char *machine) {
    return strcmp(machine, "pvc12") == 0 ? SCT_F32 : SCT_F64;
}

static struct outcome plan(const struct set *set, const sct_machine *machine,
                           const struct product *product) {
    sct_problem problem = {.size = sizeof problem,
                           .type = type_on(set->machine),
                           .a = product->layout[A],
                           .b = product->layout[B],
                           .c = product->layout[C],
                           .ranks = product->ranks,
                           .ranks_per_node = sct_machine_ranks_per_node(machine)};
    sct_options options = {.size = sizeof options, .machine = machine};
    sct_forecast forecast;
    double begun = cpu_seconds();
    must(sct_plan_decide(&problem, &options, &options.stay, (sct_layout **)&options.work));
    double cpu = cpu_seconds() - begun;
    must(sct_simulate(&problem, &options, machine, NULL, &forecast));
    sct_layout_destroy((sct_layout *)options.work);
    return (struct outcome){forecast.seconds, (double)forecast.bytes_moved, cpu};
}

static struct outcome choose(const struct set *set, const sct_machine *machine,
                             const struct product *product) {
    sct_search search = {.size = sizeof search,
                         .type = type_on(set->machine),
                         .m = product->m,
                         .n = product->n,
                         .k = product->k,
                         .ranks = product->ranks,
                         .machine = machine,
                         .aim = set->aim};
    sct_choice choice;
    sct_forecast forecast;
    int count;
    double begun = cpu_seconds();
    must(sct_choose(&search, 1, &choice, &count));
    double cpu = cpu_seconds() - begun;
    sct_problem problem = {.size = sizeof problem,
                           .type = search.type,
                           .a = choice.a,
                           .b = choice.b,
                           .c = choice.c,
                           .ranks = product->ranks,
                           .ranks_per_node = sct_machine_ranks_per_node(machine)};
    sct_options options = {.size = sizeof options,
                           .stay = choice.stay,
                           .work = choice.work,
                           .slicing = choice.slicing,
                           .schedule = choice.schedule,
                           .machine = machine};
    must(sct_simulate(&problem, &options, machine, NULL, &forecast));
    struct outcome outcome = {forecast.seconds + choice.seconds - choice.product_seconds,
                              choice.bytes_each, cpu};
    sct_choices_clear(&choice, 1);
    return outcome;
}

static void list_set(const struct set *set, int percent) {
    sct_machine *machine;
    must(sct_machine_load(set->machine, &machine));
    for (int i = 0; i < set->count * percent / 100; i++) {
        struct product product = random_product(set, i);
        bool chooses = strncmp(set->name, "choose", 6) == 0;
        struct outcome outcome = (chooses ? choose : plan)(set, machine, &product);
        printf("%s,%d,%d %" PRId64 "x%" PRId64 "x%" PRId64 ",%.9e,%.9e,%.3e\n", set->name, i,
               product.ranks, product.m, product.n, product.k, outcome.seconds, outcome.bytes,
               outcome.cpu);
        fflush(stdout);
        for (int matrix = 0; matrix < MATRICES; matrix++)
            sct_layout_destroy(product.layout[matrix]);
    }
    sct_machine_destroy(machine);
}

/* ---- The table ---- */

static bool read_line(FILE *list, char *key, struct outcome *outcome) {
    char text[256];
    return fgets(text, sizeof text, list) && sscanf(text, "%99[^,],", key) == 1 &&
           sscanf(text, "%*[^,],%*[^,],%*[^,],%lf,%lf,%lf", &outcome->seconds, &outcome->bytes,
                  &outcome->cpu) == 3;
}

static int compare(const void *left, const void *right) {
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

static void print_row(const char *set, double *seconds, int count, double bytes, double cpu) {
    double logs = 0;
    int slower = 0;
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    for (int i = 0; i < count; i++) {
        logs += log(seconds[i]);
        slower += seconds[i] > 1.05;
    }
    printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %d | %.2f | %.2f |\n", set, count,
           seconds[count / 2], exp(logs / count), seconds[0], seconds[count - 1], slower,
           exp(bytes / count), cpu);
}

static FILE *open_list(const char *path) {
    FILE *list = fopen(path, "r");
    if (list)
        return list;
    perror(path);
    exit(1);
}

static void print_table(const char *old_path, const char *new_path) {
    enum { MOST = 1000 };
    FILE *list[2] = {open_list(old_path), open_list(new_path)};
    static double seconds[MOST];
    char key[2][100], set[100] = "";
    double bytes = 0, cpu[2] = {0, 0};
    struct outcome outcome[2];
    int count = 0;
    puts("| set | products | median | mean | least | most | over 1.05 | bytes | time to plan "
         "|\n|---|---|---|---|---|---|---|---|---|");
    bool more = true;
    while (more) {
        more = read_line(list[0], key[0], &outcome[0]) && read_line(list[1], key[1], &outcome[1]);
        if (count > 0 && (!more || strcmp(set, key[0]) != 0 || count == MOST)) {
            print_row(set, seconds, count, bytes, cpu[1] / cpu[0]);
            count = 0;
            bytes = cpu[0] = cpu[1] = 0;
        }
        if (!more)
            break;
        if (strcmp(key[0], key[1]) != 0) {
            fputs("simulated: the lists are of different products\n", stderr);
            exit(1);
        }
        strcpy(set, key[0]);
        seconds[count++] = outcome[1].seconds / outcome[0].seconds;
        bytes += outcome[0].bytes > 0 && outcome[1].bytes > 0
                     ? log(outcome[1].bytes / outcome[0].bytes)
                     : 0;
        for (int i = 0; i < 2; i++)
            cpu[i] += outcome[i].cpu;
    }
    fclose(list[0]);
    fclose(list[1]);
}

static bool is_named(const struct set *set, int count, char **words) {
    bool named = count <= 3;
    for (int i = 3; i < count; i++)
        named |= strcmp(words[i], set->name) == 0;
    return named;
}

int main(int count, char **words) {
    if (count == 4 && strcmp(words[1], "table") == 0) {
        print_table(words[2], words[3]);
        return 0;
    }
    int percent = count > 2 ? atoi(words[2]) : 100;
    for (int i = 0; i < SETS; i++)
        if (is_named(&sets[i], count, words))
            list_set(&sets[i], percent);
    return 0;
}
