/* ratio.c - products on devices of OpenCL, compared with one call of CLBlast on a whole device.
 *
 *     opencl_ratio DEVICES RANKS MxNxK TYPE A B C [PAIRS]
 *
 * DEVICES is as for --device; TYPE is f32 or f64; A, B and C are layouts. The two alternate. Prints
 * the median of the time of the call divided by that of the product, and the median times. */
#include <sectile/sectile.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clblast_c.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MATRICES = 3, MOST_PAIRS = 100, WARM_UP = 2 };

typedef struct request {
    long long m, n, k;
    sct_type type;
    const char *layout[MATRICES];
    int pairs;
    double alone[MOST_PAIRS], product[MOST_PAIRS];
} request;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* ---- CLBlast alone ---- */

typedef struct alone {
    cl_context context;
    cl_command_queue queue;
    cl_mem matrix[MATRICES];
} alone;

static bool alone_open(const request *r, alone *a) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return false;
    a->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    a->queue = clCreateCommandQueue(a->context, device, 0, &error);
    const long long count[MATRICES] = {r->m * r->k, r->k * r->n, r->m * r->n};
    for (int i = 0; i < MATRICES && !error; i++) {
        size_t bytes = (size_t)count[i] * sct_type_bytes(r->type);
        const unsigned zero = 0;
        a->matrix[i] = clCreateBuffer(a->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        if (!error)
            error = clEnqueueFillBuffer(a->queue, a->matrix[i], &zero, sizeof zero, 0, bytes, 0,
                                        NULL, NULL);
    }
    return error == CL_SUCCESS;
}

static bool alone_multiply(const request *r, alone *a) {
    size_t m = (size_t)r->m, n = (size_t)r->n, k = (size_t)r->k;
    CLBlastStatusCode code =
        r->type == SCT_F32
            ? CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k,
                           1, a->matrix[0], 0, k, a->matrix[1], 0, n, 0, a->matrix[2], 0, n,
                           &a->queue, NULL)
            : CLBlastDgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, m, n, k,
                           1, a->matrix[0], 0, k, a->matrix[1], 0, n, 0, a->matrix[2], 0, n,
                           &a->queue, NULL);
    return code == CLBlastSuccess && clFinish(a->queue) == CL_SUCCESS;
}

static void alone_close(alone *a) {
    for (int i = 0; i < MATRICES; i++)
        clReleaseMemObject(a->matrix[i]);
    clReleaseCommandQueue(a->queue);
    clReleaseContext(a->context);
}

/* ---- The product ---- */

static sct_status create(sct_world *world, const request *r, sct_matrix **matrix) {
    const long long rows[] = {r->m, r->k, r->m}, cols[] = {r->k, r->n, r->n};
    sct_status status = SCT_OK;
    for (int i = 0; i < MATRICES && !status; i++) {
        sct_layout *layout;
        status = sct_layout_parse(r->layout[i], rows[i], cols[i], sct_world_size(world), &layout);
        if (status)
            return status;
        status = sct_matrix_create(world, r->type, layout, &matrix[i]);
        sct_layout_destroy(layout);
    }
    return status;
}

static sct_status multiply(const request *r, sct_matrix **matrix) {
    const double one = 1, zero = 0;
    const float one_f = 1, zero_f = 0;
    bool f32 = r->type == SCT_F32;
    return sct_multiply(SCT_N, SCT_N, f32 ? (const void *)&one_f : &one, sct_whole(matrix[0]),
                        sct_whole(matrix[1]), f32 ? (const void *)&zero_f : &zero,
                        sct_whole(matrix[2]), NULL);
}

/* One pair: the other ranks sleep while rank 0 calls CLBlast. */
static sct_status run_pair(sct_world *world, request *r, alone *a, sct_matrix **matrix, int pair) {
    sct_status status = sct_world_barrier(world);
    double begin = now();
    if (sct_world_rank(world) == 0 && !alone_multiply(r, a))
        return SCT_FAILED;
    double middle = now();
    if (!status)
        status = sct_world_barrier(world);
    double again = now();
    if (!status)
        status = multiply(r, matrix);
    if (!status)
        status = sct_world_barrier(world);
    if (sct_world_rank(world) == 0 && pair >= 0) {
        r->alone[pair] = middle - begin;
        r->product[pair] = now() - again;
    }
    return status;
}

static int work(sct_world *world, void *arg) {
    request *r = arg;
    sct_matrix *matrix[MATRICES];
    alone a;
    if (sct_world_rank(world) == 0 && !alone_open(r, &a))
        return 1;
    sct_status status = create(world, r, matrix);
    for (int pair = -WARM_UP; pair < r->pairs && !status; pair++)
        status = run_pair(world, r, &a, matrix, pair);
    if (status) {
        fprintf(stderr, "opencl_ratio: %s\n", sct_last_reason());
        return 1;
    }
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    if (sct_world_rank(world) == 0)
        alone_close(&a);
    return 0;
}

/* ---- Results ---- */

static int compare(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void print(request *r) {
    double ratio[MOST_PAIRS];
    for (int i = 0; i < r->pairs; i++)
        ratio[i] = r->alone[i] / r->product[i];
    double middle = median(ratio, r->pairs), alone_s = median(r->alone, r->pairs);
    printf("%.3f (%.3f to %.3f), CLBlast %.4f s, product %.4f s\n", middle, ratio[0],
           ratio[r->pairs - 1], alone_s, median(r->product, r->pairs));
}

int main(int argc, char **argv) {
    enum { DEVICES = 1, RANKS, SHAPE, TYPE, LAYOUTS, PAIRS = LAYOUTS + MATRICES };
    request r = {.pairs = argc > PAIRS ? atoi(argv[PAIRS]) : 9};
    if (argc < PAIRS || sscanf(argv[SHAPE], "%lldx%lldx%lld", &r.m, &r.n, &r.k) != 3 ||
        r.pairs < 1 || r.pairs > MOST_PAIRS) {
        fprintf(stderr, "usage: opencl_ratio DEVICES RANKS MxNxK f32|f64 A B C [PAIRS]\n");
        return 2;
    }
    r.type = strcmp(argv[TYPE], "f32") == 0 ? SCT_F32 : SCT_F64;
    for (int i = 0; i < MATRICES; i++)
        r.layout[i] = argv[LAYOUTS + i];
    sct_opencl_options devices = {.size = sizeof devices, .devices = argv[DEVICES]};
    sct_world_options options = {
        .size = sizeof options, .engine = "opencl", .engine_options = &devices};
    sct_status status = sct_run(atoi(argv[RANKS]), &options, work, &r);
    if (status) {
        fprintf(stderr, "opencl_ratio: %s\n", sct_last_reason());
        return 1;
    }
    print(&r);
    return 0;
}
