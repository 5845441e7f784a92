/* kernels.cu - copies, transposes, additions, scalings and conversions of strided blocks.
 *
 * Threads go along the lines in x and across them in y, in strides of the grid, so that a grid of
 * any size does all the work. This is written in the part of C++ that is also C, so that tests can
 * run it on the host. */
#include "device/cuda/kernels.h"

#include <cuda_fp16.h>

static __device__ int64_t first_x(void) {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ int64_t first_y(void) {
    return (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
}

static __device__ int64_t stride_x(void) {
    return (int64_t)gridDim.x * blockDim.x;
}

static __device__ int64_t stride_y(void) {
    return (int64_t)gridDim.y * blockDim.y;
}

/* ---- Copies ---- */

static __device__ void copy_part(int bytes, const void *from, int64_t i, void *to, int64_t j,
                                 int negate) {
    if (bytes == 2) {
        ((uint16_t *)to)[j] = ((const uint16_t *)from)[i];
    } else if (bytes == 4) {
        float x = ((const float *)from)[i];
        ((float *)to)[j] = negate ? -x : x;
    } else {
        double x = ((const double *)from)[i];
        ((double *)to)[j] = negate ? -x : x;
    }
}

__global__ void sct_cuda_copy_kernel(sct_cuda_work w) {
    for (int64_t line = first_y(); line < w.lines; line += stride_y())
        for (int64_t at = first_x(); at < w.count; at += stride_x())
            copy_part(w.bytes, w.from, line * w.from_ld + at, w.to, line * w.to_ld + at,
                      w.conjugate && at % 2 == 1);
}

/* The threads go along the lines of the target. */
__global__ void sct_cuda_transpose_kernel(sct_cuda_work w) {
    for (int64_t at = first_y(); at < w.count; at += stride_y())
        for (int64_t line = first_x(); line < w.lines; line += stride_x())
            for (int part = 0; part < w.parts; part++)
                copy_part(w.bytes, w.from, (line * w.from_ld + at) * w.parts + part, w.to,
                          (at * w.to_ld + line) * w.parts + part, w.conjugate && part == 1);
}

/* A thread loads this many elements, or groups of them, before it stores or adds the first. Only
 * many loads under way use the bandwidth of the memory, and a load that comes after a store waits
 * for it, as it may read what was stored. */
enum { AT_ONCE = 4 };

/* ---- Additions ---- */

/* Stores a sum, or adds a term. */
static __device__ void put_f32(float *to, float x, int atomic) {
    if (atomic)
        atomicAdd_system(to, x);
    else
        *to = x;
}

static __device__ void put_f64(double *to, double x, int atomic) {
    if (atomic)
        atomicAdd_system(to, x);
    else
        *to = x;
}

/* Needs an aligned target. Processors before sm_90 have no such addition, and are not asked. */
static __device__ void add_quad(float *to, float4 x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    atomicAdd_system((float4 *)to, x);
#endif
}

static __device__ float4 load_quad(const float *from) {
    if ((uintptr_t)from % sizeof(float4) == 0)
        return *(const float4 *)from;
    float4 quad = {from[0], from[1], from[2], from[3]};
    return quad;
}

static __device__ void add_quads(float *to, const float *from, int64_t count) {
    int64_t stride = stride_x();
    for (int64_t at = first_x(); at < count; at += AT_ONCE * stride) {
        float4 x[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count)
                x[i] = load_quad(from + 4 * (at + i * stride));
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count)
                add_quad(to + 4 * (at + i * stride), x[i]);
    }
}

/* Both are aligned. Each load is of 16 bytes, so that all threads together have enough under way. */
static __device__ void sum_quads(float4 *to, const float4 *from, int64_t count) {
    for (int64_t at = first_x(); at < count; at += stride_x()) {
        float4 x = from[at], y = to[at];
        float4 sum = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
        to[at] = sum;
    }
}

static __device__ void add_singly(float *to, const float *from, int64_t lo, int64_t hi,
                                  int atomic) {
    for (int64_t at = lo + first_x(); at < hi; at += stride_x())
        put_f32(to + at, atomic ? from[at] : from[at] + to[at], atomic);
}

/* By groups of four that are aligned in the target; singly before the first and after the last. */
static __device__ void add_line_in_quads(float *to, const float *from, int64_t count, int atomic) {
    int64_t before = (int64_t)(-((uintptr_t)to / sizeof *to) % 4);
    int64_t first = before < count ? before : count, groups = (count - first) / 4;
    if (atomic)
        add_quads(to + first, from + first, groups);
    else
        sum_quads((float4 *)(to + first), (const float4 *)(from + first), groups);
    add_singly(to, from, 0, first, atomic);
    add_singly(to, from, first + 4 * groups, count, atomic);
}

static __device__ void add_line_f32(float *to, const float *from, int64_t count, int atomic) {
    int64_t stride = stride_x();
    for (int64_t at = first_x(); at < count; at += AT_ONCE * stride) {
        float x[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count) {
                x[i] = from[at + i * stride];
                if (!atomic)
                    x[i] += to[at + i * stride];
            }
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count)
                put_f32(to + at + i * stride, x[i], atomic);
    }
}

