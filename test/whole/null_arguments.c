/* null_arguments.c - every public function that gets NULL for a required pointer fails with a
 * reason that says so. test/install/symbols.sh checks that none is left out. */
#include "support/check.h"

#include <sectile/sectile.h>

#include <string.h>

static void missing(const char *what, sct_status status) {
    bool says = strstr(sct_last_reason(), "NULL") != NULL;
    CHECK_CASE(status == SCT_BAD_ARGUMENT && says, "%s: %s, \"%s\"", what, sct_status_name(status),
               sct_last_reason());
}

static void test_layouts(void) {
    sct_layout *layout, *other;
    sct_cuts none = {2, NULL, NULL};
    size_t bytes;
    missing("bytes", sct_layout_bytes(NULL, SCT_F64, 0, &bytes));
    missing("row", sct_layout_create_row(2, 2, 1, NULL));
    missing("col", sct_layout_create_col(2, 2, 1, NULL));
    missing("2d", sct_layout_create_2d(2, 2, 1, 1, NULL));
    missing("cyclic", sct_layout_create_cyclic(2, 2, NULL, &layout));
    missing("cuts", sct_layout_create_cuts(2, 2, 1, 1, NULL, &none, &layout));
    missing("tiles", sct_layout_create_tiles(2, 2, 1, &none, &none, NULL, &layout));
    missing("tiles", sct_layout_create_tiles(2, 2, 1, &none, NULL, (int[]){0, 0}, &layout));
    missing("parse", sct_layout_parse("row", 2, 2, 1, NULL));
    missing("parse", sct_layout_parse(NULL, 2, 2, 1, &layout));
    CHECK(sct_layout_create_row(2, 2, 1, &layout) == SCT_OK);
    missing("replicate", sct_layout_replicate(NULL, 1, &other));
    missing("replicate", sct_layout_replicate(layout, 1, NULL));
    missing("map", sct_layout_map_ranks(layout, NULL, &other));
    missing("store", sct_layout_store(layout, SCT_COL_MAJOR, NULL));
    missing("share", sct_layout_share(NULL, 1, &other));
    missing("share", sct_layout_share(layout, 1, NULL));
    missing("bytes", sct_layout_bytes(layout, SCT_F64, 0, NULL));
    sct_layout_destroy(layout);
    sct_layout_destroy(NULL);
}

static void test_groups(void) {
    sct_products *products;
    missing("products", sct_products_create(NULL));
    missing("parse", sct_products_parse(NULL, NULL, &products));
    missing("parse", sct_products_parse("C = A[1,1] * A", NULL, NULL));
    missing("size", sct_products_size(NULL, "m", 1));
    missing("matrix", sct_products_matrix(NULL, "A", "1", "1"));
    missing("product", sct_products_multiply(NULL, SCT_N, "A", SCT_N, "B", 0, "C"));
    missing("equal", sct_products_equal(NULL, "A", "B"));
    missing("backward", sct_products_backward(NULL));
    CHECK(sct_products_create(&products) == SCT_OK);
    missing("size", sct_products_size(products, NULL, 1));
    missing("matrix", sct_products_matrix(products, "A", NULL, "1"));
    missing("product", sct_products_multiply(products, SCT_N, NULL, SCT_N, "B", 0, "C"));
    missing("equal", sct_products_equal(products, NULL, "B"));
    sct_products_search search = {.size = sizeof search};
    sct_products_choice choice;
    missing("choose", sct_products_choose(NULL, &search, &choice));
    missing("choose", sct_products_choose(products, NULL, &choice));
    missing("choose", sct_products_choose(products, &search, NULL));
    missing("style", sct_products_choose_style(NULL, &search, SCT_STYLE_DATA, &choice));
    missing("style", sct_products_choose_style(products, NULL, SCT_STYLE_DATA, &choice));
    missing("style", sct_products_choose_style(products, &search, SCT_STYLE_DATA, NULL));
    sct_products_destroy(products);
    sct_products_destroy(NULL);
    sct_cost cost;
    missing("cost", sct_group_cost(NULL, 0, &cost));
    missing("run", sct_group_run(NULL));
    missing("group", sct_group_create(NULL, NULL, &choice, SCT_F64, NULL, &(sct_group *){NULL}));
    sct_group_destroy(NULL);
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
    missing("decide", sct_plan_decide(NULL, NULL, &(sct_stay){0}, &(sct_layout *){NULL}));
    missing("decide", sct_plan_decide(&empty, NULL, NULL, &(sct_layout *){NULL}));
    missing("decide", sct_plan_decide(&empty, NULL, &(sct_stay){0}, NULL));
    int found;
    missing("wisdom",
            sct_wisdom_decide(NULL, &empty, NULL, &(sct_stay){0}, &(sct_layout *){NULL}, &found));
    missing("wisdom", sct_wisdom_decide("", &empty, NULL, NULL, &(sct_layout *){NULL}, &found));
    missing("wisdom", sct_wisdom_decide("", &empty, NULL, &(sct_stay){0}, NULL, &found));
    missing("wisdom",
            sct_wisdom_decide("", &empty, NULL, &(sct_stay){0}, &(sct_layout *){NULL}, NULL));
    missing("cost", sct_plan_cost(NULL, &cost));
    missing("step", sct_plan_step(NULL, 0, &step));
    missing("traffic", sct_plan_traffic(NULL, &(uint64_t){0}, &(uint64_t){0}));
    missing("decisions", sct_plan_decisions(NULL, &(sct_decisions){.size = 0}));
    missing("decisions", sct_decisions_parse("k=3", NULL));
    missing("decisions", sct_decisions_parse(NULL, &(sct_decisions){.size = 0}));
    sct_plan_destroy(NULL);
}

