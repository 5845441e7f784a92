/* work.c - how little the work layout that is chosen moves, beside the best grid and the best of
 * the three stationary matrices: a table in Markdown.
 *
 * work [RANKS...]: on 4, 8, 16 and 64 ranks, each of them a node. What moves is the larger of what
 * the busiest rank takes in and gives out; fetches and accumulates count at both ends. The best
 * grid is found here, by arithmetic of its own: all grids m x n x k, cut equally or in blocks of
 * 64, and all six orders of numbering the ranks. */
#include <sectile/sectile.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M, K, N, DIMS };
enum { A, B, C, MATRICES };
enum { EQUAL, CYCLIC, STYLES, BLOCK = 64, KINDS = 4 };

static const char *const kinds[KINDS] = {"row", "col", "2d", "cyclic:64x64"};
static const int64_t shapes[][DIMS] = {
    {4096, 4096, 4096}, {1024, 1536, 6144}, {1024, 6144, 1536}, {256, 65536, 256}};
static const int dims_of[MATRICES][2] = {{M, K}, {K, N}, {M, N}};

struct layout {
    int grid[2]; /* by rows and columns */
    int style;
};

static struct layout layout_of(int kind, int ranks) {
    struct layout layout = {{ranks, 1}, kind == 3 ? CYCLIC : EQUAL};
    if (kind > 0)
        for (int rows = 1; rows * rows <= ranks; rows++)
            if (ranks % rows == 0 && (rows == 1 || kind > 1)) {
                layout.grid[0] = rows;
                layout.grid[1] = ranks / rows;
            }
    return layout;
}

static int part_of(int64_t index, int64_t size, int parts, int style) {
    if (style == CYCLIC)
        return (int)(index / BLOCK % parts);
    return (int)(index / ((size - 1) / parts + 1));
}

/* The indices that each part of one cut shares with each part of another: common[x * q + y]. */
static void count_common(int64_t size, int p, int p_style, int q, int q_style, double *common) {
    memset(common, 0, (size_t)p * (size_t)q * sizeof *common);
    for (int64_t i = 0; i < size; i++)
        common[part_of(i, size, p, p_style) * q + part_of(i, size, q, q_style)]++;
}

/* A grid of ranks, how it cuts, and which dimension's part the lowest digits of a rank number. */
struct grid {
    int parts[DIMS], style[DIMS], order[DIMS];
};

struct study {
    const int64_t *size;
    int ranks;
    struct layout layout[MATRICES];
    double *common[MATRICES][2]; /* of the current grid, by matrix and dimension */
};

static void find_box(const struct grid *grid, int rank, int box[DIMS]) {
    for (int i = 0; i < DIMS; i++) {
        box[grid->order[i]] = rank % grid->parts[grid->order[i]];
        rank /= grid->parts[grid->order[i]];
    }
}

/* The bytes of the busiest rank of a grid. */
static double busiest_of(const struct study *study, const struct grid *grid) {
    double busiest = 0;
    for (int rank = 0; rank < study->ranks; rank++) {
        double in = 0, out = 0;
        int box[DIMS];
        find_box(grid, rank, box);
        for (int i = 0; i < MATRICES; i++) {
            const int *owned = study->layout[i].grid;
            int cell[2] = {rank / owned[1], rank % owned[1]};
            double needed = 1, has = 1, own = 1;
            for (int which = 0; which < 2; which++) {
                int dim = dims_of[i][which], q = grid->parts[dim];
                double sum = 0, part = 0;
                for (int x = 0; x < owned[which]; x++)
                    sum += study->common[i][which][x * q + box[dim]];
                for (int y = 0; y < q; y++)
                    part += study->common[i][which][cell[which] * q + y];
                needed *= sum;
                has *= part;
                own *= study->common[i][which][cell[which] * q + box[dim]];
            }
            double users = grid->parts[M + K + N - dims_of[i][0] - dims_of[i][1]];
            double fetched = needed - own, served = has * users - own;
            in += i == C ? served : fetched;
            out += i == C ? fetched : served;
        }
        busiest = in > busiest ? in : busiest;
        busiest = out > busiest ? out : busiest;
    }
    return busiest * sizeof(double);
}

