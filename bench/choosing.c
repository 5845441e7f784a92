/* choosing.c - how long it takes to choose a work layout: a table in Markdown.
 *
 * choosing RANKS PER_NODE [list]: chooses for the 256 products of bench/work, each of them five
 * times, of which the shortest counts. `list` prints the work layout and the microseconds of each
 * product too. */
#include <sectile/sectile.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M, K, N, DIMS };
enum { A, B, C, MATRICES };
enum { KINDS = 4, SHAPES = 4, CASES = KINDS * KINDS * KINDS * SHAPES, REPEATS = 5 };

static const char *const kinds[KINDS] = {"row", "col", "2d", "cyclic:64x64"};
static const int64_t shapes[SHAPES][DIMS] = {
    {4096, 4096, 4096}, {1024, 1536, 6144}, {1024, 6144, 1536}, {256, 65536, 256}};
static const int dims_of[MATRICES][2] = {{M, K}, {K, N}, {M, N}};

/* The processor time: other programs may run beside this one. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(sct_status status) {
    if (status == SCT_OK)
        return;
    fprintf(stderr, "choosing: %s\n", sct_last_reason());
    exit(1);
}

/* Chooses once. Returns the seconds. */
static double choose(const sct_problem *problem, bool list) {
    sct_stay stay;
    sct_layout *work;
    double begun = now();
    must(sct_plan_decide(problem, NULL, &stay, &work));
    double taken = now() - begun;
    if (list) {
        static char text[1 << 20];
        if (work)
            sct_layout_print(work, text, sizeof text);
        printf("%d %s ", (int)stay, work ? text : "-");
    }
    sct_layout_destroy(work);
    return taken;
}

static double seconds_of(const int64_t *size, const int kind[MATRICES], int ranks, int node,
                         bool list) {
    sct_layout *layout[MATRICES];
    double least = 1e9;
    for (int i = 0; i < MATRICES; i++)
        must(sct_layout_parse(kinds[kind[i]], size[dims_of[i][0]], size[dims_of[i][1]], ranks,
                              &layout[i]));
    const sct_problem problem = {.size = sizeof problem,
                                 .type = SCT_F64,
                                 .a = layout[A],
                                 .b = layout[B],
                                 .c = layout[C],
                                 .ranks = ranks,
                                 .ranks_per_node = node};
    if (list)
        printf("%" PRId64 "x%" PRId64 "x%" PRId64 " %s %s %s: ", size[M], size[N], size[K],
               kinds[kind[A]], kinds[kind[B]], kinds[kind[C]]);
    for (int i = 0; i < REPEATS; i++) {
        double taken = choose(&problem, list && i == 0);
        least = taken < least ? taken : least;
    }
    if (list)
        printf("%.0f us\n", 1e6 * least);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(layout[i]);
    return least;
}

static int compare(const void *left, const void *right) {
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

int main(int count, char **words) {
    int ranks = count > 1 ? atoi(words[1]) : 64, node = count > 2 ? atoi(words[2]) : 1;
    bool list = count > 3;
    double seconds[CASES];
    for (int i = 0; i < CASES; i++) {
        int at = i / SHAPES;
        const int kind[MATRICES] = {at / KINDS / KINDS, at / KINDS % KINDS, at % KINDS};
        seconds[i] = seconds_of(shapes[i % SHAPES], kind, ranks, node, list);
    }
    qsort(seconds, CASES, sizeof *seconds, compare);
    printf("| ranks | on each node | median, ms | 90 %% within | most |\n|---|---|---|---|---|\n");
    printf("| %d | %d | %.2f | %.2f | %.2f |\n", ranks, node, 1e3 * seconds[CASES / 2],
           1e3 * seconds[CASES * 9 / 10], 1e3 * seconds[CASES - 1]);
    return 0;
}
