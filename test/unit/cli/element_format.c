/* element_format.c - elements of files become those of the library as NumPy converts them. */
#include "files/npy.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Converts one element of so many bytes, from the byte order of this machine and from the other. */
static void check_both(const char *letters, const void *bytes, size_t count, sct_type type,
                       const void *wanted) {
    char descr[8], to[16];
    unsigned char other[16];
    struct element_format format;
    size_t part = letters[0] == 'c' ? count / 2 : count;
    for (size_t i = 0; i < count; i++)
        other[i] = ((const unsigned char *)bytes)[i / part * part + part - 1 - i % part];
    for (int swapped = 0; swapped < 2; swapped++) {
        char mark = element_format_mark();
        snprintf(descr, sizeof descr, "%c%s", swapped ? (mark == '<' ? '>' : '<') : mark, letters);
        if (!CHECK(element_format_find(descr, &format)))
            return;
        CHECK(element_format_bytes(&format, type) == count);
        element_format_convert(&format, 1, swapped ? other : bytes, type, to);
        CHECK_CASE(memcmp(to, wanted, sct_type_bytes(type)) == 0, "%s to %s", descr,
                   sct_type_name(type));
    }
}

static void check_double(const char *letters, const void *bytes, size_t count, double wanted) {
    const double pair[2] = {wanted, 0};
    const float narrow = (float)wanted;
    check_both(letters, bytes, count, SCT_F64, &wanted);
    check_both(letters, bytes, count, SCT_F32, &narrow);
    check_both(letters, bytes, count, SCT_CF64, pair);
}

static void whole_numbers(void) {
    const int8_t i1 = -128;
    const uint8_t u1 = 255, truth = 2;
    const int16_t i2 = INT16_MIN;
    const uint16_t u2 = UINT16_MAX;
    const int32_t i4 = INT32_MIN;
    const uint32_t u4 = UINT32_MAX;
    const int64_t i8 = INT64_MIN;
    const uint64_t u8 = UINT64_MAX;
    check_double("i1", &i1, 1, -128);
    check_double("u1", &u1, 1, 255);
    check_double("b1", &truth, 1, 1);
    check_double("i2", &i2, 2, INT16_MIN);
    check_double("u2", &u2, 2, UINT16_MAX);
    check_double("i4", &i4, 4, INT32_MIN);
    check_double("u4", &u4, 4, UINT32_MAX);
    check_double("i8", &i8, 8, -0x1p63);
    check_double("u8", &u8, 8, 0x1p64);
}

/* Numbers are rounded to f16 once: by way of f32 these would become even. */
static void halves(void) {
    static const struct {
        double from, to;
    } cases[] = {{1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10},
                 {1 + 0x3p-11 - 0x1p-40, 1 + 0x1p-10},
                 {-1 - 0x1p-11 - 0x1p-40, -1 - 0x1p-10},
                 {1 + 0x1p-11, 1},
                 {-0x3p-25, -0x1p-23},
                 {0x1p-25 + 0x1p-60, 0x1p-24},
                 {65519.99999999, 65504},
                 {65520, INFINITY},
                 {1e300, INFINITY},
                 {-1e-300, -0.0},
                 {NAN, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct element_format format = element_format_of(SCT_F64);
        uint16_t half;
        float widened;
        element_format_convert(&format, 1, &cases[i].from, SCT_F16, &half);
        sct_half_widen(SCT_F16, 1, &half, &widened);
        CHECK_CASE((double)widened == cases[i].to || (isnan(widened) && isnan(cases[i].to)),
                   "%.20g became %g", cases[i].from, (double)widened);
    }
}

static void floats(void) {
    const float f4 = 1.5f, c8[2] = {1, -2};
    const double f8 = -0.1, c16[2] = {1, -2};
    check_double("f4", &f4, 4, 1.5);
    check_double("f8", &f8, 8, -0.1);
    check_both("c8", c8, 8, SCT_CF64, c16);
    check_both("c16", c16, 16, SCT_CF32, c8);
    check_both("c8", c8, 8, SCT_CF32, c8);
    halves();
}

/* More than is converted at once. */
static void many(void) {
    enum { COUNT = 1000 };
    struct element_format format;
    int16_t from[COUNT];
    float to[2 * COUNT];
    for (int i = 0; i < COUNT; i++)
        from[i] = (int16_t)(7 * i - 3000);
    CHECK(element_format_find("=i2", &format));
    element_format_convert(&format, COUNT, from, SCT_CF32, to);
    for (int i = 0; i < COUNT; i++)
        CHECK(to[2 * i] == (float)from[i] && to[2 * i + 1] == 0);
}

static void promotes(const char *one, const char *other, int wanted) {
    struct npy_header headers[2] = {{.rows = 0}, {.rows = 0}};
    const struct npy_header *const both[] = {&headers[0], &headers[1]};
    sct_type type = SCT_BF16;
    CHECK(element_format_find(one, &headers[0].format));
    CHECK(element_format_find(other, &headers[1].format));
    bool floating = element_format_promote(2, both, &type);
    CHECK_CASE(floating == (wanted >= 0) && (!floating || (int)type == wanted), "%s and %s: %s",
               one, other, sct_type_name(type));
}

int main(void) {
    struct element_format format;
    CHECK(!element_format_find("f16", &format) && !element_format_find("<O", &format));
    CHECK(!element_format_find("", &format) && !element_format_find("<", &format));
    whole_numbers();
    floats();
    many();
    promotes("f4", "f8", SCT_F64);
    promotes("f2", "i1", SCT_F16);
    promotes("f2", "i2", SCT_F32);
    promotes("f4", "i2", SCT_F32);
    promotes("f4", "i4", SCT_F64);
    promotes("c8", "f8", SCT_CF64);
    promotes("c8", "f2", SCT_CF32);
    promotes("b1", "f2", SCT_F16);
    promotes("i8", "b1", -1);
    return check_report("element_format");
}
