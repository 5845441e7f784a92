/* text.c - layout texts: parses them, and prints a layout as a text that parses back to it;
 * docs/layouts.md has the grammar.
 *
 * A text is first read into a form, which takes memory in proportion to the text. The form is then
 * fitted to the number of ranks, and made into a layout. Inner functions give only the reason of a
 * failure; sct_layout_parse adds the text. */
#include "base/text.h"
#include "base/checked.h"
#include "base/status.h"
#include "layout/layout.h"
#include "layout/strides.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, COLS };

struct list {
    int64_t count;
    int64_t *items;
};

struct ints {
    int64_t count;
    int *items; /* NULL: absent */
    int highest;
};

/* The contents of a text. */
struct form {
    sct_form kind;
    bool grid_given, tiles;
    int grid[2]; /* with owners of tiles: 1 x ranks */
    sct_cyclic cyclic;
    struct list cuts[2];
    struct ints owners[2]; /* with owners of tiles: all in owners[0] */
    int copies;
    int64_t share_block;
    struct ints map;
    int strides; /* strides that describe the map */
    sct_stride stride[SCT_MOST_STRIDES];
    sct_order order;
};

static void form_clear(struct form *form) {
    for (int d = ROWS; d <= COLS; d++) {
        free(form->cuts[d].items);
        free(form->owners[d].items);
    }
    free(form->map.items);
}

static sct_status expected(const char *what, const char *at) {
    enum { SHOWN = 20 };
    if (*at == '\0')
        return sct_fail(SCT_BAD_ARGUMENT, "expected %s at the end", what);
    return sct_fail(SCT_BAD_ARGUMENT, "expected %s at \"%.*s\"", what, SHOWN, at);
}

/* ---- Reading: each function advances *at past what it read ---- */

static sct_status read_number(const char **at, int64_t most, int64_t *number) {
    const char *start = *at;
    sct_status status = sct_text_number(at, most, number);
    return *at == start ? expected("a number", start) : status;
}

static sct_status read_int(const char **at, int *number) {
    int64_t value;
    sct_status status = read_number(at, INT_MAX, &value);
    if (!status)
        *number = (int)value;
    return status;
}

static sct_status read_pair(const char **at, int64_t most, int64_t *first, int64_t *second) {
    sct_status status = read_number(at, most, first);
    if (status)
        return status;
    if (!sct_text_accept(at, "x"))
        return expected("x and a number", *at);
    return read_number(at, most, second);
}

static sct_status read_int_pair(const char **at, int *first, int *second) {
    int64_t values[2];
    sct_status status = read_pair(at, INT_MAX, &values[0], &values[1]);
    if (status)
        return status;
    *first = (int)values[0];
    *second = (int)values[1];
    return SCT_OK;
}

static sct_status read_list(const char **at, int64_t most, struct list *list) {
    /* Every number except the last takes at least two characters. */
    size_t room = strspn(*at, "0123456789,") / 2 + 1;
    if (!(list->items = malloc(room * sizeof *list->items)))
        return sct_no_memory("its numbers");
    sct_status status;
    do
        status = read_number(at, most, &list->items[list->count++]);
    while (!status && sct_text_accept(at, ","));
    return status;
}

/* Reads ranks or grid coordinates. */
static sct_status read_ints(const char **at, struct ints *ints) {
    struct list wide = {.count = 0};
    sct_status status = read_list(at, INT_MAX - 1, &wide);
    if (!status && !(ints->items = malloc((size_t)wide.count * sizeof *ints->items)))
        status = sct_no_memory("its numbers");
    for (int64_t i = 0; !status && i < wide.count; i++) {
        ints->items[i] = (int)wide.items[i];
        ints->highest = (int)sct_max(ints->highest, wide.items[i]);
    }
    ints->count = wide.count;
    free(wide.items);
    return status;
}