static void test_log(void) {
    sct_status to_stderr = sct_log(SCT_LOG_WARNING, NULL, NULL);
    sct_status as_asked = sct_log_from_environment();
    CHECK(to_stderr == SCT_OK && as_asked == SCT_OK);
}

static void test_models(void) {
    const sct_search search = {.size = sizeof search};
    const sct_problem empty = {.size = sizeof empty, .ranks = 1};
    sct_machine *machine, *node;
    sct_forecast forecast;
    sct_choice choice;
    int count;
    missing("load", sct_machine_load(NULL, &machine));
    missing("load", sct_machine_load("node", NULL));
    missing("parse", sct_machine_parse(NULL, "text", &machine));
    missing("parse", sct_machine_parse("{}", NULL, &machine));
    missing("parse", sct_machine_parse("{}", "text", NULL));
    missing("choose", sct_choose(NULL, 1, &choice, &count));
    missing("choose", sct_choose(&search, 1, NULL, &count));
    missing("choose", sct_choose(&search, 1, &choice, NULL));
    missing("bound", sct_lower_bound_find(SCT_F64, 1, 1, 1, 1, 0, NULL));
    CHECK(sct_machine_load("node", &node) == SCT_OK);
    missing("simulate", sct_simulate(NULL, NULL, node, NULL, &forecast));
    missing("simulate", sct_simulate(&empty, NULL, NULL, NULL, &forecast));
    missing("simulate", sct_simulate(&empty, NULL, node, NULL, NULL));
    sct_machine_destroy(node);
    sct_machine_destroy(NULL);
}

/* Rank 0 has the whole matrix of 2 x 2 elements. */
static void test_tiles(sct_matrix *matrix) {
    const sct_tile tile = {0, 0};
    const sct_slice slice = {{0, 1}, {0, 1}};
    const sct_block nowhere = {.ld = 2, .rows = 2, .cols = 2};
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
    missing("get", sct_matrix_get_tile(matrix, tile, 0, &nowhere));
    missing("get", sct_matrix_get_tile_async(NULL, tile, 0, &block, &request));
    missing("get", sct_matrix_get_tile_async(matrix, tile, 0, NULL, &request));
    missing("get", sct_matrix_get_tile_async(matrix, tile, 0, &block, NULL));
    missing("put", sct_matrix_put_tile(NULL, tile, 0, &block));
    missing("put", sct_matrix_put_tile(matrix, tile, 0, NULL));
    missing("put", sct_matrix_put_tile(matrix, tile, 0, &nowhere));
    missing("accumulate", sct_matrix_accumulate_tile(NULL, tile, 0, &block));
    missing("accumulate", sct_matrix_accumulate_tile(matrix, tile, 0, NULL));
    missing("accumulate", sct_matrix_accumulate_tile(matrix, tile, 0, &nowhere));
    missing("accumulate", sct_matrix_accumulate_tile_async(NULL, tile, 0, &block, &request));
    missing("accumulate", sct_matrix_accumulate_tile_async(matrix, tile, 0, NULL, &request));
    missing("accumulate", sct_matrix_accumulate_tile_async(matrix, tile, 0, &block, NULL));
    missing("wait", sct_wait(request));
    missing("view", sct_matrix_view(matrix, slice, NULL));
    missing("view", sct_matrix_view(NULL, slice, &(sct_view){0}));
}

