/* refusals.c - worlds on devices of OpenCL refuse memory of other devices, that is not aligned or
 * too short, lists of devices that differ, parts that are too large for commands, and f64 where a
 * device has none. */
#include "opencl/opened.h"
#include "support/check.h"
#include "support/rank_threads.h"
#include "whole/support/elements.h"

#include <string.h>

enum { RANKS = 2, SIZE = 8 };

static void refused(sct_status is, sct_status status, const char *reason) {
    CHECK_CASE(is == status && strstr(sct_last_reason(), reason), "%s: %s", sct_status_name(is),
               sct_last_reason());
}

/* In a world of its own: the memory of a device that is not its own. */
static int use_foreign(sct_world *world, void *arg) {
    const sct_block *foreign = arg;
    sct_matrix *own = matrix_new(world, SCT_F64, "row", SIZE, SIZE), *wrapped = NULL;
    const sct_layout *layout = sct_matrix_layout(own);
    const sct_tile tile = {0, 0};
    const char *reason = "neither of the host nor of the device of rank 0";
    refused(sct_matrix_wrap(world, SCT_F64, layout, foreign->data, 0, &wrapped), SCT_BAD_ARGUMENT,
            reason);
    refused(sct_matrix_get_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    refused(sct_matrix_put_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    refused(sct_matrix_accumulate_tile(own, tile, SCT_HERE, foreign), SCT_BAD_ARGUMENT, reason);
    double host[SIZE * SIZE];
    CHECK(sct_matrix_wrap(world, SCT_F64, layout, host, 0, &wrapped) == SCT_OK);
    sct_matrix_destroy(wrapped);
    sct_matrix_destroy(own);
    return 0;
}

static void run(const char *devices, sct_main *work, void *arg) {
    const sct_opencl_options listed = {.size = sizeof listed, .devices = devices};
    sct_world_options options = {
        .size = sizeof options, .engine = "opencl", .engine_options = &listed};
    CHECK_CASE(sct_run(1, &options, work, arg) == SCT_OK, "%s", sct_last_reason());
}

static int lend(sct_world *world, void *arg) {
    sct_matrix *matrix = matrix_new(world, SCT_F64, "row", SIZE, SIZE);
    sct_block block = {.data = NULL};
    int count;
    (void)arg;
    CHECK(sct_matrix_blocks(matrix, 1, &block, &count) == SCT_OK && count == 1);
    run("0", use_foreign, &block); /* worlds with the same devices share a context */
    sct_matrix_destroy(matrix);
    return 0;
}

static int make_large(sct_world *world, void *arg) {
    sct_layout *layout = layout_of("row", 1 << 16, 1 << 15, 1);
    sct_matrix *matrix = NULL;
    (void)arg;
    refused(sct_matrix_create(world, SCT_F16, layout, &matrix), SCT_TOO_LARGE,
            "rank 0 would store 2147483648 elements, but its device (OpenCL) reaches 2147483647");
    sct_layout_destroy(layout);
    return 0;
}

/* Complex numbers begin where one does, not in its middle; and all lines are memory of the device.
 */
static int misuse(sct_world *world, void *arg) {
    sct_matrix *own = matrix_new(world, SCT_F32, "row", SIZE, SIZE), *wrapped = NULL;
    sct_layout *layout = layout_of("row", SIZE, 2, 1);
    sct_layout *longer = layout_of("row", 10 * SIZE, SIZE, 1);
    const float one = 1;
    const char *reason = "not aligned to its elements, as the device";
    sct_block block = {.data = NULL};
    int count;
    (void)arg;
    CHECK(sct_matrix_blocks(own, 1, &block, &count) == SCT_OK && count == 1);
    char *middle = (char *)block.data + sizeof(float);
    refused(sct_matrix_wrap(world, SCT_CF32, layout, middle, 0, &wrapped), SCT_BAD_ARGUMENT,
            reason);
    CHECK(sct_matrix_wrap(world, SCT_F32, layout, middle, 0, &wrapped) == SCT_OK);
    sct_matrix_destroy(wrapped);
    refused(sct_matrix_wrap(world, SCT_F32, longer, block.data, 0, &wrapped), SCT_BAD_ARGUMENT,
            "neither of the host nor of the device of rank 0");
    sct_layout_destroy(longer);
    const sct_block square = {block.data, 1, 1, 1, SCT_ROW_MAJOR};
    const sct_block shifted = {middle, 1, 1, 1, SCT_ROW_MAJOR};
    refused(sct_world_gemm(world, SCT_CF32, SCT_N, SCT_N, &one, &square, &shifted, &one, &square),
            SCT_BAD_ARGUMENT, reason);
    const sct_block tile = {middle - 2, SIZE, SIZE, SIZE, SCT_ROW_MAJOR};
    refused(sct_matrix_put_tile(own, (sct_tile){0, 0}, SCT_HERE, &tile), SCT_BAD_ARGUMENT, reason);
    float host[4 * SIZE + 1];
    CHECK(sct_matrix_wrap(world, SCT_CF32, layout, host + 1, 0, &wrapped) == SCT_OK);
    sct_matrix_destroy(wrapped);
    sct_layout_destroy(layout);
    sct_matrix_destroy(own);
    return 0;
}

/* ---- A device without f64 ---- */

static bool without_f64;

cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used);

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used) {
    cl_int error = __real_clGetDeviceInfo(device, what, bytes, value, used);
    if (without_f64 && what == CL_DEVICE_DOUBLE_FP_CONFIG)
        *(cl_device_fp_config *)value = 0;
    return error;
}

static int use_f64(sct_world *world, void *arg) {
    sct_layout *layout = layout_of("row", SIZE, SIZE, 1);
    sct_matrix *matrix = NULL;
    (void)arg;
    refused(sct_matrix_create(world, SCT_CF64, layout, &matrix), SCT_BAD_ARGUMENT,
            "the device of rank 0 (OpenCL) has no numbers of type f64");
    CHECK(!sct_world_multiplies(world, SCT_F64) && sct_world_multiplies(world, SCT_F32));
    CHECK(sct_matrix_create(world, SCT_CF32, layout, &matrix) == SCT_OK);
    sct_matrix_destroy(matrix);
    sct_layout_destroy(layout);
    return 0;
}

static void test_without_f64(void) {
    without_f64 = true;
    run("0", use_f64, NULL);
    without_f64 = false;
}

static void *join(void *arg) {
    rank_thread *self = arg;
    sct_bootstrap bootstrap = rank_threads_bootstrap(self);
    const sct_opencl_options listed = {.size = sizeof listed,
                                       .devices = self->rank == 0 ? two_parts : "0,0"};
    sct_world_options options = {
        .size = sizeof options, .engine = "opencl", .engine_options = &listed};
    sct_world *world = NULL;
    refused(sct_world_create(&bootstrap, &options, &world), SCT_DISAGREE,
            "rank 1 asks for devices '0,0', but rank 0 for '0/2'");
    return NULL;
}

int main(void) {
    rank_thread members[RANKS] = {{.rank = 0}};
    opened_parts();
    run(two_parts, lend, NULL);
    run(two_parts, make_large, NULL);
    run(two_parts, misuse, NULL);
    test_without_f64();
    rank_threads_run(RANKS, join, members, sizeof *members);
    return check_report("refusals");
}