static sct_status read_cyclic(const char **at, struct form *form) {
    sct_cyclic *cyclic = &form->cyclic;
    sct_status status = sct_text_accept(at, ":") ? SCT_OK : expected(":MBxNB", *at);
    if (!status)
        status = read_pair(at, INT64_MAX, &cyclic->block_rows, &cyclic->block_cols);
    if (!status && (form->grid_given = sct_text_accept(at, "@")))
        status = read_int_pair(at, &form->grid[ROWS], &form->grid[COLS]);
    if (!status && sct_text_accept(at, ",src="))
        status = read_int_pair(at, &cyclic->source_row, &cyclic->source_col);
    if (!status && sct_text_accept(at, ",first="))
        status = read_pair(at, INT64_MAX, &cyclic->first_rows, &cyclic->first_cols);
    return status;
}

/* Reads owners. The grid, or the number of ranks, is the smallest that holds them, or what the text
 * says. */
static sct_status read_owners(const char **at, struct form *form) {
    form->grid_given = true;
    sct_status status = read_ints(at, &form->owners[ROWS]);
    if (status)
        return status;
    if ((form->tiles = !sct_text_accept(at, "x"))) {
        form->grid[ROWS] = 1;
        form->grid[COLS] = form->owners[ROWS].highest + 1;
        return sct_text_accept(at, "@") ? read_int(at, &form->grid[COLS]) : SCT_OK;
    }
    if ((status = read_ints(at, &form->owners[COLS])))
        return status;
    form->grid[ROWS] = form->owners[ROWS].highest + 1;
    form->grid[COLS] = form->owners[COLS].highest + 1;
    return sct_text_accept(at, "@") ? read_int_pair(at, &form->grid[ROWS], &form->grid[COLS])
                                    : SCT_OK;
}

static sct_status read_cuts(const char **at, struct form *form) {
    sct_status status =
        sct_text_accept(at, ":") ? SCT_OK : expected(":ROWCUTSxCOLCUTS@OWNERS", *at);
    if (!status && !sct_text_accept(at, "-"))
        status = read_list(at, INT64_MAX, &form->cuts[ROWS]);
    if (!status && !sct_text_accept(at, "x"))
        status = expected("x and column cuts", *at);
    if (!status && !sct_text_accept(at, "-"))
        status = read_list(at, INT64_MAX, &form->cuts[COLS]);
    if (!status && !sct_text_accept(at, "@"))
        status = expected("@ and owners", *at);
    return status ? status : read_owners(at, form);
}

static sct_status read_line(const char **at, struct form *form) {
    int line = form->kind == SCT_FORM_ROW ? ROWS : COLS;
    form->grid[ROWS] = form->grid[COLS] = 1;
    form->grid_given = sct_text_accept(at, "@");
    return form->grid_given ? read_int(at, &form->grid[line]) : SCT_OK;
}

static sct_status read_2d(const char **at, struct form *form) {
    form->grid_given = sct_text_accept(at, ":");
    return form->grid_given ? read_int_pair(at, &form->grid[ROWS], &form->grid[COLS]) : SCT_OK;
}

static sct_status read_base(const char **at, struct form *form) {
    static const struct {
        const char *word;
        sct_form kind;
        sct_status (*read)(const char **at, struct form *form);
    } kinds[] = {
        {"row", SCT_FORM_ROW, read_line},   {"col", SCT_FORM_COL, read_line},
        {"2d", SCT_FORM_2D, read_2d},       {"cyclic", SCT_FORM_CYCLIC, read_cyclic},
        {"cuts", SCT_FORM_CUTS, read_cuts},
    };
    size_t length = strcspn(*at, ":@*%/,");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].word) != length || strncmp(*at, kinds[i].word, length) != 0)
            continue;
        *at += length;
        form->kind = kinds[i].kind;
        return kinds[i].read(at, form);
    }
    return sct_fail(SCT_BAD_ARGUMENT, "expected row, col, 2d, cyclic:MBxNB or cuts:...");
}

static sct_status read_strides(const char **at, struct form *form) {
    sct_status status = SCT_OK;
    do {
        if (form->strides == SCT_MOST_STRIDES)
            return sct_fail(SCT_BAD_ARGUMENT, "rank map: more than %d strides", SCT_MOST_STRIDES);
        sct_stride *stride = &form->stride[form->strides++];
        status = read_int_pair(at, &stride->by, &stride->times);
    } while (!status && sct_text_accept(at, ","));
    form->map.count = sct_strides_places(form->stride, form->strides);
    form->map.highest = sct_strides_highest(form->stride, form->strides);
    return status;
}

