/* rounding_bound.c - which rounding errors of an element are accepted and which are not, worked out
 * by hand. */
#include "values/rounding_bound.h"

#include "support/check.h"

#include <math.h>

static const struct number two = {2, 0};

static double used(const struct rounding_bound *margin, double re, double im, double size,
                   struct number is) {
    return rounding_bound_used(margin, &(struct wide){re, im, size}, is);
}

/* With k = 5, which has 8 roundings. */
static void test_ordinary(void) {
    struct rounding_bound margin = rounding_bound_create(SCT_F64, SCT_F64, SCT_MATH_IEEE, 5, two);
    double limit = 10 * 8 * 0x1p-53;
    CHECK(used(&margin, 3, 0, 10, (struct number){3, 0}) == 0);
    CHECK(used(&margin, 3, 0, 10, (struct number){3 + 0.99 * limit, 0}) <= 1);
    CHECK(used(&margin, 3, 0, 10, (struct number){3 + 1.1 * limit, 0}) > 1);
    CHECK(used(&margin, 3, 0, 10, (struct number){INFINITY, 0}) > 1);
    CHECK(used(&margin, 3, 0, 10, (struct number){NAN, 0}) > 1);
}

static void test_complex(void) {
    struct rounding_bound margin = rounding_bound_create(SCT_CF32, SCT_CF32, SCT_MATH_IEEE, 5, two);
    double limit = 10 * 14 * 0x1p-24;
    CHECK(used(&margin, 3, 4, 10, (struct number){3, 4 + 0.99 * limit}) <= 1);
    CHECK(used(&margin, 3, 4, 10, (struct number){3 + 0.8 * limit, 4 + 0.8 * limit}) > 1);
    CHECK(used(&margin, 3, 4, 10, (struct number){3, NAN}) > 1);
}

/* In f16, numbers from 65520 on round to infinity, and smaller ones do not. */
static void test_rounds_to_infinity(void) {
    struct rounding_bound margin = rounding_bound_create(SCT_F32, SCT_F16, SCT_MATH_IEEE, 5, two);
    CHECK(used(&margin, 70000, 0, 1e5, (struct number){INFINITY, 0}) == 0);
    CHECK(used(&margin, 65520, 0, 1e5, (struct number){INFINITY, 0}) == 0);
    CHECK(used(&margin, 65520, 0, 1e5, (struct number){65504, 0}) <= 1);
    CHECK(used(&margin, -70000, 0, 1e5, (struct number){INFINITY, 0}) > 1);
    CHECK(used(&margin, 70000, 0, 1e5, (struct number){NAN, 0}) > 1);
    CHECK(used(&margin, 65530, 0, 1e5, (struct number){65504, 0}) > 1);
    CHECK(used(&margin, 65510, 0, 1e5, (struct number){INFINITY, 0}) > 1);
    CHECK(used(&margin, 65510, 0, 1e5, (struct number){65504, 0}) <= 1);
}

/* A sum that may overflow in an intermediate step may give anything except a wrong finite number.
 */
static void test_overflows_on_the_way(void) {
    struct rounding_bound margin = rounding_bound_create(SCT_F32, SCT_F32, SCT_MATH_IEEE, 5, two);
    CHECK(used(&margin, 1, 0, 4e38, (struct number){-INFINITY, 0}) == 0);
    CHECK(used(&margin, 1, 0, 4e38, (struct number){NAN, 0}) == 0);
    CHECK(used(&margin, 1, 0, 4e38, (struct number){3e38, 0}) > 1);
    CHECK(used(&margin, 1, 0, 3e38, (struct number){NAN, 0}) > 1);
    CHECK(used(&margin, 4e38, 0, 4e38, (struct number){3.4e38, 0}) > 1);
    margin = rounding_bound_create(SCT_F32, SCT_F16, SCT_MATH_IEEE, 5, two);
    CHECK(used(&margin, 1, 0, 1e5, (struct number){INFINITY, 0}) > 1);
}

/* Each of the two products of a term may be off by half of the least subnormal number. */
static void test_underflows(void) {
    struct rounding_bound margin =
        rounding_bound_create(SCT_F32, SCT_F32, SCT_MATH_IEEE, 5, (struct number){0x1p-149, 0});
    CHECK(used(&margin, 0x1p-151, 0, 0x1p-149, (struct number){0x1p-149, 0}) <= 1);
    CHECK(used(&margin, 0, 0, 0x1p-149, (struct number){0x1p-146, 0}) <= 1);
    CHECK(used(&margin, 0, 0, 0x1p-149, (struct number){0x1.2p-146, 0}) > 1);
    CHECK(used(&margin, 0, 0, 0x1p-149, (struct number){0x1p-140, 0}) > 1);
}

/* Factors that are cut to 11 bits are off by up to 2^-10 each. */
static void test_tf32(void) {
    struct rounding_bound margin = rounding_bound_create(SCT_F32, SCT_F32, SCT_MATH_TF32, 5, two);
    double limit = 10 * (8 * 0x1p-24 + 2 * 0x1p-10 + 0x1p-20);
    CHECK(used(&margin, 3, 0, 10, (struct number){3 + 0.99 * limit, 0}) <= 1);
    CHECK(used(&margin, 3, 0, 10, (struct number){3 + 1.01 * limit, 0}) > 1);
}

int main(void) {
    test_ordinary();
    test_complex();
    test_rounds_to_infinity();
    test_overflows_on_the_way();
    test_underflows();
    test_tf32();
    return check_report("rounding_bound");
}
