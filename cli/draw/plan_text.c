/* plan_text.c - draws how A, B and C meet on a rank. */
#include "draw/plan_text.h"

#include "draw/plan_drawing.h"
#include "draw/plan_text_axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* In more tiles than these no cut is looked for. */
enum { MOST_TILES = 1 << 16, LINES = 5, STEPS_IN_WORDS = 3, GAP = 4 };

struct picture {
    struct scene scene;
    struct axis axes[DIMS];
    bool used[MATRICES][AXIS_CELLS][AXIS_CELLS];
    const char *light, *plain; /* switch the highlight of a terminal on and off */
};

/* Cuts the dimension down (or across) a matrix where the owner changes along a line that crosses
 * the other dimension at `line`. */
static void cut_by_line(struct picture *picture, int matrix, bool down, int64_t line) {
    const struct scene *scene = &picture->scene;
    struct axis *axis = &picture->axes[down ? scene_down(matrix) : scene_across(matrix)];
    int64_t at = 0;
    int before = -1;
    for (int i = 0; i < MOST_TILES && at < axis->size && !axis_is_full(axis, at); i++) {
        struct place place = down ? (struct place){at, line} : (struct place){line, at};
        int owner = scene_owner(scene, matrix, place.row, place.col);
        sct_slice tile = scene_tile(scene, matrix, place.row, place.col);
        if (owner != before)
            axis_cut(axis, at);
        before = owner;
        at = down ? tile.rows.hi : tile.cols.hi;
    }
}

/* Cuts both dimensions of a matrix where owners change. */
static void cut_by_owners(struct picture *picture, int matrix) {
    int64_t rows = picture->axes[scene_down(matrix)].size;
    int64_t cols = picture->axes[scene_across(matrix)].size;
    for (int i = 0; rows > 0 && cols > 0 && i < LINES; i++) {
        cut_by_line(picture, matrix, true, (cols - 1) / (LINES - 1) * i);
        cut_by_line(picture, matrix, false, (rows - 1) / (LINES - 1) * i);
    }
}

static sct_status cut_by_steps(struct picture *picture) {
    for (int64_t i = 0; i < picture->scene.steps; i++) {
        sct_step step;
        sct_status status = sct_plan_step(picture->scene.plan, i, &step);
        if (status != SCT_OK)
            return status;
        for (int dim = 0; dim < DIMS; dim++) {
            const sct_indices *indices = scene_indices(&step, dim);
            for (int64_t j = 0; j < indices->ranges; j++) {
                sct_range range = sct_indices_range(indices, j);
                axis_cut(&picture->axes[dim], range.lo);
                axis_cut(&picture->axes[dim], range.hi);
            }
        }
    }
    return SCT_OK;
}

/* Which cells of a dimension a step uses. No cell is used in part. */
static void find_cells(const struct axis *axis, const sct_indices *indices,
                       bool cells[AXIS_CELLS]) {
    for (int cell = 0; cell < AXIS_CELLS; cell++)
        cells[cell] = false;
    for (int64_t j = 0; j < indices->ranges; j++) {
        sct_range range = sct_indices_range(indices, j);
        for (int cell = 0; cell < axis->cells; cell++)
            if (axis->bound[cell] >= range.lo && axis->bound[cell] < range.hi)
                cells[cell] = true;
    }
}

static void mark_used(struct picture *picture, const sct_step *step) {
    bool cells[DIMS][AXIS_CELLS];
    for (int dim = 0; dim < DIMS; dim++)
        find_cells(&picture->axes[dim], scene_indices(step, dim), cells[dim]);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int row = 0; row < AXIS_CELLS; row++)
            for (int col = 0; col < AXIS_CELLS; col++)
                if (cells[scene_down(matrix)][row] && cells[scene_across(matrix)][col])
                    picture->used[matrix][row][col] = true;
}

static sct_status mark_steps(struct picture *picture) {
    for (int64_t i = 0; i < picture->scene.steps; i++) {
        sct_step step;
        sct_status status = sct_plan_step(picture->scene.plan, i, &step);
        if (status != SCT_OK)
            return status;
        mark_used(picture, &step);
    }
    return SCT_OK;
}

static char letter_of(int rank) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return rank < (int)sizeof letters - 1 ? letters[rank] : '+';
}

static void print_line(const struct picture *picture, int matrix, int row) {
    const struct axis *down = &picture->axes[scene_down(matrix)];
    const struct axis *across = &picture->axes[scene_across(matrix)];
    bool before = false;
    for (int col = 0; col < across->cells; col++) {
        bool used = picture->used[matrix][row][col];
        printf("%s%c%s", used && !before ? picture->light : "",
               used == before ? ' '
               : used         ? '['
                              : ']',
               before && !used ? picture->plain : "");
        putchar(
            letter_of(scene_owner(&picture->scene, matrix, down->bound[row], across->bound[col])));
        before = used;
    }
    printf("%c%s", before ? ']' : ' ', before ? picture->plain : "");
}

static int width_of(const struct picture *picture, int matrix) {
    return 2 * picture->axes[scene_across(matrix)].cells + 1;
}

