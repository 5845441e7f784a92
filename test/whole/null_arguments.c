/* null_arguments.c - every public function that gets NULL for a required pointer fails with a
 * reason that says so. */
#include "support/check.h"

#include <sectile/sectile.h>

#include <string.h>

static void missing(const char *what, sct_status status) {
    CHECK_CASE(status == SCT_BAD_ARGUMENT && strstr(sct_last_reason(), "missing"), "%s: %s, \"%s\"",
               what, sct_status_name(status), sct_last_reason());
}

static void test_layouts(void) {
    sct_layout *layout, *other;
    sct_cuts none = {2, NULL, NULL};
    missing("row", sct_layout_create_row(2, 2, 1, NULL));
    missing("cyclic", sct_layout_create_cyclic(2, 2, NULL, &layout));
    missing("cuts", sct_layout_create_cuts(2, 2, 1, 1, NULL, &none, &layout));
    missing("tiles", sct_layout_create_tiles(2, 2, 1, &none, &none, NULL, &layout));
    missing("tiles", sct_layout_create_tiles(2, 2, 1, &none, NULL, (int[]){0, 0}, &layout));
    missing("parse", sct_layout_parse("row", 2, 2, 1, NULL));
    CHECK(sct_layout_create_row(2, 2, 1, &layout) == SCT_OK);
    missing("replicate", sct_layout_replicate(NULL, 1, &other));
    missing("replicate", sct_layout_replicate(layout, 1, NULL));
    missing("map", sct_layout_map_ranks(layout, NULL, &other));
    missing("store", sct_layout_store(layout, SCT_COL_MAJOR, NULL));
    missing("share", sct_layout_share(NULL, 1, &other));
    missing("share", sct_layout_share(layout, 1, NULL));
    sct_layout_destroy(layout);
    sct_layout_destroy(NULL);
}

static void test_plans(void) {
    sct_plan *plan;
    sct_cost cost;
    sct_step step;
    sct_problem empty = {.size = sizeof empty, .ranks = 1};
    missing("plan", sct_plan_create(NULL, 0, NULL, &plan));
    missing("plan", sct_plan_create(&empty, 0, NULL, NULL));
    missing("plan", sct_plan_create(&empty, 0, NULL, &plan));
    missing("check", sct_plan_check(NULL, NULL));
    missing("machine", sct_machine_load(NULL, &(sct_machine *){NULL}));
    missing("machine", sct_machine_load("node", NULL));
    missing("choose", sct_choose(&(sct_search){.size = sizeof(sct_search)}, 1, NULL, &(int){0}));
    missing("cost", sct_plan_cost(NULL, &cost));
    missing("step", sct_plan_step(NULL, 0, &step));
    missing("traffic", sct_plan_traffic(NULL, &(uint64_t){0}, &(uint64_t){0}));
    missing("decisions", sct_plan_decisions(NULL, &(sct_decisions){.size = 0}));
    missing("decisions", sct_decisions_parse("k=3", NULL));
    missing("decisions", sct_decisions_parse(NULL, &(sct_decisions){.size = 0}));
    sct_plan_destroy(NULL);
}

