/* large_matrices.c - matrices of which one rank's part exceeds 2^31 bytes or 2^31 elements, or
 * whose leading dimension exceeds an int. They are address space of which only the corners, where
 * views are multiplied and copied, are touched. */
#include "engine/emulated.h"
#include "support/check.h"

#include <sectile/sectile.h>

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 2, M = 4, N = 4, K = 6, MATRICES = 3, LIMIT = 100 };

static const int64_t billion = (int64_t)1 << 30;

/* Which matrix is large, its stored size and layout, and the options of the world and the product.
 */
typedef struct scenario {
    int large;
    int64_t rows, cols;
    const char *layout;
    sct_options options;
} scenario;

typedef struct part {
    void *memory;
    size_t bytes;
} part;

static int64_t number(int matrix, int64_t i, int64_t j) {
    return (matrix * 5 + i * 3 + j * 7) % 11 - 5;
}

/* Calls f for the elements of the view that this rank stores. */
static void visit(sct_world *world, sct_view view, void (*f)(float *, int, int64_t, int64_t),
                  int matrix) {
    sct_slice tiles;
    CHECK(sct_matrix_overlapping_tiles(view.matrix, view.slice, &tiles) == SCT_OK);
    int64_t wide = tiles.cols.hi - tiles.cols.lo;
    for (int64_t t = 0; t < wide * (tiles.rows.hi - tiles.rows.lo); t++) {
        sct_tile at = {tiles.rows.lo + t / wide, tiles.cols.lo + t % wide};
        sct_slice has;
        sct_block block;
        int owner;
        CHECK(sct_matrix_tile_owner(view.matrix, at, 0, &owner) == SCT_OK);
        CHECK(sct_matrix_tile_bounds(view.matrix, at, &has) == SCT_OK);
        if (owner != sct_world_rank(world))
            continue;
        CHECK(sct_matrix_tile(view.matrix, at, 0, &block) == SCT_OK);
        for (int64_t i = view.slice.rows.lo; i < view.slice.rows.hi; i++)
            for (int64_t j = view.slice.cols.lo; j < view.slice.cols.hi; j++) {
                int64_t row = i - has.rows.lo, col = j - has.cols.lo;
                bool inside = row >= 0 && i < has.rows.hi && col >= 0 && j < has.cols.hi;
                int64_t place =
                    block.order == SCT_ROW_MAJOR ? row * block.ld + col : col * block.ld + row;
                if (inside)
                    f((float *)block.data + place, matrix, i - view.slice.rows.lo,
                      j - view.slice.cols.lo);
            }
    }
}

static void put(float *at, int matrix, int64_t i, int64_t j) {
    *at = (float)number(matrix, i, j);
}

static void check_product(float *at, int matrix, int64_t i, int64_t j) {
    int64_t sum = 3 * number(matrix, i, j);
    for (int64_t l = 0; l < K; l++)
        sum += 2 * number(0, i, l) * number(1, l, j);
    CHECK_CASE(*at == (float)sum, "element (%lld, %lld): %g instead of %lld", (long long)i,
               (long long)j, (double)*at, (long long)sum);
}

static void check_copied(float *at, int matrix, int64_t i, int64_t j) {
    (void)matrix;
    CHECK(*at == (float)number(0, j, i));
}

static sct_matrix *make(sct_world *world, const char *text, int64_t rows, int64_t cols, part *p) {
    sct_layout *layout = NULL;
    sct_matrix *matrix = NULL;
    CHECK(sct_layout_parse(text, rows, cols, RANKS, &layout) == SCT_OK);
    CHECK(sct_layout_bytes(layout, SCT_F32, sct_world_rank(world), &p->bytes) == SCT_OK);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    p->memory = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    CHECK(p->memory != MAP_FAILED);
    CHECK(sct_matrix_wrap(world, SCT_F32, layout, p->memory, 0, &matrix) == SCT_OK);
    sct_layout_destroy(layout);
    return matrix;
}

/* The view of the last rows and columns. */
static sct_view corner(sct_matrix *matrix, int64_t rows, int64_t cols) {
    const sct_layout *layout = sct_matrix_layout(matrix);
    int64_t m = sct_layout_rows(layout), n = sct_layout_cols(layout);
    return (sct_view){matrix, {{m - rows, m}, {n - cols, n}}};
}

static int rank_main(sct_world *world, void *arg) {
    static const int64_t rows[] = {M, K, M}, cols[] = {K, N, N};
    static const char *const layouts[] = {"col", "row", "2d"};
    const scenario *s = arg;
    const float alpha = 2, beta = 3;
    part parts[MATRICES + 1];
    sct_matrix *matrix[MATRICES + 1];
    sct_view view[MATRICES];
    for (int i = 0; i < MATRICES; i++) {
        bool large = i == s->large;
        matrix[i] = make(world, large ? s->layout : layouts[i], large ? s->rows : rows[i],
                         large ? s->cols : cols[i], &parts[i]);
        view[i] = corner(matrix[i], rows[i], cols[i]);
        visit(world, view[i], put, i);
    }
    CHECK(sct_multiply(SCT_N, SCT_N, &alpha, view[0], view[1], &beta, view[2], &s->options) ==
          SCT_OK);
    visit(world, view[2], check_product, 2);
    matrix[MATRICES] = make(world, "row", K, M, &parts[MATRICES]);
    sct_view copied = sct_whole(matrix[MATRICES]);
    CHECK(sct_copy(SCT_T, view[0], copied, NULL) == SCT_OK);
    visit(world, copied, check_copied, 0);
    for (int i = 0; i <= MATRICES; i++) {
        sct_matrix_destroy(matrix[i]);
        munmap(parts[i].memory, parts[i].bytes);
    }
    return 0;
}

/* Up to 2^32 elements on one rank: in few long lines, in many short ones, and in blocks. */
static void try_large(int mode) {
    const struct {
        int64_t rows, cols;
        const char *layout;
    } sizes[] = {{8, billion, "row"},
                 {8, 2 * billion + 6, "row"},
                 {2 * billion + 6, 8, "col/f"},
                 {billion, 8, "row"},
                 {8, billion, "cyclic:2x1000"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int large = 0; large < MATRICES; large++)
            for (int stay = SCT_STAY_AUTO; stay <= SCT_STAY_C; stay++) {
                scenario s = {.large = large,
                              .rows = sizes[i].rows,
                              .cols = sizes[i].cols,
                              .layout = sizes[i].layout,
                              .options = {.size = sizeof s.options, .stay = (sct_stay)stay}};
                emulated_options emulated = {
                    .host = 1, .ranks_per_node = mode % 2, .deferred = mode / 2};
                const sct_world_options world = emulated_world(&emulated);
                CHECK_CASE(sct_run(RANKS, &world, rank_main, &s) == SCT_OK,
                           "matrix %d of %lld x %lld, %s, stay %d: %s", large, (long long)s.rows,
                           (long long)s.cols, s.layout, stay, sct_last_reason());
            }
}

int main(void) {
    alarm(LIMIT);
    /* As much as two ranks map at once. */
    size_t most = (size_t)(2 * billion + 8) * 8 * sizeof(float);
    void *probe = mmap(NULL, most, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe == MAP_FAILED) {
        printf("no address space for large matrices\n");
        return 77;
    }
    munmap(probe, most);
    for (int mode = 0; mode < 4; mode++)
        try_large(mode);
    return check_report("large_matrices");
}