/* B above C, A at the left of C. */
static void print_matrices(const struct picture *picture) {
    const sct_op *op = picture->scene.problem->args->op;
    int left = width_of(picture, MATRIX_A) > 14 ? width_of(picture, MATRIX_A) : 14;
    printf("%*s %s, k x n\n", left + GAP, "", op[MATRIX_B] == SCT_N ? "B" : "op(B)");
    for (int row = 0; row < picture->axes[DIM_K].cells; row++) {
        printf("%*s", left + GAP, "");
        print_line(picture, MATRIX_B, row);
        putchar('\n');
    }
    printf("\n %-*s C, m x n\n", left + GAP - 1,
           op[MATRIX_A] == SCT_N ? "A, m x k" : "op(A), m x k");
    for (int row = 0; row < picture->axes[DIM_M].cells; row++) {
        print_line(picture, MATRIX_A, row);
        printf("%*s", left + GAP - width_of(picture, MATRIX_A), "");
        print_line(picture, MATRIX_C, row);
        putchar('\n');
    }
}

static void print_legend(const struct picture *picture) {
    static const char dims[] = "mnk", names[] = "ABC";
    const struct args *args = picture->scene.problem->args;
    printf("\nA digit or letter is the rank that owns a part (0 to 9, a to z, A to Z, then +);\n"
           "in [brackets] is what rank %" PRId64 " uses.\n",
           args->rank);
    for (int i = 0; i < DIMS; i++)
        if (axis_end(&picture->axes[i]) < picture->axes[i].size)
            printf("Of %c = %" PRId64 " only the part below %" PRId64 " is drawn.\n", dims[i],
                   picture->axes[i].size, axis_end(&picture->axes[i]));
    for (int i = 0; i < MATRICES; i++) {
        int replicas = sct_layout_replicas(picture->scene.problem->layout[i]);
        if (replicas > 1)
            printf("Of the %d replicas of %c, 0 to %d, this is %d.\n", replicas, names[i],
                   replicas - 1, picture->scene.replica[i]);
    }
}

static void print_indices(const sct_indices *indices) {
    if (indices->ranges > 0)
        printf("%" PRId64 ":%" PRId64, indices->first.lo, indices->first.hi);
    if (indices->ranges > 1)
        printf(" and %" PRId64 " more", indices->ranges - 1);
}

static void print_operand(const char *name, const sct_indices *rows, const sct_indices *cols,
                          int rank, const char *how) {
    printf("%s[", name);
    print_indices(rows);
    printf(", ");
    print_indices(cols);
    if (rank >= 0)
        printf("] of rank %d, %s\n", rank, how);
    else
        printf("] of several ranks, %s\n", how);
}

static void print_step(const sct_op *op, int64_t number, const sct_step *step) {
    static const char *const reads[] = {[SCT_IN_PLACE] = "read in place", [SCT_BY_COPY] = "copied"};
    printf("  %" PRId64 ".  ", number);
    print_operand("C", &step->m, &step->n, step->owner_c,
                  step->c == SCT_IN_PLACE ? "written in place" : "added to from a copy");
    print_operand(op[MATRIX_A] == SCT_N ? "   += A" : "   += op(A)", &step->m, &step->k,
                  step->owner_a, reads[step->a]);
    print_operand(op[MATRIX_B] == SCT_N ? "    x B" : "    x op(B)", &step->k, &step->n,
                  step->owner_b, reads[step->b]);
}

static sct_status print_steps(const struct picture *picture) {
    sct_status status = SCT_OK;
    printf("\nRank %" PRId64 " does %" PRId64 " step%s%s\n", picture->scene.problem->args->rank,
           picture->scene.steps, picture->scene.steps == 1 ? "" : "s",
           picture->scene.steps > 0 ? ":" : ".");
    for (int64_t i = 0; i < picture->scene.steps && i < STEPS_IN_WORDS && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(picture->scene.plan, i, &step);
        if (status == SCT_OK)
            print_step(picture->scene.problem->args->op, i + 1, &step);
    }
    if (picture->scene.steps > STEPS_IN_WORDS)
        printf("  and %" PRId64 " more; --steps lists all.\n",
               picture->scene.steps - STEPS_IN_WORDS);
    return status;
}

static sct_status draw(struct picture *picture) {
    for (int i = 0; i < MATRICES; i++)
        cut_by_owners(picture, i);
    sct_status status = cut_by_steps(picture);
    for (int i = 0; i < DIMS; i++)
        axis_divide(&picture->axes[i]);
    return status == SCT_OK ? mark_steps(picture) : status;
}

enum code picture_print(const struct problem *problem, const sct_plan *plan) {
    bool bright = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    struct picture picture = {.light = bright ? "\033[7m" : "", .plain = bright ? "\033[0m" : ""};
    sct_status status = scene_create(problem, plan, &picture.scene);
    for (int i = 0; i < DIMS; i++)
        picture.axes[i].size = picture.scene.size[i];
    if (status == SCT_OK)
        status = draw(&picture);
    if (status == SCT_OK) {
        problem_print(problem, sct_plan_stay(plan));
        putchar('\n');
        print_matrices(&picture);
        print_legend(&picture);
        status = print_steps(&picture);
    }
    if (status != SCT_OK)
        report_error("%s", sct_last_reason());
    return report_code(status);
}
