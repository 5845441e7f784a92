/* edge_sizes.c - layouts and plans, without data, of sizes near the limits of 32 and 64 bits, and
 * replica counts that do not divide the ranks. The numbers only identify the cases. */
#include "support/check.h"

#include <sectile/sectile.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 4 };

static const char *const partitions[] = {
    "row", "col", "2d", "cyclic:1024x4096", "col*2/f", "cyclic:99991x65536,src=1x1"};
enum { PARTITIONS = sizeof partitions / sizeof *partitions };

static sct_layout *make(const char *text, int64_t rows, int64_t cols) {
    sct_layout *layout = NULL;
    sct_status status = sct_layout_parse(text, rows, cols, RANKS, &layout);
    CHECK_CASE(status == SCT_OK, "%s: %s", text, sct_last_reason());
    return layout;
}

/* The bytes of all ranks add up to those of the matrix, once for each replica. */
static void check_bytes(const char *text, int64_t rows, int64_t cols, sct_type type) {
    sct_layout *layout = make(text, rows, cols);
    size_t sum = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        size_t bytes = 0;
        CHECK(sct_layout_bytes(layout, type, rank, &bytes) == SCT_OK);
        sum += bytes;
    }
    size_t copies = (size_t)sct_layout_replicas(layout);
    CHECK_CASE(sum == copies * (size_t)rows * (size_t)cols * sct_type_bytes(type),
               "%s of %lld x %lld: %zu bytes", text, (long long)rows, (long long)cols, sum);
    sct_layout_destroy(layout);
}

/* 35: m n exceeds 32 bits although m and n do not. */
static void plan_large(void) {
    const int64_t m = 100003, n = 99991, k = 70001;
    for (int i = 0; i < PARTITIONS * PARTITIONS; i++) {
        const char *text[] = {partitions[i % PARTITIONS], partitions[i / PARTITIONS],
                              partitions[(i + i / PARTITIONS) % PARTITIONS]};
        sct_layout *a = make(text[0], m, k), *b = make(text[1], k, n), *c = make(text[2], m, n);
        sct_problem problem = {.size = sizeof problem,
                               .type = SCT_F64,
                               .a = a,
                               .b = b,
                               .c = c,
                               .ranks = RANKS,
                               .ranks_per_node = 1 + i % 2};
        double flops = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            sct_plan *plan = NULL;
            sct_cost cost = {.steps = 0};
            sct_status status = sct_plan_create(&problem, rank, NULL, &plan);
            CHECK_CASE(status == SCT_OK, "%s, %s, %s: %s", text[0], text[1], text[2],
                       sct_last_reason());
            if (!status)
                sct_plan_cost(plan, &cost);
            flops += cost.flops;
            sct_plan_destroy(plan);
        }
        double all = 2.0 * (double)m * (double)n * (double)k;
        CHECK_CASE(flops == all, "%s, %s, %s: %.17g of %.17g operations", text[0], text[1], text[2],
                   flops, all);
        CHECK_CASE(sct_plan_check(&problem, NULL) == SCT_OK, "%s, %s, %s: %s", text[0], text[1],
                   text[2], sct_last_reason());
        sct_layout_destroy(a);
        sct_layout_destroy(b);
        sct_layout_destroy(c);
    }
}

static const struct oversize {
    const char *layout;
    int64_t rows, cols;
    sct_type type;
} oversizes[] = {
    {"row@1", (int64_t)1 << 30, (int64_t)1 << 30, SCT_F64},
    {"col", (int64_t)1 << 31, (int64_t)1 << 31, SCT_CF64},
    {"2d", (int64_t)1 << 40, (int64_t)1 << 40, SCT_F32},
    {"cyclic:1073741824x1073741824@2x2", (int64_t)1 << 62, (int64_t)1 << 62, SCT_F64},
    {"cuts:9x9@0,1,2,3", (int64_t)1 << 33, (int64_t)1 << 33, SCT_F32},
    {"row*4/f", INT64_MAX, INT64_MAX, SCT_CF32},
};
enum { OVERSIZES = sizeof oversizes / sizeof *oversizes };

