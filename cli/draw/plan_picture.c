/* plan_picture.c - draws the picture of a plan: as SVG, with the flags that make it; or as text:
 * A, B and C, their owners and the slices that one rank uses. */
#include "draw/plan_picture.h"

#include "pictures/plan_drawing.h"
#include "pictures/plan_svg.h"
#include "print/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Writes the flags of the problem, so that a reader can plan it again. */
static void write_command(const struct problem *problem, sct_stay stay,
                          struct text_lines *command) {
    static const char ops[] = "NTC";
    char shape[SHAPE_TEXT];
    const struct args *args = problem->args;
    text_lines_join(command, "--ranks %" PRId64, args->ranks);
    args_shape_text(&args->shape, shape);
    text_lines_join(command, "--shape %s", shape);
    if (args->op[MATRIX_A] != SCT_N || args->op[MATRIX_B] != SCT_N)
        text_lines_join(command, "--op %c%c", ops[args->op[MATRIX_A]], ops[args->op[MATRIX_B]]);
    for (int i = 0; i < MATRICES; i++)
        text_lines_join(command, "--%c %s", "abc"[i], args -> layout[i]);
    for (int i = 0; i < MATRICES; i++)
        if (args->view[i].given)
            text_lines_join(command, "--view-%c %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64,
                            "abc"[i], args -> view[i].rows, args->view[i].cols, args->view[i].row,
                            args->view[i].col);
    text_lines_join(command, "--stay %s", sct_stay_name(stay));
    if (problem->work_text)
        text_lines_join(command, "--work %s", problem->work_text);
    if (args->slicing == SCT_SLICE_TILE)
        text_lines_join(command, "--slice tile");
    if (args->per_node > 0)
        text_lines_join(command, "--per-node %" PRId64, args->per_node);
    text_lines_join(command, "--rank %" PRId64, args->rank);
}

enum code plan_picture_draw(const struct problem *problem, const sct_plan *plan, FILE *out) {
    struct text_lines command = {0};
    write_command(problem, sct_plan_stay(plan), &command);
    sct_status status =
        plan_svg_draw(&problem->value, plan, (int)problem->args->rank, &command, out);
    if (status == SCT_NO_MEMORY)
        report_error("no memory for the page");
    return status == SCT_NO_MEMORY ? CODE_FAILED : report_status(status);
}

/* ---- As text ---- */

/* Owners are found along SAMPLE_LINES rows and columns of a matrix. With few cuts, cells are
 * divided further, until a dimension has about PREFERRED_CELLS of them. */
enum { SAMPLE_LINES = 5, PREFERRED_CELLS = 10, STEPS_IN_WORDS = 3, GAP = 4 };

/* One dimension of the product, divided into at most AXIS_CELLS cells. */
enum { AXIS_CELLS = 16 };

struct text_axis {
    int64_t size;
    bool scaled; /* too many cuts for a cell each: cells are equal parts of the dimension */
    int cuts;
    int64_t cut[AXIS_CELLS - 1]; /* ascending, between 0 and size */
    int cells;
    int64_t bound[AXIS_CELLS + 1]; /* cell i is [bound[i], bound[i + 1]) */
};

struct picture {
    const struct problem *problem;
    struct drawing drawing;
    struct text_axis axes[DIMS];
    bool used[MATRICES][AXIS_CELLS][AXIS_CELLS];
    const char *light, *plain; /* switch the highlight of a terminal on and off, or "" */
};

/* Adds a place where an owner or a step changes. With more cuts than fit, the axis is scaled. */
static void add_cut(struct text_axis *axis, int64_t at) {
    int place = 0;
    if (axis->scaled || at <= 0 || at >= axis->size)
        return;
    while (place < axis->cuts && axis->cut[place] < at)
        place++;
    if (place < axis->cuts && axis->cut[place] == at)
        return;
    if (axis->cuts == AXIS_CELLS - 1) {
        axis->scaled = true;
        return;
    }
    memmove(&axis->cut[place + 1], &axis->cut[place],
            (size_t)(axis->cuts - place) * sizeof *axis->cut);
    axis->cut[place] = at;
    axis->cuts++;
}

/* The number of cells of about `width` indices for `length` indices: at least one. */
static int cells_of(int64_t length, double width) {
    int cells = (int)((double)length / width + 0.5);
    return cells < 1 ? 1 : cells > length ? (int)length : cells;
}

/* Appends equal cells of [low, high). */
static void append_cells(struct text_axis *axis, int64_t low, int64_t high, int cells) {
    int64_t width = (high - low) / cells, rest = (high - low) % cells;
    for (int j = 1; j <= cells; j++)
        axis->bound[++axis->cells] = low + width * j + rest * j / cells;
}