static void test_group(sct_world *world) {
    sct_products *products;
    sct_products_choice choice = {.matrices = 0};
    sct_group *group;
    CHECK(sct_products_create(&products) == SCT_OK);
    missing("group", sct_group_create(world, NULL, &choice, SCT_F64, NULL, &group));
    missing("group", sct_group_create(world, products, NULL, SCT_F64, NULL, &group));
    missing("group", sct_group_create(world, products, &choice, SCT_F64, NULL, NULL));
    sct_products_destroy(products);
}

static void test_products(sct_world *world) {
    double one = 1, data[4] = {0};
    const sct_block block = {data, 2, 2, 2, SCT_ROW_MAJOR},
                    nowhere = {NULL, 2, 2, 2, SCT_ROW_MAJOR};
    const void *scalar[] = {NULL, &one, &one, &one, &one, &one, &one};
    const sct_block *a[] = {&block, NULL, &nowhere, &block, &block, &block, &block};
    const sct_block *b[] = {&block, &block, &block, NULL, &nowhere, &block, &block};
    const sct_block *c[] = {&block, &block, &block, &block, &block, NULL, &nowhere};
    for (int i = 0; i < 7; i++) {
        missing("gemm", sct_gemm_local(SCT_F64, SCT_N, SCT_N, scalar[i], a[i], b[i], &one, c[i]));
        missing("gemm",
                sct_world_gemm(world, SCT_F64, SCT_N, SCT_N, scalar[i], a[i], b[i], &one, c[i]));
    }
    missing("gemm", sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &block, &block, NULL, &block));
    missing("gemm",
            sct_world_gemm(NULL, SCT_F64, SCT_N, SCT_N, &one, &block, &block, &one, &block));
    const sct_block none = {NULL, 2, 2, 0, SCT_ROW_MAJOR}, across = {NULL, 2, 0, 2, SCT_ROW_MAJOR};
    CHECK(sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &none, &across, &one, &block) == SCT_OK);
}

static void test_jobs(sct_world *world, sct_matrix *const matrix[3]) {
    const sct_view view[] = {sct_whole(matrix[0]), sct_whole(matrix[1]), sct_whole(matrix[2])};
    const sct_layout *layout = sct_matrix_layout(matrix[0]);
    const sct_problem problem = {
        .size = sizeof problem, .type = SCT_F64, .a = layout, .b = layout, .c = layout, .ranks = 1};
    double one = 1;
    sct_plan *plan;
    sct_job *job;
    CHECK(sct_plan_create(&problem, 0, NULL, &plan) == SCT_OK);
    missing("cost", sct_plan_cost(plan, NULL));
    missing("step", sct_plan_step(plan, 0, NULL));
    missing("traffic", sct_plan_traffic(plan, NULL, &(uint64_t){0}));
    missing("traffic", sct_plan_traffic(plan, &(uint64_t){0}, NULL));
    missing("decisions", sct_plan_decisions(plan, NULL));
    missing("job", sct_job_create(NULL, plan, view[0], view[1], view[2], &job));
    missing("measure", sct_plan_measure(SCT_N, SCT_N, view[0], view[1], view[2], NULL, NULL,
                                        &(sct_layout *){NULL}));
    missing("measure",
            sct_plan_measure(SCT_N, SCT_N, view[0], view[1], view[2], NULL, &(sct_stay){0}, NULL));
    missing("measure",
            sct_plan_measure(SCT_N, SCT_N, sct_whole(NULL), sct_whole(NULL), sct_whole(NULL), NULL,
                             &(sct_stay){0}, &(sct_layout *){NULL}));
    missing("job", sct_job_create(world, NULL, view[0], view[1], view[2], &job));
    missing("job", sct_job_create(world, plan, view[0], view[1], view[2], NULL));
    missing("job", sct_job_create(world, plan, view[0], sct_whole(NULL), view[2], &job));
    CHECK(sct_job_create(world, plan, view[0], view[1], view[2], &job) == SCT_OK);
    missing("start", sct_job_start(NULL, &one, &one));
    missing("start", sct_job_start(job, NULL, &one));
    missing("start", sct_job_start(job, &one, NULL));
    missing("wait", sct_job_wait(NULL));
    missing("observe", sct_job_observe(NULL, NULL));
    sct_job_destroy(job);
    sct_job_destroy(NULL);
    sct_plan_destroy(plan);
}

