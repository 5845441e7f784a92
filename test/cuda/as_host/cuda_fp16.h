/* cuda_fp16.h - what nvcc gives to kernels, for a compiler of C: so that kernels.cu runs on the
 * host, one thread after another. */
#ifndef TEST_CUDA_FP16_H
#define TEST_CUDA_FP16_H

#include <sectile/sectile.h>

#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __launch_bounds__(threads)

typedef struct float4 {
    float x, y, z, w;
} float4;

typedef struct kernel_index {
    unsigned x, y, z;
} kernel_index;

/* Of the thread that is running. */
extern _Thread_local kernel_index blockIdx, threadIdx, blockDim, gridDim;

static inline void atomic_add_f32(float *to, float x) {
    float old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do
        sum = old + x;
    while (!__atomic_compare_exchange(to, &old, &sum, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void atomic_add_f64(double *to, double x) {
    double old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do
        sum = old + x;
    while (!__atomic_compare_exchange(to, &old, &sum, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* Its target is aligned, as on a GPU. */
static inline void atomic_add_quad(float4 *to, float4 x) {
    if ((uintptr_t)to % sizeof *to != 0)
        __builtin_trap();
    atomic_add_f32(&to->x, x.x);
    atomic_add_f32(&to->y, x.y);
    atomic_add_f32(&to->z, x.z);
    atomic_add_f32(&to->w, x.w);
}

#define atomicAdd_system(to, x) \
    _Generic((to), float *: atomic_add_f32, double *: atomic_add_f64, float4 *: atomic_add_quad)(  \
        to, x)

static inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline unsigned __float_as_uint(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

typedef struct half_bits {
    uint16_t bits;
} half_bits;

static inline half_bits __ushort_as_half(uint16_t bits) {
    return (half_bits){bits};
}

static inline uint16_t __half_as_ushort(half_bits half) {
    return half.bits;
}

static inline float __half2float(half_bits half) {
    float value;
    sct_half_widen(SCT_F16, 1, &half, &value);
    return value;
}

static inline half_bits __float2half_rn(float value) {
    half_bits half;
    sct_half_narrow(SCT_F16, 1, &value, &half);
    return half;
}

#endif