static sct_status read_copies(const char **at, struct form *form) {
    sct_status status = read_int(at, &form->copies);
    if (status || !sct_text_accept(at, ":"))
        return status;
    status = read_number(at, INT64_MAX, &form->share_block);
    return status || form->share_block > 0 ? status : expected("a positive number", *at);
}

static sct_status read_form(const char *at, struct form *form) {
    sct_status status = read_base(&at, form);
    form->copies = 1;
    if (!status && sct_text_accept(&at, "*"))
        status = read_copies(&at, form);
    if (!status && sct_text_accept(&at, "%"))
        status = at[strspn(at, "0123456789")] == 'x' ? read_strides(&at, form)
                                                     : read_ints(&at, &form->map);
    if (!status && sct_text_accept(&at, "/f"))
        form->order = SCT_COL_MAJOR;
    if (!status && *at != '\0')
        status = expected("*C, %R0,R1,... or /f, in this order,", at);
    return status;
}

/* ---- Fitting to the number of ranks ---- */

static sct_status counts_agree(const char *what, int64_t given, int64_t needed) {
    if (given == needed)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: %lld given, %lld needed", what, (long long)given,
                    (long long)needed);
}

static sct_status imply_grid(struct form *form, int ranks) {
    if (ranks % form->copies != 0)
        return sct_fail(SCT_BAD_ARGUMENT, "%d replicas do not divide %d rank%s", form->copies,
                        ranks, ranks == 1 ? "" : "s");
    int each = ranks / form->copies;
    if (form->kind == SCT_FORM_ROW)
        form->grid[ROWS] = each;
    else if (form->kind == SCT_FORM_COL)
        form->grid[COLS] = each;
    else
        sct_layout_squarest(each, &form->grid[ROWS], &form->grid[COLS]);
    return SCT_OK;
}

static sct_status check_grid(const struct form *form, int ranks) {
    int64_t each = (int64_t)form->grid[ROWS] * form->grid[COLS];
    int64_t needed = each > ranks ? each : each * form->copies;
    if (needed > ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "at least %lld ranks are needed, but there %s %d",
                        (long long)needed, ranks == 1 ? "is" : "are", ranks);
    if (form->map.count > 0 && form->map.highest >= ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "rank map: %d is not a rank between 0 and %d",
                        form->map.highest, ranks - 1);
    if ((form->map.items && !form->tiles) || form->strides > 0)
        return counts_agree("ranks of the rank map", form->map.count, needed);
    return SCT_OK;
}

static sct_status check_owners(const struct form *form) {
    int64_t rows = form->cuts[ROWS].count + 1, cols = form->cuts[COLS].count + 1;
    if (form->kind != SCT_FORM_CUTS)
        return SCT_OK;
    if (form->tiles)
        return counts_agree("owners of tiles", form->owners[ROWS].count, rows * cols);
    sct_status status = counts_agree("owners of rows", form->owners[ROWS].count, rows);
    return status ? status : counts_agree("owners of columns", form->owners[COLS].count, cols);
}

static sct_status fit(struct form *form, int ranks) {
    if (form->copies < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "replicas: %d is not at least 1", form->copies);
    sct_status status = form->grid_given ? SCT_OK : imply_grid(form, ranks);
    if (!status)
        status = check_grid(form, ranks);
    return status ? status : check_owners(form);
}

/* ---- Making the layout ---- */

static sct_status make_cuts(const struct form *form, int64_t rows, int64_t cols,
                            sct_layout **layout) {
    sct_cuts cuts[2];
    for (int d = ROWS; d <= COLS; d++)
        cuts[d] = (sct_cuts){form->cuts[d].count + 1, form->cuts[d].items, form->owners[d].items};
    if (form->tiles)
        return sct_layout_create_tiles(rows, cols, form->grid[COLS], &cuts[ROWS], &cuts[COLS],
                                       form->owners[ROWS].items, layout);
    return sct_layout_create_cuts(rows, cols, form->grid[ROWS], form->grid[COLS], &cuts[ROWS],
                                  &cuts[COLS], layout);
}