static int test_world(sct_world *world, void *arg) {
    sct_layout *layout;
    sct_matrix *matrix, *three[3];
    sct_multiplying *multiplying = NULL;
    sct_copying *copying;
    double one = 1;
    (void)arg;
    CHECK(sct_layout_create_row(2, 2, 1, &layout) == SCT_OK);
    missing("barrier", sct_world_barrier(NULL));
    missing("wisdom", sct_world_add_wisdom(NULL, "sectile wisdom 1\n"));
    missing("wisdom", sct_world_add_wisdom(world, NULL));
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
    missing("wrap", sct_matrix_wrap(world, SCT_F64, NULL, &one, 0, &matrix));
    missing("wrap", sct_matrix_wrap(world, SCT_F64, layout, &one, 0, NULL));
    missing("wrap", sct_matrix_wrap_blocks(NULL, SCT_F64, layout, 1, &(sct_block){0}, &matrix));
    missing("wrap", sct_matrix_wrap_blocks(world, SCT_F64, NULL, 1, &(sct_block){0}, &matrix));
    CHECK(sct_matrix_wrap_blocks(world, SCT_F64, layout, 1, NULL, &matrix) == SCT_BAD_ARGUMENT);
    missing("wrap", sct_matrix_wrap_blocks(world, SCT_F64, layout, 1, &(sct_block){0}, NULL));
    for (int i = 0; i < 3; i++)
        CHECK(sct_matrix_create(world, SCT_F64, layout, &three[i]) == SCT_OK);
    matrix = three[0];
    test_tiles(matrix);
    test_group(world);
    test_products(world);
    test_jobs(world, three);
    sct_view view = sct_whole(matrix), none = sct_whole(NULL);
    missing("multiply", sct_multiply(SCT_N, SCT_N, &one, none, none, &one, none, NULL));
    missing("copy", sct_copy(SCT_N, none, view, NULL));
    missing("copy", sct_copy(SCT_N, none, none, NULL));
    missing("multiply",
            sct_multiply(SCT_N, SCT_N, NULL, view, view, &one, sct_whole(three[1]), NULL));
    missing("multiply",
            sct_multiply(SCT_N, SCT_N, &one, view, view, NULL, sct_whole(three[1]), NULL));
    missing("multiply",
            sct_multiply(SCT_N, SCT_N, &one, none, view, &one, sct_whole(three[1]), NULL));
    missing("multiply",
            sct_multiply_start(SCT_N, SCT_N, &one, none, none, &one, none, NULL, &multiplying));
    missing("multiply", sct_multiply_start(SCT_N, SCT_N, &one, view, view, &one,
                                           sct_whole(three[1]), NULL, NULL));
    missing("multiply", sct_multiply_wait(NULL));
    missing("copy", sct_copy(SCT_N, view, none, NULL));
    missing("copying", sct_copy_start(SCT_N, view, sct_whole(three[1]), NULL, NULL));
    missing("copying", sct_copy_start(SCT_N, none, none, NULL, &copying));
    missing("copying", sct_copy_wait(NULL));
    missing("reduce", sct_matrix_reduce_replicas(NULL, 0));
    missing("broadcast", sct_matrix_broadcast_replica(NULL, 0));
    sct_matrix_destroy(NULL);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(three[i]);
    sct_layout_destroy(layout);
    return 0;
}

int main(void) {
    test_layouts();
    test_groups();
    test_plans();
    test_models();
    test_log();
    sct_world *world;
    sct_bootstrap alone = {.size = sizeof alone, .ranks = 1};
    missing("world", sct_world_create(NULL, NULL, &world));
    missing("world", sct_world_create(&alone, NULL, &world));
    missing("world",
            sct_world_create(&(sct_bootstrap){.size = sizeof alone, .ranks = 2}, NULL, &world));
    missing("run", sct_run(1, NULL, NULL, NULL));
    missing("launched", sct_bootstrap_launched(NULL));
    missing("launcher", sct_launcher_find(NULL));
    CHECK(sct_run(1, NULL, test_world, NULL) == SCT_OK);
    return check_report("null_arguments");
}