/* Counts what the matrices and a grid have in common, then tries all orders of ranks. */
static double best_order(const struct study *study, struct grid *grid) {
    static const int orders[6][DIMS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double best = -1;
    for (int i = 0; i < MATRICES; i++)
        for (int which = 0; which < 2; which++) {
            int dim = dims_of[i][which];
            count_common(study->size[dim], study->layout[i].grid[which], study->layout[i].style,
                         grid->parts[dim], grid->style[dim], study->common[i][which]);
        }
    for (int i = 0; i < 6; i++) {
        memcpy(grid->order, orders[i], sizeof grid->order);
        double bytes = busiest_of(study, grid);
        best = best < 0 || bytes < best ? bytes : best;
    }
    return best;
}

static double best_grid(const struct study *study) {
    double best = -1;
    int styles = 1;
    for (int i = 0; i < MATRICES; i++)
        styles = study->layout[i].style == CYCLIC ? STYLES : styles;
    for (int pm = 1; pm <= study->ranks; pm++)
        for (int pn = 1; pn <= study->ranks / pm; pn++)
            for (int style = 0; style < styles * styles * styles; style++) {
                struct grid grid = {
                    .parts = {[M] = pm, [N] = pn, [K] = study->ranks / pm / pn},
                    .style = {style % styles, style / styles % styles, style / styles / styles}};
                if (pm * pn * grid.parts[K] != study->ranks)
                    continue;
                double bytes = best_order(study, &grid);
                best = best < 0 || bytes < best ? bytes : best;
            }
    return best;
}

/* The bytes of the busiest rank by the plans of all ranks. */
static double planned(const sct_problem *problem, sct_stay stay) {
    size_t ranks = (size_t)problem->ranks;
    uint64_t *in = calloc(4 * ranks, sizeof *in), *out = in + ranks, *read = out + ranks,
             *added = read + ranks, most = 0;
    sct_options options = {.size = sizeof options, .stay = stay};
    for (size_t rank = 0; rank < ranks && in; rank++) {
        sct_plan *plan;
        memset(read, 0, 2 * ranks * sizeof *read);
        if (sct_plan_create(problem, (int)rank, &options, &plan) != SCT_OK ||
            sct_plan_traffic(plan, read, added) != SCT_OK) {
            fprintf(stderr, "work: %s\n", sct_last_reason());
            exit(1);
        }
        sct_plan_destroy(plan);
        for (size_t other = 0; other < ranks; other++) {
            in[rank] += read[other];
            out[other] += read[other];
            out[rank] += added[other];
            in[other] += added[other];
        }
    }
    for (size_t rank = 0; rank < 2 * ranks; rank++)
        most = in[rank] > most ? in[rank] : most;
    free(in);
    return (double)most;
}

static double study_case(const int64_t *size, int ranks, const int kind[MATRICES]) {
    struct study study = {.size = size, .ranks = ranks};
    sct_layout *layout[MATRICES];
    size_t cells = (size_t)ranks * (size_t)ranks;
    for (int i = 0; i < MATRICES; i++) {
        study.layout[i] = layout_of(kind[i], ranks);
        for (int which = 0; which < 2; which++)
            study.common[i][which] = malloc(cells * sizeof(double));
        sct_layout_parse(kinds[kind[i]], size[dims_of[i][0]], size[dims_of[i][1]], ranks,
                         &layout[i]);
    }
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout[A],
                           .b = layout[B],
                           .c = layout[C],
                           .ranks = ranks,
                           .ranks_per_node = 1};
    double best = best_grid(&study), chosen = planned(&problem, SCT_STAY_AUTO), stationary = -1;
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
        double bytes = planned(&problem, (sct_stay)stay);
        stationary = stationary < 0 || bytes < stationary ? bytes : stationary;
    }
    printf("| %" PRId64 "x%" PRId64 "x%" PRId64 " | %d | %s | %s | %s | %.1f | %.1f | %.1f | %.3f |"
           " %.2f |\n",
           size[M], size[N], size[K], ranks, kinds[kind[A]], kinds[kind[B]], kinds[kind[C]],
           stationary / 1e6, best / 1e6, chosen / 1e6, best > 0 ? chosen / best : 1,
           chosen > 0 ? stationary / chosen : 1);
    for (int i = 0; i < MATRICES; i++) {
        sct_layout_destroy(layout[i]);
        for (int which = 0; which < 2; which++)
            free(study.common[i][which]);
    }
    return best > 0 ? chosen / best : 1;
}

int main(int count, char **words) {
    static const char *const usual[] = {"work", "4", "8", "16", "64"};
    const char *const *list = count > 1 ? (const char *const *)words : usual;
    int cases = 0, above = 0, length = count > 1 ? count : 5;
    double most = 0;
    printf("| shape | ranks | A | B | C | stationary, MB | best grid, MB | chosen, MB | chosen to "
           "best | stationary to chosen |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < length; i++)
        for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
            for (int kind = 0; kind < KINDS * KINDS * KINDS; kind++) {
                const int of[MATRICES] = {kind / KINDS / KINDS, kind / KINDS % KINDS, kind % KINDS};
                double ratio = study_case(shapes[shape], atoi(list[i]), of);
                cases++;
                above += ratio > 1.02;
                most = ratio > most ? ratio : most;
            }
    printf("\nOf %d cases, %d move more than 1.02 times the best grid; at most %.3f times.\n",
           cases, above, most);
    return 0;
}