static sct_status make_base(const struct form *form, int64_t rows, int64_t cols,
                            sct_layout **layout) {
    sct_cyclic cyclic = form->cyclic;
    switch (form->kind) {
    case SCT_FORM_ROW:
        return sct_layout_create_row(rows, cols, form->grid[ROWS], layout);
    case SCT_FORM_COL:
        return sct_layout_create_col(rows, cols, form->grid[COLS], layout);
    case SCT_FORM_2D:
        return sct_layout_create_2d(rows, cols, form->grid[ROWS], form->grid[COLS], layout);
    case SCT_FORM_CYCLIC:
        cyclic.grid_rows = form->grid[ROWS];
        cyclic.grid_cols = form->grid[COLS];
        return sct_layout_create_cyclic(rows, cols, &cyclic, layout);
    case SCT_FORM_CUTS:
        break;
    }
    return make_cuts(form, rows, cols, layout);
}

static sct_status make(const struct form *form, int64_t rows, int64_t cols, sct_layout **layout) {
    sct_layout *base, *made;
    sct_status status = make_base(form, rows, cols, &base);
    if (status)
        return status;
    status = sct_layout_replicate(base, form->copies, &made);
    sct_layout_destroy(base);
    if (!status && (form->map.items || form->strides > 0)) {
        sct_layout *replicated = made;
        status = form->strides > 0
                     ? sct_layout_map_strides(replicated, form->stride, form->strides, &made)
                     : sct_layout_map_ranks(replicated, form->map.items, &made);
        sct_layout_destroy(replicated);
    }
    if (status)
        return status;
    made->order = form->order;
    made->share_block = made->replicas > 1 ? form->share_block : 0;
    made->grid_implied = !form->grid_given;
    *layout = made;
    return SCT_OK;
}

/* Copies a text as one printable line, cut short with three dots if necessary. */
static void one_line(const char *from, char *to, size_t bytes) {
    size_t length = strlen(from), kept = length < bytes ? length : bytes - 4;
    for (size_t i = 0; i < kept; i++)
        to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    strcpy(to + kept, kept < length ? "..." : "");
}

sct_status sct_layout_parse(const char *text, int64_t rows, int64_t cols, int ranks,
                            sct_layout **layout) {
    if (!text)
        return sct_fail(SCT_BAD_ARGUMENT, "layout: the text is NULL");
    if (!layout)
        return sct_check_output("layout", layout);
    struct form form = {.cyclic = {.size = sizeof form.cyclic}};
    sct_status status = read_form(text, &form);
    if (!status)
        status = fit(&form, ranks);
    if (!status)
        status = make(&form, rows, cols, layout);
    form_clear(&form);
    if (!status)
        return SCT_OK;
    char quoted[80], reason[SCT_REASON_BYTES];
    one_line(text, quoted, sizeof quoted);
    one_line(sct_last_reason(), reason, sizeof reason);
    return sct_fail(status, "layout \"%s\": %s", quoted, reason);
}

/* ---- Printing ---- */

static void put_ints(sct_writer *writer, int64_t count, const int *items) {
    for (int64_t i = 0; i < count; i++)
        sct_writer_put(writer, "%s%d", i > 0 ? "," : "", items[i]);
}

static void put_inner_bounds(sct_writer *writer, const sct_axis *axis) {
    if (axis->blocks == 1)
        sct_writer_put(writer, "-");
    for (int64_t b = 1; b < axis->blocks; b++)
        sct_writer_put(writer, "%s%lld", b > 1 ? "," : "", (long long)axis->bounds[b]);
}

static int highest(int64_t count, const int *items) {
    int most = 0;
    for (int64_t i = 0; i < count; i++)
        most = items[i] > most ? items[i] : most;
    return most;
}