/* Whether the bytes of some rank's part exceed 64 bits. */
static bool is_too_large(const sct_layout *layout, sct_type type) {
    bool found = false;
    for (int rank = 0; rank < RANKS; rank++) {
        size_t bytes = 77;
        sct_status status = sct_layout_bytes(layout, type, rank, &bytes);
        found |= status == SCT_TOO_LARGE;
        CHECK_CASE(status == SCT_OK || (status == SCT_TOO_LARGE && bytes == 77), "%s",
                   sct_last_reason());
    }
    return found;
}

static int refuse(sct_world *world, void *arg) {
    const struct oversize *which = arg;
    sct_layout *layout = make(which->layout, which->rows, which->cols);
    sct_matrix *matrix = NULL;
    sct_status status = sct_matrix_create(world, which->type, layout, &matrix);
    CHECK_CASE(status == SCT_TOO_LARGE && !matrix, "%s: %s", which->layout,
               sct_status_name(status));
    sct_layout_destroy(layout);
    return 0;
}

/* 35: 8 m n exceeds 64 bits: creating a matrix or a plan fails cleanly. */
static void refuse_oversize(void) {
    for (int i = 0; i < OVERSIZES; i++) {
        const struct oversize *which = &oversizes[i];
        sct_layout *layout = make(which->layout, which->rows, which->cols);
        CHECK_CASE(is_too_large(layout, which->type), "%s fits", which->layout);
        CHECK(sct_run(RANKS, NULL, refuse, (void *)which) == SCT_OK);
        sct_problem problem = {.size = sizeof problem,
                               .type = which->type,
                               .a = layout,
                               .b = layout,
                               .c = layout,
                               .ranks = RANKS};
        for (int rank = 0; rank < RANKS; rank++) {
            sct_plan *plan = NULL;
            sct_status status = sct_plan_create(&problem, rank, NULL, &plan);
            CHECK_CASE(status == SCT_TOO_LARGE && !plan, "a plan of %s: %s", which->layout,
                       sct_status_name(status));
            sct_plan_destroy(plan);
        }
        sct_layout_destroy(layout);
    }
}

static int create_empty(sct_world *world, void *text) {
    sct_layout *layout = make(text, 0, INT64_MAX);
    sct_matrix *matrix;
    if (CHECK(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK))
        sct_matrix_destroy(matrix);
    sct_layout_destroy(layout);
    return 0;
}

/* A matrix without rows takes no memory, however long they would be. */
static void accept_empty(void) {
    static const char *const texts[] = {"row", "col", "2d"};
    for (int i = 0; i < 3; i++)
        CHECK(sct_run(RANKS, NULL, create_empty, (void *)texts[i]) == SCT_OK);
}

/* 24: the number of replicas divides the number of ranks, or the reason names both. */
static void refuse_replicas(void) {
    static const char *const texts[] = {"row", "col", "2d", "cyclic:2x2"};
    for (int i = 0; i < 4; i++)
        for (int copies = 1; copies <= 7; copies++)
            for (int ranks = 1; ranks <= 13; ranks++) {
                char text[40], said[2][12];
                sct_layout *layout = NULL;
                snprintf(text, sizeof text, "%s*%d", texts[i], copies);
                snprintf(said[0], sizeof said[0], "%d", copies);
                snprintf(said[1], sizeof said[1], "%d", ranks);
                sct_status status = sct_layout_parse(text, 20, 30, ranks, &layout);
                bool divides = ranks % copies == 0;
                CHECK_CASE(status == (divides ? SCT_OK : SCT_BAD_ARGUMENT), "%s on %d: %s", text,
                           ranks, sct_status_name(status));
                const char *reason = divides ? "" : sct_last_reason();
                CHECK_CASE(divides || (strstr(reason, said[0]) && strstr(reason, said[1])),
                           "%s on %d: \"%s\"", text, ranks, reason);
                sct_layout_destroy(layout);
            }
}

int main(void) {
    for (int i = 0; i < PARTITIONS; i++) {
        check_bytes(partitions[i], 100003, 99991, SCT_F64);
        check_bytes(partitions[i], (int64_t)1 << 40, 3, SCT_CF64);
        check_bytes(partitions[i], 5, ((int64_t)1 << 41) + 1, SCT_F32);
    }
    plan_large();
    refuse_oversize();
    accept_empty();
    refuse_replicas();
    return check_report("edge_sizes");
}
