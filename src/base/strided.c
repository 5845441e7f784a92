/* strided.c - copies, transposes, converts, adds and scales strided blocks.
 *
 * All are loops over lines; a block without gaps is one long line. Additions treat a complex line
 * as a real line of twice the count; copies treat elements as bytes. */
#include "base/strided.h"

#include "base/checked.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

typedef void line_work(int64_t count, const void *from, void *to);

/* Calls `work` for each line. bytes, to_bytes: sizes of the elements that count and the leading
 * dimensions are in. */
static void each_line(line_work *work, size_t bytes, size_t to_bytes, int64_t lines, int64_t count,
                      const void *from, int64_t from_ld, void *to, int64_t to_ld) {
    if (lines == 0 || count == 0)
        return;
    if (from_ld == count && to_ld == count) {
        count *= lines;
        lines = 1;
    }
    for (int64_t i = 0; i < lines; i++) {
        work(count, (const char *)from + (size_t)(i * from_ld) * bytes,
             (char *)to + (size_t)(i * to_ld) * to_bytes);
    }
}

static void copy_bytes(int64_t count, const void *from, void *to) {
    memcpy(to, from, (size_t)count);
}

void sct_strided_move(int64_t lines, size_t width, const void *from, size_t from_pitch, void *to,
                      size_t to_pitch) {
    each_line(copy_bytes, 1, 1, lines, (int64_t)width, from, (int64_t)from_pitch, to,
              (int64_t)to_pitch);
}

/* Without restrict: from may equal to. */
static void conjugate_f32(int64_t count, const void *from, void *to) {
    const float *x = from;
    float *y = to;
    for (int64_t i = 0; i < count; i++) {
        y[2 * i] = x[2 * i];
        y[2 * i + 1] = -x[2 * i + 1];
    }
}

static void conjugate_f64(int64_t count, const void *from, void *to) {
    const double *x = from;
    double *y = to;
    for (int64_t i = 0; i < count; i++) {
        y[2 * i] = x[2 * i];
        y[2 * i + 1] = -x[2 * i + 1];
    }
}

void sct_strided_copy(sct_type type, bool conjugate, int64_t lines, int64_t count, const void *from,
                      int64_t from_ld, void *to, int64_t to_ld) {
    assert(from != to || from_ld == to_ld);
    size_t bytes = sct_type_bytes(type);
    int64_t unit = (int64_t)bytes;
    if (conjugate && sct_type_complex(type)) {
        line_work *work = sct_type_part(type) == SCT_F32 ? conjugate_f32 : conjugate_f64;
        each_line(work, bytes, bytes, lines, count, from, from_ld, to, to_ld);
    } else if (from != to) {
        each_line(copy_bytes, 1, 1, lines, count * unit, from, from_ld * unit, to, to_ld * unit);
    }
}

/* Inlined with a constant size, so that memcpy becomes one move. */
static inline void transpose_elements(size_t bytes, int64_t lines, int64_t count, const char *from,
                                      int64_t from_ld, char *to, int64_t to_ld) {
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < lines; i++) {
            memcpy(to + (size_t)(j * to_ld + i) * bytes, from + (size_t)(i * from_ld + j) * bytes,
                   bytes);
        }
    }
}

static void transpose_block(size_t bytes, int64_t lines, int64_t count, const char *from,
                            int64_t from_ld, char *to, int64_t to_ld) {
    assert(bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
    if (bytes == 2)
        transpose_elements(2, lines, count, from, from_ld, to, to_ld);
    else if (bytes == 4)
        transpose_elements(4, lines, count, from, from_ld, to, to_ld);
    else if (bytes == 8)
        transpose_elements(8, lines, count, from, from_ld, to, to_ld);
    else
        transpose_elements(16, lines, count, from, from_ld, to, to_ld);
}

void sct_strided_transpose(sct_type type, bool conjugate, int64_t lines, int64_t count,
                           const void *from, int64_t from_ld, void *to, int64_t to_ld) {
    enum { EDGE = 16 }; /* both sides of such a block fit in the cache */
    size_t bytes = sct_type_bytes(type);
    for (int64_t i = 0; i < lines; i += EDGE) {
        int64_t high = sct_min(EDGE, lines - i);
        for (int64_t j = 0; j < count; j += EDGE) {
            int64_t wide = sct_min(EDGE, count - j);
            char *block = (char *)to + (size_t)(j * to_ld + i) * bytes;
            transpose_block(bytes, high, wide,
                            (const char *)from + (size_t)(i * from_ld + j) * bytes, from_ld, block,
                            to_ld);
            sct_strided_copy(type, conjugate, wide, high, block, to_ld, block, to_ld);
        }
    }
}

static void widen_f16(int64_t count, const void *from, void *to) {
    sct_half_widen(SCT_F16, count, from, to);
}

static void widen_bf16(int64_t count, const void *from, void *to) {
    sct_half_widen(SCT_BF16, count, from, to);
}

static void narrow_f16(int64_t count, const void *from, void *to) {
    sct_half_narrow(SCT_F16, count, from, to);
}

static void narrow_bf16(int64_t count, const void *from, void *to) {
    sct_half_narrow(SCT_BF16, count, from, to);
}

void sct_strided_convert(sct_type type, sct_type to_type, int64_t lines, int64_t count,
                         const void *from, int64_t from_ld, void *to, int64_t to_ld) {
    line_work *work = to_type == SCT_F32 ? (type == SCT_F16 ? widen_f16 : widen_bf16)
                                         : (to_type == SCT_F16 ? narrow_f16 : narrow_bf16);
    each_line(work, sct_type_bytes(type), sct_type_bytes(to_type), lines, count, from, from_ld, to,
              to_ld);
}

static void add_f32(int64_t count, const void *from, void *to) {
    const float *restrict x = from;
    float *restrict y = to;
    for (int64_t i = 0; i < count; i++)
        y[i] += x[i];
}

static void add_f64(int64_t count, const void *from, void *to) {
    const double *restrict x = from;
    double *restrict y = to;
    for (int64_t i = 0; i < count; i++)
        y[i] += x[i];
}

void sct_strided_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                     void *to, int64_t to_ld) {
    sct_type part = sct_type_part(type);
    assert(sct_type_sum(part) == part);
    int64_t parts = sct_type_complex(type) ? 2 : 1;
    size_t bytes = sct_type_bytes(part);
    each_line(part == SCT_F32 ? add_f32 : add_f64, bytes, bytes, lines, count * parts, from,
              from_ld * parts, to, to_ld * parts);
}