/* Divides what lies between cuts into cells of about `width`; false if they are too many. */
static bool divide(struct text_axis *axis, double width) {
    int64_t low = 0;
    axis->cells = 0;
    for (int i = 0; low < axis->size; i++) {
        int64_t high = i < axis->cuts ? axis->cut[i] : axis->size;
        int cells = cells_of(high - low, width);
        if (axis->cells + cells > AXIS_CELLS)
            return false;
        append_cells(axis, low, high, cells);
        low = high;
    }
    return true;
}

/* Makes the cells, once all cuts are known. Unless the axis is scaled, no cell crosses a cut. */
static void make_cells(struct text_axis *axis) {
    if (axis->scaled) {
        append_cells(axis, 0, axis->size, AXIS_CELLS);
        return;
    }
    /* Ends at one cell between two cuts at the latest, which always fits. */
    for (int cells = PREFERRED_CELLS; !divide(axis, (double)axis->size / cells); cells--)
        continue;
}

/* Adds a cut to an axis of the picture wherever the owner changes along one column of a matrix, or,
 * if `down` is false, along one row. */
static void cut_by_line(struct picture *picture, int matrix, bool down, int64_t line) {
    const struct drawing *drawing = &picture->drawing;
    struct text_axis *axis = &picture->axes[down ? drawing_down(matrix) : drawing_across(matrix)];
    int64_t at = 0;
    int before = -1;
    while (at < axis->size && !axis->scaled) {
        struct place place = down ? (struct place){at, line} : (struct place){line, at};
        int owner = drawing_owner(drawing, matrix, place.row, place.col);
        sct_slice tile = drawing_tile(drawing, matrix, place.row, place.col);
        if (owner != before)
            add_cut(axis, at);
        before = owner;
        at = down ? tile.rows.hi : tile.cols.hi;
    }
}

/* Cuts both dimensions of a matrix where owners change, along a few lines each way. */
static void cut_by_owners(struct picture *picture, int matrix) {
    int64_t rows = picture->axes[drawing_down(matrix)].size;
    int64_t cols = picture->axes[drawing_across(matrix)].size;
    for (int i = 0; rows > 0 && cols > 0 && i < SAMPLE_LINES; i++) {
        cut_by_line(picture, matrix, true, (cols - 1) / (SAMPLE_LINES - 1) * i);
        cut_by_line(picture, matrix, false, (rows - 1) / (SAMPLE_LINES - 1) * i);
    }
}

static void cut_by_step(struct picture *picture, const sct_step *step) {
    for (int dim = 0; dim < DIMS; dim++) {
        const sct_indices *indices = drawing_indices(step, dim);
        for (int64_t j = 0; j < indices->ranges; j++) {
            sct_range range = sct_indices_range(indices, j);
            add_cut(&picture->axes[dim], range.lo);
            add_cut(&picture->axes[dim], range.hi);
        }
    }
}

/* The cells of a dimension that a step uses. In a scaled dimension it may use a part of a cell. */
static void find_cells(const struct text_axis *axis, const sct_indices *indices,
                       bool cells[AXIS_CELLS]) {
    for (int cell = 0; cell < AXIS_CELLS; cell++)
        cells[cell] = false;
    for (int64_t j = 0; j < indices->ranges; j++) {
        sct_range range = sct_indices_range(indices, j);
        for (int cell = 0; cell < axis->cells; cell++)
            if (axis->bound[cell] < range.hi && range.lo < axis->bound[cell + 1])
                cells[cell] = true;
    }
}

static void mark_step(struct picture *picture, const sct_step *step) {
    bool cells[DIMS][AXIS_CELLS];
    for (int dim = 0; dim < DIMS; dim++)
        find_cells(&picture->axes[dim], drawing_indices(step, dim), cells[dim]);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int row = 0; row < AXIS_CELLS; row++)
            for (int col = 0; col < AXIS_CELLS; col++)
                if (cells[drawing_down(matrix)][row] && cells[drawing_across(matrix)][col])
                    picture->used[matrix][row][col] = true;
}

static sct_status visit_steps(struct picture *picture,
                              void (*visit)(struct picture *picture, const sct_step *step)) {
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < picture->drawing.steps && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(picture->drawing.plan, i, &step);
        if (status == SCT_OK)
            visit(picture, &step);
    }
    return status;
}

static char letter_of(int rank) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return rank < (int)sizeof letters - 1 ? letters[rank] : '+';
}

