/* checked.h - arithmetic on sizes that detects overflow, and the smaller and larger of two numbers.
 */
#ifndef SCT_BASE_CHECKED_H
#define SCT_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(size_t) == sizeof(int64_t), "sizes in bytes need a processor of 64 bits");

static inline bool sct_multiply_fits(int64_t a, int64_t b, int64_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool sct_add_fits(int64_t a, int64_t b, int64_t *sum) {
    return !__builtin_add_overflow(a, b, sum);
}

static inline int64_t sct_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t sct_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Unlike fmin and fmax these are no calls: the functions that use them run for each candidate. */
static inline double sct_smaller(double a, double b) {
    return a < b ? a : b;
}

static inline double sct_larger(double a, double b) {
    return a > b ? a : b;
}

/* The greatest common divisor of two numbers that are not negative; 0 if both are 0. */
static inline int64_t sct_common_divisor(int64_t a, int64_t b) {
    while (b > 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The start of part `part` when `size` is divided evenly into `parts`: floor(part size / parts). */
static inline int64_t sct_share(int64_t size, int parts, int part) {
    return size / parts * part + size % parts * part / parts;
}

/* The size of that part. */
static inline int64_t sct_share_size(int64_t size, int parts, int part) {
    return sct_share(size, parts, part + 1) - sct_share(size, parts, part);
}

#endif
