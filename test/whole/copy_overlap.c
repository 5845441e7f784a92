/* copy_overlap.c - a copy that is transposed between the host and a device goes through a buffer
 * with two halves: the move of one part does not wait for the command of another, but a half is not
 * filled again before it has been emptied. */
#include "api/world.h"
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/elements.h"

#include <stdlib.h>

enum { ROWS = 700, COLS = 500, MOST = 64 };

/* ---- What is ordered after what ---- */

typedef enum kind { FILL, PROCESS, EMPTY, KINDS } kind;

/* Sets of commands, by number. */
typedef uint64_t commands;

typedef struct seen_event {
    sct_event event;
    commands seen;
} seen_event;

typedef struct seen_stream {
    sct_stream *stream;
    commands seen; /* what its next command runs after */
} seen_stream;

/* What this rank has submitted. */
static struct watched {
    sct_device *device;
    const sct_device_ops *real;
    int streams, events;
    seen_stream stream[8];
    seen_event event[4 * MOST];
    int count;
    kind kind[MOST];
    commands after[MOST];
    int of_kind[KINDS][MOST], counts[KINDS];
} w;

static commands *seen_by(sct_stream *stream) {
    for (int i = 0; i < w.streams; i++)
        if (w.stream[i].stream == stream)
            return &w.stream[i].seen;
    w.stream[w.streams] = (seen_stream){stream, 0};
    return &w.stream[w.streams++].seen;
}

static bool on_device(const void *memory) {
    return w.real->can_use(w.device, memory);
}

static sct_status watch_submit(sct_stream *stream, const sct_command *command) {
    kind is = command->work != SCT_DO_MOVE       ? PROCESS
              : on_device(command->strided.from) ? EMPTY
                                                 : FILL;
    commands *seen = seen_by(stream);
    if (!CHECK(w.count < MOST))
        return SCT_FAILED;
    w.after[w.count] = *seen;
    *seen |= (commands)1 << w.count;
    w.kind[w.count] = is;
    w.of_kind[is][w.counts[is]++] = w.count++;
    return w.real->submit(stream, command);
}

static sct_event watch_record(sct_stream *stream) {
    sct_event event = w.real->record(stream);
    if (CHECK(w.events < 4 * MOST))
        w.event[w.events++] = (seen_event){event, *seen_by(stream)};
    return event;
}

/* The last of equal events is the one that was meant. */
static sct_status watch_follow(sct_stream *stream, sct_event event) {
    commands *seen = seen_by(stream);
    for (int i = w.events - 1; i >= 0; i--)
        if (w.event[i].event.of == event.of && w.event[i].event.number == event.number) {
            *seen |= w.event[i].seen;
            break;
        }
    return w.real->follow(stream, event);
}

/* Whether the nth command of a kind runs after the mth one of another. */
static bool follows(kind later, int n, kind earlier, int m) {
    return w.after[w.of_kind[later][n]] >> w.of_kind[earlier][m] & 1;
}

/* ---- Copies ---- */

static const source from = {5, 0};

static element turned_source(const void *context, int64_t row, int64_t col) {
    return source_element(SCT_F64, *(const source *)context, col, row);
}

static sct_matrix *wrap(sct_world *world, int64_t rows, int64_t cols, void **memory) {
    sct_layout *layout = layout_of("row", rows, cols, 1);
    sct_matrix *made = NULL;
    *memory = malloc((size_t)(rows * cols) * sizeof(double));
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, *memory, 0, &made) == SCT_OK);
    sct_layout_destroy(layout);
    return made;
}

static void copy_turned(sct_world *world, sct_matrix *x, sct_matrix *y) {
    matrix_fill(world, x, from);
    w = (struct watched){.device = world->device, .real = world->device->ops};
    sct_device_ops watching = *w.real;
    watching.submit = watch_submit;
    watching.record = watch_record;
    watching.follow = watch_follow;
    world->device->ops = &watching;
    CHECK_CASE(sct_copy(SCT_T, sct_whole(x), sct_whole(y), NULL) == SCT_OK, "%s",
               sct_last_reason());
    world->device->ops = w.real;
    CHECK(matrix_count_unlike(world, y, turned_source, &from) == 0);
}

static void check_order(bool fills, bool empties) {
    int parts = w.counts[PROCESS];
    CHECK(parts > 4 && w.counts[FILL] == fills * parts && w.counts[EMPTY] == empties * parts);
    int halves = fills && empties ? 1 : 2; /* of each kind */
    for (int i = 0; i < parts; i++) {
        CHECK(!fills || follows(PROCESS, i, FILL, i));
        CHECK(!empties || follows(EMPTY, i, PROCESS, i));
    }
    for (int i = 0; i + halves < parts; i++) {
        CHECK(!fills || follows(FILL, i + halves, PROCESS, i));
        CHECK(!empties || follows(PROCESS, i + halves, EMPTY, i));
    }
    for (int i = 0; i + 1 < parts; i++) {
        CHECK_CASE(!fills || !follows(FILL, i + 1, empties ? EMPTY : PROCESS, i),
                   "part %d is not filled beside another", i + 1);
        CHECK_CASE(!empties || fills || !follows(PROCESS, i + 1, EMPTY, i),
                   "part %d is not processed beside another", i + 1);
    }
}

static int copies(sct_world *world, void *arg) {
    void *memory[2];
    sct_matrix *host = wrap(world, ROWS, COLS, &memory[0]);
    sct_matrix *turned = wrap(world, COLS, ROWS, &memory[1]);
    sct_matrix *device = matrix_new(world, SCT_F64, "row", ROWS, COLS);
    sct_matrix *device_turned = matrix_new(world, SCT_F64, "row", COLS, ROWS);
    (void)arg;
    copy_turned(world, host, device_turned);
    check_order(true, false);
    copy_turned(world, device, turned);
    check_order(false, true);
    copy_turned(world, host, turned);
    check_order(true, true);
    sct_matrix *all[] = {host, turned, device, device_turned};
    for (int i = 0; i < 4; i++)
        sct_matrix_destroy(all[i]);
    free(memory[0]);
    free(memory[1]);
    return 0;
}

int main(void) {
    emulated_options emulated = {.delay_us = 20};
    const sct_world_options world = emulated_world(&emulated);
    CHECK_CASE(sct_run(1, &world, copies, NULL) == SCT_OK, "%s", sct_last_reason());
    return check_report("copy_overlap");
}
