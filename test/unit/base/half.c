/* half.c - f16 and bf16 compared with a reference that picks the nearest of all values. */
#include "support/check.h"

#include <math.h>
#include <sectile/sectile.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 1 << 16, SIGN = 0x8000 };

/* How a type splits its 16 bits. */
typedef struct format {
    sct_type type;
    int mantissa, bias;
} format;

static const format formats[] = {{SCT_F16, 10, 15}, {SCT_BF16, 7, 127}};

static uint32_t infinity_of(const format *f) {
    return (((uint32_t)SIGN >> f->mantissa) - 1) << f->mantissa;
}

/* The value by definition; infinity has the value that its bits would mean as a number. */
static double value_of(const format *f, uint32_t half) {
    uint32_t size = half & (SIGN - 1), mantissa = size & ((1u << f->mantissa) - 1);
    int exponent = (int)(size >> f->mantissa);
    double value =
        exponent ? ldexp((double)(mantissa + (1u << f->mantissa)), exponent - f->bias - f->mantissa)
                 : ldexp((double)mantissa, 1 - f->bias - f->mantissa);
    return half & SIGN ? -value : value;
}

/* Finds the two neighbours of a number and takes the nearer one, or the even one if both are
 * equally near. */
static uint16_t nearest(const format *f, float value) {
    uint32_t lo = 0, hi = infinity_of(f), sign = signbit(value) ? SIGN : 0;
    double size = fabs((double)value);
    if (size >= value_of(f, hi))
        return (uint16_t)(hi | sign);
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (value_of(f, middle) <= size)
            lo = middle;
        else
            hi = middle;
    }
    double below = size - value_of(f, lo), above = value_of(f, hi) - size;
    bool up = below == above ? lo & 1 : above < below;
    return (uint16_t)((up ? hi : lo) | sign);
}

static uint16_t narrow(const format *f, float value) {
    uint16_t half;
    sct_half_narrow(f->type, 1, &value, &half);
    return half;
}

static void test_all_values(const format *f) {
    static uint16_t halves[HALVES], back[HALVES];
    static float floats[HALVES];
    for (int i = 0; i < HALVES; i++)
        halves[i] = (uint16_t)i;
    sct_half_widen(f->type, HALVES, halves, floats);
    sct_half_narrow(f->type, HALVES, floats, back);
    uint32_t endless = infinity_of(f), quiet = 1u << (f->mantissa - 1);
    for (uint32_t i = 0; i < HALVES; i++) {
        uint32_t size = i & (SIGN - 1);
        bool nan = size > endless, right = signbit(floats[i]) == 0 || i & SIGN;
        if (nan)
            right &= isnan(floats[i]) != 0;
        else if (size == endless)
            right &= isinf(floats[i]) != 0;
        else
            right &= (double)floats[i] == value_of(f, i);
        CHECK_CASE(right && back[i] == (nan ? i | quiet : i), "%s %04x: %g, %04x",
                   sct_type_name(f->type), i, (double)floats[i], back[i]);
    }
}

static void check_narrow(const format *f, float value) {
    uint16_t is = narrow(f, value), want = nearest(f, value);
    CHECK_CASE(is == want, "%s of %a: %04x, not %04x", sct_type_name(f->type), (double)value, is,
               want);
}

/* Tests each value, the midpoint between it and the next, and numbers just beside both. */
static void test_neighbours(const format *f) {
    for (uint32_t i = 0; i < infinity_of(f); i++) {
        float value = (float)value_of(f, i);
        float middle = (float)((value_of(f, i) + value_of(f, i + 1)) / 2);
        float near[] = {value, nextafterf(value, INFINITY), nextafterf(middle, 0), middle,
                        nextafterf(middle, INFINITY)};
        for (int j = 0; j < 5; j++) {
            check_narrow(f, near[j]);
            check_narrow(f, -near[j]);
        }
    }
}

static void test_random_bits(const format *f, uint64_t *random) {
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)check_random(random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            check_narrow(f, value);
    }
}

static void test_special_values(const format *f) {
    uint32_t endless = infinity_of(f);
    CHECK(narrow(f, INFINITY) == endless && narrow(f, -INFINITY) == (endless | SIGN));
    CHECK(narrow(f, 0.0f) == 0 && narrow(f, -0.0f) == SIGN);
    float nan = NAN;
    CHECK(narrow(f, nan) > endless && narrow(f, nan) < SIGN);
    CHECK(narrow(f, -nan) > (endless | SIGN));
    /* A NaN that differs from infinity in its lowest bit only. */
    uint32_t bits = 0x7f800001;
    memcpy(&nan, &bits, sizeof nan);
    CHECK(narrow(f, nan) > endless);
}

static void test_in_place(const format *f, uint64_t *random) {
    enum { MOST = 1000 };
    for (int i = 0; i < 100; i++) {
        int64_t count = check_between(random, 0, MOST);
        uint16_t halves[MOST];
        float apart[MOST], shared[MOST];
        for (int64_t j = 0; j < count; j++)
            halves[j] = (uint16_t)check_random(random);
        sct_half_widen(f->type, count, halves, apart);
        char *raw = (char *)shared + (size_t)count * sizeof *halves;
        memcpy(raw, halves, (size_t)count * sizeof *halves);
        sct_half_widen(f->type, count, raw, shared);
        CHECK(memcmp(shared, apart, (size_t)count * sizeof *apart) == 0);
    }
}

int main(void) {
    uint64_t random = check_seed(1);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        test_all_values(&formats[i]);
        test_neighbours(&formats[i]);
        test_random_bits(&formats[i], &random);
        test_special_values(&formats[i]);
        test_in_place(&formats[i], &random);
    }
    return check_report("half");
}