static void print_line(const struct picture *picture, int matrix, int row) {
    const struct text_axis *down = &picture->axes[drawing_down(matrix)];
    const struct text_axis *across = &picture->axes[drawing_across(matrix)];
    bool before = false;
    for (int col = 0; col < across->cells; col++) {
        bool used = picture->used[matrix][row][col];
        printf("%s%c%s", used && !before ? picture->light : "",
               used == before ? ' '
               : used         ? '['
                              : ']',
               before && !used ? picture->plain : "");
        putchar(letter_of(
            drawing_owner(&picture->drawing, matrix, down->bound[row], across->bound[col])));
        before = used;
    }
    printf("%c%s", before ? ']' : ' ', before ? picture->plain : "");
}

static int width_of(const struct picture *picture, int matrix) {
    return 2 * picture->axes[drawing_across(matrix)].cells + 1;
}

/* Prints B above C, and A to the left of C. */
static void print_matrices(const struct picture *picture) {
    const sct_op *op = picture->problem->args->op;
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
    const struct args *args = picture->problem->args;
    printf(
        "\nEach digit or letter is the rank that owns the part: 0 to 9, then a to z, A to Z, +.\n"
        "[Brackets] mark the parts that rank %" PRId64 " uses.\n",
        args->rank);
    for (int i = 0; i < DIMS; i++)
        if (picture->axes[i].scaled)
            printf("%c is scaled: a cell stands for 1/%d of %" PRId64
                   " indices and shows the owner of the first.\n",
                   dims[i], AXIS_CELLS, picture->axes[i].size);
    for (int i = 0; i < MATRICES; i++) {
        int replicas = sct_layout_replicas(picture->drawing.layout[i]);
        if (replicas > 1)
            printf("%c has %d replicas; replica %d is drawn.\n", names[i], replicas,
                   picture->drawing.replica[i]);
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
    static const char *const reads[] = {
        [SCT_IN_PLACE] = "read in place", [SCT_BY_COPY] = "copied to workspace"};
    printf("  %" PRId64 ".  ", number);
    print_operand("C", &step->m, &step->n, step->owner_c,
                  step->c == SCT_IN_PLACE ? "written in place" : "accumulated from workspace");
    print_operand(op[MATRIX_A] == SCT_N ? "   += A" : "   += op(A)", &step->m, &step->k,
                  step->owner_a, reads[step->a]);
    print_operand(op[MATRIX_B] == SCT_N ? "    x B" : "    x op(B)", &step->k, &step->n,
                  step->owner_b, reads[step->b]);
}

static sct_status print_steps(const struct picture *picture) {
    sct_status status = SCT_OK;
    printf("\nRank %" PRId64 " does %" PRId64 " step%s%s\n", picture->problem->args->rank,
           picture->drawing.steps, picture->drawing.steps == 1 ? "" : "s",
           picture->drawing.steps > 0 ? ":" : ".");
    for (int64_t i = 0; i < picture->drawing.steps && i < STEPS_IN_WORDS && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(picture->drawing.plan, i, &step);
        if (status == SCT_OK)
            print_step(picture->problem->args->op, i + 1, &step);
    }
    if (picture->drawing.steps > STEPS_IN_WORDS)
        printf("  and %" PRId64 " more steps; --steps lists all.\n",
               picture->drawing.steps - STEPS_IN_WORDS);
    return status;
}

static sct_status draw(struct picture *picture) {
    for (int i = 0; i < MATRICES; i++)
        cut_by_owners(picture, i);
    sct_status status = visit_steps(picture, cut_by_step);
    for (int i = 0; i < DIMS; i++)
        make_cells(&picture->axes[i]);
    return status == SCT_OK ? visit_steps(picture, mark_step) : status;
}

enum code plan_text_print(const struct problem *problem, const sct_plan *plan) {
    bool bright = report_has_color(stdout);
    struct picture picture = {
        .problem = problem, .light = bright ? "\033[7m" : "", .plain = bright ? "\033[0m" : ""};
    sct_status status =
        drawing_create(&problem->value, plan, (int)problem->args->rank, &picture.drawing);
    for (int i = 0; i < DIMS; i++)
        picture.axes[i].size = picture.drawing.size[i];
    if (status == SCT_OK)
        status = draw(&picture);
    if (status == SCT_OK) {
        problem_print(problem, sct_plan_stay(plan));
        putchar('\n');
        print_matrices(&picture);
        print_legend(&picture);
        status = print_steps(&picture);
    }
    return report_status(status);
}