typedef void line_scaling(int64_t count, sct_scalar factor, void *line);

static void scale_f32(int64_t count, sct_scalar factor, void *line) {
    float *x = line;
    for (int64_t i = 0; i < count; i++)
        x[i] *= factor.f32[0];
}

static void scale_f64(int64_t count, sct_scalar factor, void *line) {
    double *x = line;
    for (int64_t i = 0; i < count; i++)
        x[i] *= factor.f64[0];
}

static void scale_cf32(int64_t count, sct_scalar factor, void *line) {
    float *x = line, re = factor.f32[0], im = factor.f32[1];
    for (int64_t i = 0; i < count; i++) {
        float old = x[2 * i];
        x[2 * i] = re * old - im * x[2 * i + 1];
        x[2 * i + 1] = re * x[2 * i + 1] + im * old;
    }
}

static void scale_cf64(int64_t count, sct_scalar factor, void *line) {
    double *x = line, re = factor.f64[0], im = factor.f64[1];
    for (int64_t i = 0; i < count; i++) {
        double old = x[2 * i];
        x[2 * i] = re * old - im * x[2 * i + 1];
        x[2 * i + 1] = re * x[2 * i + 1] + im * old;
    }
}

/* f16 and bf16 are never scaled. */
static line_scaling *const scaling_of[] = {
    [SCT_F32] = scale_f32, [SCT_F64] = scale_f64, [SCT_CF32] = scale_cf32, [SCT_CF64] = scale_cf64};

void sct_strided_scale(sct_type type, int64_t lines, int64_t count, sct_scalar factor, void *to,
                       int64_t to_ld) {
    size_t bytes = sct_type_bytes(type);
    bool zero = sct_scalar_is(type, factor, 0);
    if (lines == 0 || count == 0 || sct_scalar_is(type, factor, 1))
        return;
    assert(zero || sct_type_sum(type) == type);
    if (to_ld == count) {
        count *= lines;
        lines = 1;
    }
    for (int64_t i = 0; i < lines; i++) {
        void *line = (char *)to + (size_t)(i * to_ld) * bytes;
        if (zero)
            memset(line, 0, (size_t)count * bytes);
        else
            scaling_of[type](count, factor, line);
    }
}

/* ---- Atomic additions ---- */

static void add_floats(int64_t count, const float *from, _Atomic float *to) {
    for (int64_t i = 0; i < count; i++) {
        float seen = atomic_load_explicit(&to[i], memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&to[i], &seen, seen + from[i],
                                                      memory_order_relaxed, memory_order_relaxed))
            continue;
    }
}

static void add_doubles(int64_t count, const double *from, _Atomic double *to) {
    for (int64_t i = 0; i < count; i++) {
        double seen = atomic_load_explicit(&to[i], memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&to[i], &seen, seen + from[i],
                                                      memory_order_relaxed, memory_order_relaxed))
            continue;
    }
}

void sct_atomic_add(sct_type type, int64_t lines, int64_t count, const void *from, int64_t from_ld,
                    void *to, int64_t to_ld) {
    int64_t parts = sct_type_complex(type) ? 2 : 1;
    for (int64_t line = 0; line < lines; line++) {
        int64_t at = line * from_ld * parts, to_at = line * to_ld * parts;
        if (sct_type_part(type) == SCT_F32)
            add_floats(count * parts, (const float *)from + at, (_Atomic float *)to + to_at);
        else
            add_doubles(count * parts, (const double *)from + at, (_Atomic double *)to + to_at);
    }
}