static void put_cyclic(sct_writer *writer, const sct_layout *layout) {
    const sct_axis *rows = &layout->rows, *cols = &layout->cols;
    sct_writer_put(writer, "cyclic:%lldx%lld", (long long)rows->block, (long long)cols->block);
    if (!layout->grid_implied)
        sct_writer_put(writer, "@%dx%d", rows->coords, cols->coords);
    if (rows->source != 0 || cols->source != 0)
        sct_writer_put(writer, ",src=%dx%d", rows->source, cols->source);
    if (rows->first != rows->block || cols->first != cols->block)
        sct_writer_put(writer, ",first=%lldx%lld", (long long)rows->first, (long long)cols->first);
}

static void put_grid_owners(sct_writer *writer, const sct_axis *rows, const sct_axis *cols) {
    put_ints(writer, rows->blocks, rows->owners);
    sct_writer_put(writer, "x");
    put_ints(writer, cols->blocks, cols->owners);
    if (rows->coords > highest(rows->blocks, rows->owners) + 1 ||
        cols->coords > highest(cols->blocks, cols->owners) + 1)
        sct_writer_put(writer, "@%dx%d", rows->coords, cols->coords);
}

static void put_tile_owners(sct_writer *writer, const sct_layout *layout) {
    int64_t tiles = layout->rows.blocks * layout->cols.blocks;
    put_ints(writer, tiles, layout->owner_of);
    if (layout->positions > highest(tiles, layout->owner_of) + 1)
        sct_writer_put(writer, "@%d", layout->positions);
}

static void put_cuts(sct_writer *writer, const sct_layout *layout) {
    sct_writer_put(writer, "cuts:");
    put_inner_bounds(writer, &layout->rows);
    sct_writer_put(writer, "x");
    put_inner_bounds(writer, &layout->cols);
    sct_writer_put(writer, "@");
    if (layout->owner_of)
        put_tile_owners(writer, layout);
    else
        put_grid_owners(writer, &layout->rows, &layout->cols);
}

static void put_base(sct_writer *writer, const sct_layout *layout) {
    switch (layout->form) {
    case SCT_FORM_ROW:
    case SCT_FORM_COL:
        sct_writer_put(writer, layout->form == SCT_FORM_ROW ? "row" : "col");
        if (!layout->grid_implied)
            sct_writer_put(writer, "@%d", layout->positions);
        break;
    case SCT_FORM_2D:
        sct_writer_put(writer, "2d");
        if (!layout->grid_implied)
            sct_writer_put(writer, ":%dx%d", layout->rows.coords, layout->cols.coords);
        break;
    case SCT_FORM_CYCLIC:
        put_cyclic(writer, layout);
        break;
    case SCT_FORM_CUTS:
        put_cuts(writer, layout);
        break;
    }
}

/* Prints a rank map, by strides if it is long and has a pattern. */
static void put_map(sct_writer *writer, const sct_layout *layout) {
    enum { FEW = 8 };
    sct_stride stride[SCT_MOST_STRIDES];
    int strides = layout->strides, places = layout->positions * layout->replicas, few[FEW];
    memcpy(stride, layout->stride, sizeof stride);
    if (places > FEW && strides == 0)
        strides = sct_strides_find(layout->rank_of, places, stride);
    sct_writer_put(writer, "%%");
    for (int i = 0; i < strides && places > FEW; i++)
        sct_writer_put(writer, "%s%dx%d", i > 0 ? "," : "", stride[i].by, stride[i].times);
    for (int i = 0; i < places && places <= FEW; i++)
        few[i] = sct_layout_rank(layout, i);
    if (strides == 0 || places <= FEW)
        put_ints(writer, places, places <= FEW ? few : layout->rank_of);
}

size_t sct_layout_print(const sct_layout *layout, char *text, size_t bytes) {
    sct_writer writer = {text, bytes, 0};
    put_base(&writer, layout);
    if (layout->replicas > 1)
        sct_writer_put(&writer, "*%d", layout->replicas);
    if (layout->share_block > 0)
        sct_writer_put(&writer, ":%lld", (long long)layout->share_block);
    if (sct_layout_is_mapped(layout))
        put_map(&writer, layout);
    if (layout->order == SCT_COL_MAJOR)
        sct_writer_put(&writer, "/f");
    return writer.length;
}
