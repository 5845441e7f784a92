/* strided.c - copies, transposes, additions and scalings compared with naive loops. */
#include "base/strided.h"

#include "support/element.h"

#include <math.h>
#include <stdlib.h>

enum { GUARD = 5, SUM_TYPES = 4, TYPES = 6 };

/* A block to read and one to write, both with gaps between lines, and the expected contents of the
 * second. `to` has to_lines lines, and guard elements after the last. */
typedef struct blocks {
    sct_type type;
    int64_t lines, count, from_ld, to_ld, to_size;
    void *from, *to, *expected;
} blocks;

static void *random_elements(sct_type type, int64_t count, uint64_t *random) {
    void *made = malloc((size_t)count * sct_type_bytes(type));
    elements_fill(type, made, count, random);
    return made;
}

/* The written block has the shape of the read one, or the transposed shape. */
static blocks blocks_new(sct_type type, int64_t lines, int64_t count, bool transposed,
                         uint64_t *random) {
    bool gaps = check_between(random, 0, 1);
    blocks b = {.type = type, .lines = lines, .count = count};
    b.from_ld = count + (gaps ? check_between(random, 0, 3) : 0);
    b.to_ld = (transposed ? lines : count) + (gaps ? check_between(random, 0, 3) : 0);
    b.to_size = (transposed ? count : lines) * b.to_ld + GUARD;
    b.from = random_elements(type, lines * b.from_ld + GUARD, random);
    uint64_t again = *random;
    b.to = random_elements(type, b.to_size, random);
    b.expected = random_elements(type, b.to_size, &again);
    return b;
}

static void blocks_end(blocks b, const char *what, bool conjugate) {
    CHECK_CASE(elements_equal(b.type, b.to, b.expected, b.to_size),
               "%s of %s%s, %lld lines of %lld, ld %lld to %lld", what, sct_type_name(b.type),
               conjugate ? ", conjugated" : "", (long long)b.lines, (long long)b.count,
               (long long)b.from_ld, (long long)b.to_ld);
    free(b.from);
    free(b.to);
    free(b.expected);
}

static element read_from(const blocks *b, bool conjugate, int64_t i, int64_t j) {
    element e = element_get(b->type, b->from, i * b->from_ld + j);
    return conjugate ? element_conjugate(e) : e;
}

static void test_copy(sct_type type, int64_t lines, int64_t count, bool conjugate,
                      uint64_t *random) {
    blocks b = blocks_new(type, lines, count, false, random);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < count; j++)
            element_put(type, b.expected, i * b.to_ld + j, read_from(&b, conjugate, i, j));
    sct_strided_copy(type, conjugate, lines, count, b.from, b.from_ld, b.to, b.to_ld);
    blocks_end(b, "copy", conjugate);
}

static void test_copy_in_place(sct_type type, int64_t lines, int64_t count, bool conjugate,
                               uint64_t *random) {
    blocks b = blocks_new(type, lines, count, false, random);
    for (int64_t i = 0; i < lines; i++) {
        for (int64_t j = 0; j < count; j++) {
            element e = element_get(type, b.to, i * b.to_ld + j);
            element_put(type, b.expected, i * b.to_ld + j, conjugate ? element_conjugate(e) : e);
        }
    }
    sct_strided_copy(type, conjugate, lines, count, b.to, b.to_ld, b.to, b.to_ld);
    blocks_end(b, "copy in place", conjugate);
}

static void test_transpose(sct_type type, int64_t lines, int64_t count, bool conjugate,
                           uint64_t *random) {
    blocks b = blocks_new(type, lines, count, true, random);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < count; j++)
            element_put(type, b.expected, j * b.to_ld + i, read_from(&b, conjugate, i, j));
    sct_strided_transpose(type, conjugate, lines, count, b.from, b.from_ld, b.to, b.to_ld);
    blocks_end(b, "transpose", conjugate);
}

static void test_convert(sct_type type, sct_type to_type, int64_t lines, int64_t count,
                         uint64_t *random) {
    blocks b = blocks_new(to_type, lines, count, false, random);
    free(b.from);
    b.from = random_elements(type, lines * b.from_ld + GUARD, random);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < count; j++)
            element_put(to_type, b.expected, i * b.to_ld + j,
                        element_get(type, b.from, i * b.from_ld + j));
    sct_strided_convert(type, to_type, lines, count, b.from, b.from_ld, b.to, b.to_ld);
    blocks_end(b, "convert", false);
}

