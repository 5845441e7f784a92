/* alloc_failures_one_thread.c - calls of one thread, each allocation of which fails in turn. */
#include "layout/layout.h"
#include "support/check.h"
#include "support/machines.h"
#include "whole/support/alloc_faults.h"
#include "whole/support/elements.h"

#include <string.h>

/* MOST exceeds the allocations of any call. */
enum { MOST = 5000, SIZE = 48 };

/* Parses a layout and frees it. */
static sct_status parse(const char *text) {
    sct_layout *layout = NULL;
    sct_status status = sct_layout_parse(text, 20, 30, 12, &layout);
    CHECK(!status == (layout != NULL));
    sct_layout_destroy(layout);
    return status;
}

/* A layout with the axes of another one, as when a layout is made to suit it. */
static sct_status copy_axes(const char *text) {
    sct_layout *layout = NULL, *copy = NULL;
    sct_status status = sct_layout_parse(text, 20, 30, 12, &layout);
    if (!status)
        status = sct_layout_create_grid(&layout->rows, &layout->cols, &copy);
    CHECK(!status == (copy != NULL));
    sct_layout_destroy(copy);
    sct_layout_destroy(layout);
    return status;
}

/* A plan that fetches whole tiles. */
static sct_status make_plan(const char *text, sct_schedule schedule) {
    sct_layout *layout = NULL;
    sct_plan *made = NULL;
    sct_options options = {.size = sizeof options, .fetch = SCT_FETCH_TILE, .schedule = schedule};
    sct_status status = sct_layout_parse(text, SIZE, SIZE, 4, &layout);
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = layout,
                           .b = layout,
                           .c = layout,
                           .ranks = 4,
                           .ranks_per_node = 1};
    if (!status)
        status = sct_plan_create(&problem, 0, &options, &made);
    CHECK(!status == (made != NULL));
    sct_plan_destroy(made);
    sct_layout_destroy(layout);
    return status;
}

/* Has so many slices that their arrays grow. */
static sct_status plan(const char *text) {
    return make_plan(text, SCT_DIRECT);
}

/* Slicing by class, with so many index ranges that their arrays grow, or that they are kept instead
 * of being computed again. */
static sct_status plan_classes(const char *text) {
    sct_layout *layout = NULL;
    sct_cost cost;
    sct_status status = sct_layout_parse(text, 4000, 4000, 4, &layout);
    sct_problem problem = {
        .size = sizeof problem, .type = SCT_F64, .a = layout, .b = layout, .c = layout, .ranks = 4};
    sct_plan *made = NULL;
    if (!status)
        status = sct_plan_create(&problem, 0, NULL, &made);
    if (!status)
        status = sct_plan_cost(made, &cost);
    sct_plan_destroy(made);
    sct_layout_destroy(layout);
    return status;
}

static sct_status plan_by_cost(const char *text) {
    return make_plan(text, SCT_COST);
}

static sct_status plan_best(const char *text) {
    return make_plan(text, SCT_EXHAUSTIVE);
}

/* Has so many flows that their arrays grow. */
static sct_status simulate(const char *text) {
    sct_layout *layout = NULL;
    sct_machine machine = make_machine();
    sct_forecast forecast = {.seconds = -1};
    sct_options options = {.size = sizeof options, .slicing = SCT_SLICE_TILE, .prefetch = 20};
    sct_status status = sct_layout_parse(text, SIZE, SIZE, 4, &layout);
    sct_problem problem = {
        .size = sizeof problem, .type = SCT_F64, .a = layout, .b = layout, .c = layout, .ranks = 4};
    machine.level[0].pair = 1e6;
    machine.level[0].port = 2e6;
    machine.level[0].processor = 1e-7;
    if (!status)
        status = sct_simulate(&problem, &options, &machine, NULL, &forecast);
    CHECK(!status == (forecast.seconds > 0));
    sct_layout_destroy(layout);
    return status;
}

/* A local product allocates copies of operands that the BLAS cannot take as they are: here 2 times,
 * then 3 times for f16. Allocations of the BLAS itself do not count. */
static void fail_local(void) {
    static double memory[2 * 4], sum[2 * 4];
    static float sums[4];
    static const double one[] = {1, 0};
    static const float single[] = {1};
    sct_block turned = {memory, 2, 2, 2, SCT_COL_MAJOR}, c = {sum, 2, 2, 2, SCT_ROW_MAJOR},
              wide = {sums, 2, 2, 2, SCT_ROW_MAJOR};
    for (int n = 0; n < 2 + 3; n++) {
        bool halves = n >= 2;
        const sct_block *into = halves ? &wide : &c;
        const void *factor = halves ? (const void *)single : one;
        for (int healthy = 0; healthy <= 1; healthy++) {
            alloc_countdown = healthy ? -1 : halves ? n - 2 : n;
            sct_status status = sct_gemm_local(halves ? SCT_F16 : SCT_CF64, SCT_C, SCT_C, factor,
                                               &turned, &turned, factor, into);
            alloc_countdown = -1;
            CHECK_CASE(status == (healthy ? SCT_OK : SCT_NO_MEMORY), "allocation %d: %s", n,
                       sct_status_name(status));
        }
    }
}

/* An allgather in which all ranks contribute what this one does. */
static int gather_alike(void *context, const void *mine, size_t bytes, void *all) {
    const sct_bootstrap *bootstrap = context;
    for (int rank = 0; rank < bootstrap->ranks; rank++)
        memcpy((char *)all + (size_t)rank * bytes, mine, bytes);
    return 0;
}

/* For so many ranks even agreeing needs memory. Threads refuse them, as all say that they are rank
 * 0, or as they are too many. */
static void fail_many(int ranks) {
    sct_bootstrap many = {.size = sizeof many, .ranks = ranks, .allgather = gather_alike};
    many.context = &many;
    bool reached = true;
    long n = 0;
    for (; n < MOST && reached; n++) {
        sct_world *world = NULL;
        alloc_countdown = n;
        sct_status status = sct_world_create(&many, NULL, &world);
        reached = alloc_countdown < 0;
        alloc_countdown = -1;
        CHECK_CASE(status == (reached ? SCT_NO_MEMORY : SCT_BAD_ARGUMENT) && !world,
                   "%d ranks, allocation %ld: %s", ranks, n, sct_last_reason());
    }
    CHECK(n > 2 && n < MOST);
}

int main(void) {
    static const char *const texts[] = {
        "row",
        "cyclic:2x3@2x2*3/f",
        "cuts:3,5x7@0,1,0x1,0@2x2%3,1,0,2",
        "cuts:4x5@3,1,0,3",
        "2d:3x2*2%4x3,1x4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        alloc_fail_each(texts[i], parse);
    alloc_fail_each("cuts:3,5x7@0,1,0x1,0@2x2", copy_axes);
    alloc_fail_each("cyclic:1x1", plan);
    alloc_fail_each("cyclic:3x5", plan_classes);
    alloc_fail_each("row", plan_classes);
    alloc_fail_each("cyclic:1x1@1x1", plan_classes);
    alloc_fail_each("cyclic:8x8", plan_by_cost);
    alloc_fail_each("cuts:7,18x-@0,1,2", plan_best);
    alloc_fail_each("cyclic:6x6", simulate);
    fail_local();
    fail_many(300);
    fail_many(5000);
    return check_report("alloc_failures_one_thread");
}
