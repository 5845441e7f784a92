/* staged_bytes.c - a product of wrapped memory of the host moves to the devices, and back, what the
 * views have of the matrices that it reads, and writes; and allocates no more of a part than up to
 * the end of its view. */
#include "api/world.h"
#include "fabric/dense.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { RANKS = 2, SIZE = 12, VIEW = 8, FIRST = 2, PART = SIZE / RANKS * SIZE };

/* Of one rank. Its device's functions are replaced by ones that count. */
typedef struct counts {
    const sct_device_ops *real;
    sct_device_ops counting;
    int64_t in, out; /* bytes */
    size_t expected; /* bytes of a copy */
    int copies;      /* allocations of so many */
} counts;

static counts counts_of[RANKS];
static _Thread_local counts *mine;

static sct_status count_submit(sct_stream *stream, const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    bool moves = command->work == SCT_DO_MOVE;
    if (moves && !mine->real->can_use(NULL, w->from))
        mine->in += w->lines * w->count;
    if (moves && !mine->real->can_use(NULL, w->to))
        mine->out += w->lines * w->count;
    return mine->real->submit(stream, command);
}

static void *count_alloc(sct_device *device, size_t bytes) {
    mine->copies += bytes == mine->expected;
    return mine->real->alloc(device, bytes);
}

static void start_counting(sct_world *world) {
    mine = &counts_of[sct_world_rank(world)];
    *mine = (counts){.real = world->device->ops, .counting = *world->device->ops};
    /* rank 0 ends with its part's last row, rank 1 with its fourth; both with column 10 */
    int64_t rows = sct_world_rank(world) == 0 ? SIZE / RANKS : FIRST + VIEW - SIZE / RANKS;
    const sct_memory copy = {.lines = rows, .width = (FIRST + VIEW) * sizeof(double)};
    CHECK(sct_dense_bytes(1, &copy, &mine->expected) == SCT_OK);
    mine->counting.submit = count_submit;
    mine->counting.alloc = count_alloc;
    world->device->ops = &mine->counting;
}

static sct_matrix *wrap(sct_world *world, const sct_layout *layout, double *part) {
    sct_matrix *matrix = NULL;
    for (int i = 0; i < PART; i++)
        part[i] = 1;
    CHECK_CASE(sct_matrix_wrap(world, SCT_F64, layout, part, 0, &matrix) == SCT_OK, "%s",
               sct_last_reason());
    return matrix;
}

/* Rows and columns FIRST to FIRST + VIEW of 12: rank 0 has 4 such rows, and so has rank 1. */
static int multiply(sct_world *world, void *arg) {
    const double *factors = arg;
    const sct_slice slice = {{FIRST, FIRST + VIEW}, {FIRST, FIRST + VIEW}};
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
    const int64_t part = VIEW / RANKS * VIEW * (int64_t)sizeof(double);
    double parts[3][PART];
    sct_layout *layout = layout_of("row", SIZE, SIZE, RANKS);
    sct_matrix *matrix[3];
    sct_view view[3];
    for (int i = 0; i < 3; i++) {
        matrix[i] = wrap(world, layout, parts[i]);
        CHECK(sct_matrix_view(matrix[i], slice, &view[i]) == SCT_OK);
    }
    start_counting(world);
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &factors[0], view[0], view[1], &factors[1], view[2],
                            &options) == SCT_OK,
               "%s", sct_last_reason());
    world->device->ops = mine->real;
    int64_t read = (factors[0] != 0 ? 2 : 0) + (factors[1] != 0 ? 1 : 0);
    CHECK_CASE(mine->in == read * part && mine->out == part, "%lld bytes in, %lld out",
               (long long)mine->in, (long long)mine->out);
    CHECK_CASE(mine->copies == 3, "%d allocations of %zu bytes", mine->copies, mine->expected);
    double expected = factors[0] * VIEW + factors[1];
    int64_t in_view = sct_world_rank(world) == 0 ? FIRST * SIZE + FIRST : FIRST;
    CHECK(parts[2][in_view] == expected);
    CHECK(parts[2][PART - 1] == 1);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    sct_layout_destroy(layout);
    return 0;
}

int main(void) {
    double factors[][2] = {{2, 3}, {2, 0}, {0, 3}, {0, 0}};
    sct_world_options world = {.size = sizeof world, .engine = "emulated"};
    for (int i = 0; i < 4; i++)
        CHECK_CASE(sct_run(RANKS, &world, multiply, factors[i]) == SCT_OK, "%s", sct_last_reason());
    return check_report("staged_bytes");
}