static void test_tiles(sct_matrix *matrix) {
    const sct_tile tile = {0, 0};
    const sct_slice slice = {{0, 1}, {0, 1}};
    sct_slice found;
    sct_block block = {0};
    sct_request request = {0};
    int rank;
    missing("bounds", sct_matrix_tile_bounds(NULL, tile, &found));
    missing("bounds", sct_matrix_tile_bounds(matrix, tile, NULL));
    missing("overlapping", sct_matrix_overlapping_tiles(NULL, slice, &found));
    missing("overlapping", sct_matrix_overlapping_tiles(matrix, slice, NULL));
    missing("owner", sct_matrix_tile_owner(NULL, tile, 0, &rank));
    missing("owner", sct_matrix_tile_owner(matrix, tile, 0, NULL));
    missing("tile", sct_matrix_tile(NULL, tile, 0, &block));
    missing("tile", sct_matrix_tile(matrix, tile, 0, NULL));
    missing("blocks", sct_matrix_blocks(NULL, 1, &block, &rank));
    missing("blocks", sct_matrix_blocks(matrix, 1, NULL, &rank));
    missing("blocks", sct_matrix_blocks(matrix, 0, NULL, NULL));
    missing("get", sct_matrix_get_tile(NULL, tile, 0, &block));
    missing("get", sct_matrix_get_tile(matrix, tile, 0, NULL));
    missing("get", sct_matrix_get_tile_async(matrix, tile, 0, &block, NULL));
    missing("put", sct_matrix_put_tile(NULL, tile, 0, &block));
    missing("put", sct_matrix_put_tile(matrix, tile, 0, NULL));
    missing("accumulate", sct_matrix_accumulate_tile(matrix, tile, 0, NULL));
    missing("wait", sct_wait(request));
    missing("view", sct_matrix_view(matrix, slice, NULL));
    missing("view", sct_matrix_view(NULL, slice, &(sct_view){0}));
}

static int test_world(sct_world *world, void *arg) {
    sct_layout *layout;
    sct_matrix *matrix;
    sct_job *job;
    double one = 1;
    (void)arg;
    CHECK(sct_layout_create_row(2, 2, 1, &layout) == SCT_OK);
    missing("barrier", sct_world_barrier(NULL));
    missing("check", sct_world_check(NULL, SCT_OK, NULL));
    missing("gather", sct_world_gather(NULL, &one, sizeof one, &one));
    missing("gather", sct_world_gather(world, NULL, sizeof one, &one));
    missing("gather", sct_world_gather(world, &one, sizeof one, NULL));
    missing("host", sct_world_alloc_host(NULL, 1, &(void *){NULL}));
    missing("host", sct_world_alloc_host(world, 1, NULL));
    sct_world_free_host(NULL, NULL);
    sct_world_free_host(world, NULL);
    missing("create", sct_matrix_create(NULL, SCT_F64, layout, &matrix));
    missing("create", sct_matrix_create(world, SCT_F64, NULL, &matrix));
    missing("create", sct_matrix_create(world, SCT_F64, layout, NULL));
    missing("wrap", sct_matrix_wrap(NULL, SCT_F64, layout, &one, 0, &matrix));
    CHECK(sct_matrix_create(world, SCT_F64, layout, &matrix) == SCT_OK);
    test_tiles(matrix);
    sct_view view = sct_whole(matrix), none = sct_whole(NULL);
    missing("multiply", sct_multiply(SCT_N, SCT_N, &one, none, none, &one, none, NULL));
    missing("copy", sct_copy(SCT_N, none, view, NULL));
    missing("copy", sct_copy(SCT_N, none, none, NULL));
    missing("copying", sct_copy_wait(NULL));
    missing("reduce", sct_matrix_reduce_replicas(NULL, 0));
    missing("broadcast", sct_matrix_broadcast_replica(NULL, 0));
    missing("job", sct_job_create(world, NULL, view, view, view, &job));
    missing("job", sct_job_create(NULL, NULL, view, view, view, &job));
    missing("start", sct_job_start(NULL, &one, &one));
    missing("wait", sct_job_wait(NULL));
    missing("gemm", sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, NULL, NULL, &one, NULL));
    sct_job_destroy(NULL);
    sct_matrix_destroy(NULL);
    sct_matrix_destroy(matrix);
    sct_layout_destroy(layout);
    return 0;
}

int main(void) {
    test_layouts();
    test_plans();
    sct_world *world;
    sct_bootstrap alone = {.size = sizeof alone, .ranks = 1};
    missing("world", sct_world_create(NULL, NULL, &world));
    missing("world", sct_world_create(&alone, NULL, &world));
    missing("run", sct_run(1, NULL, NULL, NULL));
    CHECK(sct_run(1, NULL, test_world, NULL) == SCT_OK);
    return check_report("null_arguments");
}
