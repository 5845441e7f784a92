/* brute_force.c - what sct_products_choose finds for random groups, beside the best of all
 * combinations of the same layouts by simulation. Arguments are the numbers of groups and of
 * layouts for each matrix. */
#include "support/check.h"

#include <math.h>
#include <sectile/sectile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, LAYOUTS = 4, FORMS = 7, MOST = 16 };

/* The numbers of rows and columns of each are %d. */
static const char *const texts[] = {
    "m = %d; h = %d; f = %d; Y = X[m,h] * V[h,f]; Z = Y * W[f,h]",
    "m = %d; h = %d; f = %d; P = A[m,h] * B[h,f]; Q = P * C[f,m]; R = Q * D[m,h]; R ~ A",
    "m = %d; h = %d; f = %d; G = X[m,h]' * X; Y = X * G; Y ~ X; Z = Y * W[h,f]",
    ("m = %d; h = %d; f = %d; Y = X[m,h] * V[h,f]; Z = Y * W[f,h]; Z ~ X; dW = Y' * dZ[m,h]; "
     "dY = dZ * W'; dV = X' * dY; dX = dY * V'; dZ ~ X; dX ~ X; dY ~ Y; dV ~ V; dW ~ W"),
    "m = %d; h = %d; f = %d; Y = X[m,h] * V[h,h]; Y += Z[m,f] * W[f,h]",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const struct {
    const char *machine;
    int ranks;
} places[] = {{"h100x8", 8}, {"pvc12", 12}, {"cluster", 8}, {"node", 2}};
enum { PLACES = sizeof places / sizeof *places };

typedef struct group {
    sct_products *products;
    sct_machine *machine;
    int ranks, each, matrices, layouts[MOST]; /* each: layouts of a matrix */
    sct_layout *layout[MOST][FORMS];          /* by matrix; of the first of those that are equal */
    double *seconds[MOST];                    /* by product */
} group;

/* ---- A random group ---- */

static void draw_layouts(uint64_t *random, group *made, int matrix) {
    static const char *const forms[FORMS] = {"row",   "col",  "2d",      "row*2",
                                             "col*2", "2d*2", "row@1*%d"};
    const sct_products_shape shape = sct_products_matrix_at(made->products, matrix);
    int first = (int)check_between(random, 0, FORMS - 1);
    int step = (int)check_between(random, 1, FORMS - 1);
    for (int i = 0; i < made->each && shape.equal == matrix; i++) {
        char text[32];
        sct_layout **layout = &made->layout[matrix][made->layouts[matrix]];
        strcpy(text, forms[(first + i * step) % FORMS]);
        if (strchr(text, '@'))
            snprintf(text, sizeof text, "row@1*%d", made->ranks);
        if (CHECK(sct_layout_parse(text, shape.rows, shape.cols, made->ranks, layout) == SCT_OK))
            made->layouts[matrix]++;
    }
}

static bool create(uint64_t *random, int number, int each, group *made) {
    char text[600];
    int place = number % PLACES;
    *made = (group){.ranks = places[place].ranks, .each = each};
    int m = 1 << check_between(random, 8, 13), f = 1 << check_between(random, 8, 12);
    snprintf(text, sizeof text, texts[check_between(random, 0, TEXTS - 1)], m,
             (int)check_between(random, 200, 6000), f);
    if (!CHECK_CASE(sct_products_parse(text, NULL, &made->products) == SCT_OK, "%s: %s", text,
                    sct_last_reason()) ||
        !CHECK(sct_machine_load(places[place].machine, &made->machine) == SCT_OK))
        return false;
    printf("%s, %d ranks: %s\n", places[place].machine, made->ranks, text);
    made->matrices = sct_products_matrices(made->products);
    for (int i = 0; i < made->matrices; i++)
        draw_layouts(random, made, i);
    return true;
}

static void clear(group *made) {
    for (int i = 0; i < made->matrices; i++)
        for (int j = 0; j < made->layouts[i]; j++)
            sct_layout_destroy(made->layout[i][j]);
    for (int i = 0; i < MOST; i++)
        free(made->seconds[i]);
    sct_products_destroy(made->products);
    sct_machine_destroy(made->machine);
}

/* ---- All combinations ---- */

static int class_of(const group *made, int matrix) {
    return sct_products_matrix_at(made->products, matrix).equal;
}

static double simulate(const group *made, const sct_products_step *step, const int of[3]) {
    const sct_problem problem = {.size = sizeof problem,
                                 .type = SCT_F32,
                                 .op_a = step->op_a,
                                 .op_b = step->op_b,
                                 .a = made->layout[class_of(made, step->a)][of[0]],
                                 .b = made->layout[class_of(made, step->b)][of[1]],
                                 .c = made->layout[class_of(made, step->c)][of[2]],
                                 .ranks = made->ranks};
    sct_forecast forecast = {.seconds = INFINITY};
    CHECK_CASE(sct_simulate(&problem, NULL, made->machine, NULL, &forecast) == SCT_OK, "%s",
               sct_last_reason());
    return forecast.seconds;
}

static void simulate_product(group *made, int product) {
    const sct_products_step step = sct_products_at(made->products, product);
    int each = made->each, count = each * each * each;
    double *seconds = malloc((size_t)count * sizeof *seconds);
    made->seconds[product] = seconds;
    for (int i = 0; seconds && i < count; i++)
        seconds[i] = simulate(made, &step, (int[]){i / each / each, i / each % each, i % each});
}

/* The least time, with the layouts of matrices from `matrix` on still open. */
static double least(const group *made, int *choice, int matrix) {
    if (matrix < made->matrices && class_of(made, matrix) != matrix) {
        choice[matrix] = choice[class_of(made, matrix)];
        return least(made, choice, matrix + 1);
    }
    double best = matrix < made->matrices ? INFINITY : 0;
    for (int i = 0; matrix < made->matrices && i < made->each; i++) {
        choice[matrix] = i;
        best = fmin(best, least(made, choice, matrix + 1));
    }
    for (int i = 0; matrix == made->matrices && i < sct_products_count(made->products); i++) {
        const sct_products_step step = sct_products_at(made->products, i);
        best += made->seconds[i][(choice[step.a] * made->each + choice[step.b]) * made->each +
                                 choice[step.c]];
    }
    return best;
}

/* ---- The comparison ---- */

static double choose(const group *made) {
    sct_products_fix fix[MOST * FORMS];
    sct_products_choice choice = {.seconds = INFINITY};
    sct_products_search search = {.size = sizeof search,
                                  .type = SCT_F32,
                                  .ranks = made->ranks,
                                  .machine = made->machine,
                                  .fix = fix};
    for (int i = 0; i < made->matrices; i++)
        for (int j = 0; j < made->layouts[i]; j++)
            fix[search.fixes++] = (sct_products_fix){sct_products_matrix_at(made->products, i).name,
                                                     made->layout[i][j]};
    CHECK_CASE(sct_products_choose(made->products, &search, &choice) == SCT_OK, "%s",
               sct_last_reason());
    double seconds = choice.seconds;
    sct_products_choice_clear(&choice);
    return seconds;
}

int main(int count, char **words) {
    uint64_t random = check_seed(54);
    int groups = count > 1 ? atoi(words[1]) : GROUPS, near = 0;
    int each = count > 2 ? atoi(words[2]) : LAYOUTS; /* FORMS at most */
    double worst = 0;
    for (int i = 0; i < groups; i++) {
        group made;
        int choice[MOST];
        if (!create(&random, i, each, &made))
            break;
        for (int product = 0; product < sct_products_count(made.products); product++)
            simulate_product(&made, product);
        double ratio = choose(&made) / least(&made, choice, 0);
        printf("  chosen: %.4f of the best time\n", ratio);
        CHECK_CASE(ratio <= 1.1, "group %d: %.3f", i, ratio);
        near += ratio <= 1.02;
        worst = fmax(worst, ratio);
        clear(&made);
    }
    printf("%d of %d within 2 %%, the worst %.3f\n", near, groups, worst);
    CHECK(near >= 0.95 * groups);
    return check_report("products_brute_force");
}