static void test_add(sct_type type, int64_t lines, int64_t count, uint64_t *random) {
    blocks b = blocks_new(type, lines, count, false, random);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < count; j++)
            element_put(
                type, b.expected, i * b.to_ld + j,
                element_plus(element_get(type, b.to, i * b.to_ld + j), read_from(&b, false, i, j)));
    sct_strided_add(type, lines, count, b.from, b.from_ld, b.to, b.to_ld);
    blocks_end(b, "add", false);
}

static void test_scale(sct_type type, int64_t lines, int64_t count, uint64_t *random) {
    blocks b = blocks_new(type, lines, count, false, random);
    element factor = element_random(type, random);
    for (int64_t i = 0; i < lines; i++)
        for (int64_t j = 0; j < count; j++)
            element_put(type, b.expected, i * b.to_ld + j,
                        element_times(factor, element_get(type, b.to, i * b.to_ld + j)));
    sct_strided_scale(type, lines, count, element_scalar(type, factor), b.to, b.to_ld);
    blocks_end(b, "scale", false);
}

/* Factor 0 does not read, factor 1 does not write, factor NaN makes everything NaN. */
static void test_special_factors(sct_type type) {
    double in[16], out[16];
    for (int64_t i = 0; i < 8; i++) {
        element_put(type, in, i, (element){i == 1 ? NAN : i == 2 ? INFINITY : 3, 1});
        element_put(type, out, i, i % 4 < 3 ? (element){0, 0} : element_get(type, in, i));
    }
    sct_strided_scale(type, 2, 3, sct_scalar_real(type, 1), in, 4);
    CHECK(isinf(element_get(type, in, 2).re) && element_get(type, in, 0).re == 3);
    sct_strided_scale(type, 2, 3, sct_scalar_real(type, -0.0), in, 4);
    CHECK_CASE(elements_equal(type, in, out, 8), "%s times 0", sct_type_name(type));
    sct_strided_scale(type, 2, 3, sct_scalar_real(type, NAN), in, 4);
    for (int64_t i = 0; i < 8; i++)
        CHECK((i % 4 < 3) == isnan(element_get(type, in, i).re));
}

static void test_shape(sct_type type, int64_t lines, int64_t count, uint64_t *random) {
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        test_copy(type, lines, count, conjugate, random);
        test_copy_in_place(type, lines, count, conjugate, random);
        test_transpose(type, lines, count, conjugate, random);
    }
    if (sct_type_sum(type) == type) {
        test_add(type, lines, count, random);
        test_scale(type, lines, count, random);
    } else {
        test_convert(type, SCT_F32, lines, count, random);
        test_convert(SCT_F32, type, lines, count, random);
    }
}

static void test_nothing(sct_type type) {
    sct_scalar factor = sct_scalar_real(type, 2);
    for (int64_t lines = 0; lines < 2; lines++) {
        sct_strided_copy(type, true, lines, 0, NULL, 0, NULL, 0);
        sct_strided_transpose(type, true, lines, 0, NULL, 0, NULL, 0);
        sct_strided_transpose(type, true, 0, lines, NULL, lines, NULL, 0);
        sct_strided_add(type, lines, 0, NULL, 0, NULL, 0);
        sct_strided_scale(type, lines, 0, factor, NULL, 0);
    }
    CHECK_CASE(true, "no memory was touched");
}

int main(void) {
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 15, 16, 17, 33, 70};
    int64_t many = (int64_t)(sizeof sizes / sizeof *sizes);
    uint64_t random = check_seed(1);
    for (int t = 0; t < SUM_TYPES; t++) {
        test_special_factors((sct_type)t);
        test_nothing((sct_type)t);
    }
    for (int t = 0; t < TYPES; t++)
        for (int64_t i = 0; i < many * many * 2; i++)
            test_shape((sct_type)t, sizes[i / 2 % many], sizes[i / 2 / many], &random);
    return check_report("strided");
}
