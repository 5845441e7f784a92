/* gpus.c - plans are for GPUs where all ranks have GPUs, and not where one has a processor; f16 is
 * still multiplied in f32. */
#include "api/world.h"
#include "opencl/opened.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { RANKS = 2, SIZE = 8 };

/* How many of the devices to come say that they are GPUs. */
static int gpus;

cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used);

/* CLBlast is asked for each device, too, after this library. */
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value,
                              size_t *used) {
    cl_int error = __real_clGetDeviceInfo(device, what, bytes, value, used);
    if (what == CL_DEVICE_TYPE && __atomic_fetch_sub(&gpus, 1, __ATOMIC_SEQ_CST) > 0)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    return error;
}

/* The product of two matrices of ones. */
static void multiply(sct_world *world) {
    float one = 1, zero = 0;
    sct_matrix *a = matrix_new(world, SCT_F16, "row", SIZE, SIZE);
    sct_matrix *b = matrix_new(world, SCT_F16, "col", SIZE, SIZE);
    sct_matrix *c = matrix_new(world, SCT_F32, "2d", SIZE, SIZE);
    matrix_set(world, a, (element){1, 0});
    matrix_set(world, b, (element){1, 0});
    CHECK_CASE(sct_multiply(SCT_N, SCT_N, &one, sct_whole(a), sct_whole(b), &zero, sct_whole(c),
                            NULL) == SCT_OK,
               "%s", sct_last_reason());
    sct_tile mine = {0, sct_world_rank(world)};
    float found[SIZE * SIZE / RANKS];
    const sct_block block = {found, SIZE / RANKS, SIZE, SIZE / RANKS, SCT_ROW_MAJOR};
    CHECK_CASE(sct_matrix_get_tile(c, mine, SCT_HERE, &block) == SCT_OK, "%s", sct_last_reason());
    CHECK(found[0] == SIZE && found[SIZE * SIZE / RANKS - 1] == SIZE);
    sct_matrix_destroy(a);
    sct_matrix_destroy(b);
    sct_matrix_destroy(c);
}

static int work(sct_world *world, void *expected) {
    CHECK_CASE(sct_world_gpus(world) == *(sct_gpus *)expected, "%d", (int)sct_world_gpus(world));
    multiply(world);
    CHECK(world->recent.latest->problem.gpus == *(sct_gpus *)expected);
    return 0;
}

static void run(int of_ranks, sct_gpus expected) {
    const sct_opencl_options parts = {.size = sizeof parts, .devices = two_parts};
    sct_world_options options = {
        .size = sizeof options, .engine = "opencl", .engine_options = &parts};
    gpus = of_ranks;
    CHECK_CASE(sct_run(RANKS, &options, work, &expected) == SCT_OK, "%s", sct_last_reason());
}

int main(void) {
    opened_parts();
    run(0, SCT_GPUS_NONE);
    run(1, SCT_GPUS_NONE);
    run(2 * RANKS, SCT_GPUS_WIDENING);
    return check_report("gpus");
}