static __device__ void add_line_f64(double *to, const double *from, int64_t count, int atomic) {
    int64_t stride = stride_x();
    for (int64_t at = first_x(); at < count; at += AT_ONCE * stride) {
        double x[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count) {
                x[i] = from[at + i * stride];
                if (!atomic)
                    x[i] += to[at + i * stride];
            }
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < count)
                put_f64(to + at + i * stride, x[i], atomic);
    }
}

__global__ void __launch_bounds__(SCT_CUDA_MOST_THREADS) sct_cuda_add_kernel(sct_cuda_work w) {
    for (int64_t line = first_y(); line < w.lines; line += stride_y()) {
        int64_t from = line * w.from_ld, to = line * w.to_ld;
        if (w.quads)
            add_line_in_quads((float *)w.to + to, (const float *)w.from + from, w.count,
                              w.atomic);
        else if (w.bytes == 4)
            add_line_f32((float *)w.to + to, (const float *)w.from + from, w.count, w.atomic);
        else
            add_line_f64((double *)w.to + to, (const double *)w.from + from, w.count, w.atomic);
    }
}

/* ---- Scaling ---- */

static __device__ void scale_f32(float *x, const sct_cuda_work *w) {
    float re = (float)w->re, im = (float)w->im;
    float x_re = w->zero ? 0 : x[0], x_im = w->zero ? 0 : x[w->parts - 1];
    x[0] = w->parts == 2 ? re * x_re - im * x_im : re * x_re;
    if (w->parts == 2)
        x[1] = re * x_im + im * x_re;
}

static __device__ void scale_f64(double *x, const sct_cuda_work *w) {
    double x_re = w->zero ? 0 : x[0], x_im = w->zero ? 0 : x[w->parts - 1];
    x[0] = w->parts == 2 ? w->re * x_re - w->im * x_im : w->re * x_re;
    if (w->parts == 2)
        x[1] = w->re * x_im + w->im * x_re;
}

__global__ void sct_cuda_scale_kernel(sct_cuda_work w) {
    for (int64_t line = first_y(); line < w.lines; line += stride_y())
        for (int64_t at = first_x(); at < w.count; at += stride_x()) {
            int64_t i = (line * w.to_ld + at) * w.parts;
            if (w.bytes == 4)
                scale_f32((float *)w.to + i, &w);
            else
                scale_f64((double *)w.to + i, &w);
        }
}

/* ---- Conversions, to nearest, ties to even ---- */

static __device__ float widen(uint16_t half, int bf16) {
    return bf16 ? __uint_as_float((unsigned)half << 16) : __half2float(__ushort_as_half(half));
}

static __device__ uint16_t narrow(float value, int bf16) {
    if (!bf16)
        return __half_as_ushort(__float2half_rn(value));
    unsigned bits = __float_as_uint(value), nan = bits >> 16 | 0x40;
    unsigned rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

/* What is converted, in f32. */
static __device__ float load_value(const sct_cuda_work *w, int64_t at) {
    if (w->narrow)
        return ((const float *)w->from)[at];
    return widen(((const uint16_t *)w->from)[at], w->bf16);
}

static __device__ void store_value(const sct_cuda_work *w, int64_t at, float value) {
    if (w->narrow)
        ((uint16_t *)w->to)[at] = narrow(value, w->bf16);
    else
        ((float *)w->to)[at] = value;
}

static __device__ void convert_line(const sct_cuda_work *w, int64_t from, int64_t to) {
    int64_t stride = stride_x();
    for (int64_t at = first_x(); at < w->count; at += AT_ONCE * stride) {
        float x[AT_ONCE] = {0};
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < w->count)
                x[i] = load_value(w, from + at + i * stride);
        for (int i = 0; i < AT_ONCE; i++)
            if (at + i * stride < w->count)
                store_value(w, to + at + i * stride, x[i]);
    }
}

__global__ void sct_cuda_convert_kernel(sct_cuda_work w) {
    for (int64_t line = first_y(); line < w.lines; line += stride_y())
        convert_line(&w, line * w.from_ld, line * w.to_ld);
}
