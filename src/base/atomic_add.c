/* atomic_add.c - adds with compare and exchange. */
#include "base/atomic_add.h"

#include <stdatomic.h>

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
