/* element_format.c - the types that elements have in .npy files, and their conversion. */
#include "files/element_format.h"

#include "files/npy.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { NO_TYPE = -1, MOST_BYTES = 16, CHUNK = 256 };

/* `letters` are NumPy's, `bytes` those of a real or imaginary part. `type` is the same type of the
 * library, and `real_bytes` the size of the smallest floating-point type that NumPy takes for all
 * its values. */
struct element_kind {
    const char *letters, *name;
    size_t bytes, parts;
    int type;
    size_t real_bytes;
    double (*load)(const void *);
};

static double load_b1(const void *at) {
    return *(const uint8_t *)at != 0;
}

static double load_i1(const void *at) {
    return *(const int8_t *)at;
}

static double load_u1(const void *at) {
    return *(const uint8_t *)at;
}

static double load_i2(const void *at) {
    int16_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static double load_u2(const void *at) {
    uint16_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static double load_i4(const void *at) {
    int32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static double load_u4(const void *at) {
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static double load_i8(const void *at) {
    int64_t number;
    memcpy(&number, at, sizeof number);
    return (double)number;
}

static double load_u8(const void *at) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return (double)number;
}

static double load_f2(const void *at) {
    float number;
    sct_half_widen(SCT_F16, 1, at, &number);
    return number;
}

static double load_f4(const void *at) {
    float number;
    memcpy(&number, at, sizeof number);
    return number;
}

static double load_f8(const void *at) {
    double number;
    memcpy(&number, at, sizeof number);
    return number;
}

static const struct element_kind kinds[] = {
    {"b1", "bool", 1, 1, NO_TYPE, 2, load_b1},   {"i1", "int8", 1, 1, NO_TYPE, 2, load_i1},
    {"u1", "uint8", 1, 1, NO_TYPE, 2, load_u1},  {"i2", "int16", 2, 1, NO_TYPE, 4, load_i2},
    {"u2", "uint16", 2, 1, NO_TYPE, 4, load_u2}, {"i4", "int32", 4, 1, NO_TYPE, 8, load_i4},
    {"u4", "uint32", 4, 1, NO_TYPE, 8, load_u4}, {"i8", "int64", 8, 1, NO_TYPE, 8, load_i8},
    {"u8", "uint64", 8, 1, NO_TYPE, 8, load_u8}, {"f2", "f16", 2, 1, SCT_F16, 2, load_f2},
    {"f4", "f32", 4, 1, SCT_F32, 4, load_f4},    {"f8", "f64", 8, 1, SCT_F64, 8, load_f8},
    {"c8", "cf32", 4, 2, SCT_CF32, 4, load_f4},  {"c16", "cf64", 8, 2, SCT_CF64, 8, load_f8},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct element_kind *kind_of_type(sct_type type) {
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].type == (int)type)
            return &kinds[i];
    return NULL;
}

static const struct element_kind *kind_of(const struct element_format *format, sct_type type) {
    return format->kind ? format->kind : kind_of_type(type);
}

char element_format_mark(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? '<' : '>';
}

bool element_format_find(const char *descr, struct element_format *format) {
    bool marked = descr[0] != '\0' && strchr("<>=|", descr[0]);
    char other = element_format_mark() == '<' ? '>' : '<';
    for (int i = 0; i < KINDS; i++)
        if (strcmp(descr + marked, kinds[i].letters) == 0) {
            *format = (struct element_format){.kind = &kinds[i],
                                              .swapped = descr[0] == other && kinds[i].bytes > 1};
            return true;
        }
    return false;
}

struct element_format element_format_of(sct_type type) {
    return (struct element_format){.kind = kind_of_type(type)};
}

const char *element_format_letters(sct_type type) {
    const struct element_kind *kind = kind_of_type(type);
    return kind ? kind->letters : NULL;
}

size_t element_format_bytes(const struct element_format *format, sct_type type) {
    return format->kind ? format->kind->bytes * format->kind->parts : sct_type_bytes(type);
}

const char *element_format_name(const struct element_format *format, sct_type type) {
    return format->kind ? format->kind->name : sct_type_name(type);
}

bool element_format_is_native(const struct element_format *format, sct_type type) {
    return !format->kind || (format->kind->type == (int)type && !format->swapped);
}

bool element_format_is_complex(const struct element_format *format, sct_type type) {
    const struct element_kind *kind = kind_of(format, type);
    return kind && kind->parts == 2;
}

bool element_format_promote(int count, const struct npy_header *const *headers, sct_type *type) {
    size_t bytes = 0;
    bool floating = false, complex = false, is_signed = false, is_widest = false;
    for (int i = 0; i < count; i++) {
        const struct element_kind *kind = kind_of(&headers[i]->format, headers[i]->type);
        assert(kind); /* no file holds bf16 */
        floating = floating || kind->type != NO_TYPE;
        complex = complex || kind->parts == 2;
        bytes = kind->real_bytes > bytes ? kind->real_bytes : bytes;
        is_signed = is_signed || kind->letters[0] == 'i';
        is_widest = is_widest || strcmp(kind->letters, "u8") == 0;
    }
    if (complex)
        *type = bytes == 8 ? SCT_CF64 : SCT_CF32;
    else
        *type = bytes == 8 ? SCT_F64 : bytes == 4 ? SCT_F32 : SCT_F16;
    return floating || (is_signed && is_widest); /* no integer type has the values of both */
}

/* ---- Conversion, by way of f64 ---- */

/* Rounds to a float whose last bit is odd unless it is exact, so that rounding it again gives what
 * rounding the number at once would have given. */
static float round_to_odd(double number) {
    float rounded = (float)number;
    uint32_t bits;
    if ((double)rounded == number || number != number)
        return rounded;
    memcpy(&bits, &rounded, sizeof bits);
    if ((bits & 1) == 0) {
        bool away = (rounded > number) == (number > 0);
        bits += away ? UINT32_MAX : 1;
    }
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}

static void store(size_t bytes, int64_t count, const double *from, void *to) {
    float narrow[2 * CHUNK];
    if (bytes == sizeof(double)) {
        memcpy(to, from, (size_t)count * sizeof *from);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        narrow[i] = bytes == sizeof(float) ? (float)from[i] : round_to_odd(from[i]);
    if (bytes == sizeof(float))
        memcpy(to, narrow, (size_t)count * sizeof *narrow);
    else
        sct_half_narrow(SCT_F16, count, narrow, to);
}

static void swap_bytes(size_t bytes, int64_t count, const unsigned char *from, unsigned char *to) {
    for (int64_t i = 0; i < count; i++, from += bytes, to += bytes)
        for (size_t at = 0; at < bytes; at++)
            to[at] = from[bytes - 1 - at];
}

/* Loads the parts of `count` elements to zeros; a real element gets an imaginary part if `widened`.
 */
static void load(const struct element_kind *kind, bool widened, int64_t count,
                 const unsigned char *from, double *to) {
    int64_t parts = count * (int64_t)kind->parts;
    size_t stride = widened ? 2 : 1;
    for (int64_t i = 0; i < parts; i++)
        to[(size_t)i * stride] = kind->load(from + (size_t)i * kind->bytes);
}

/* At most CHUNK elements. */
static void convert_chunk(const struct element_format *format, int64_t count,
                          const unsigned char *from, const struct element_kind *wanted, void *to) {
    const struct element_kind *kind = format->kind;
    unsigned char swapped[CHUNK * MOST_BYTES];
    double numbers[2 * CHUNK] = {0};
    if (format->swapped) {
        swap_bytes(kind->bytes, count * (int64_t)kind->parts, from, swapped);
        from = swapped;
    }
    if (kind == wanted) {
        memcpy(to, from, (size_t)count * kind->bytes * kind->parts);
        return;
    }
    load(kind, wanted->parts > kind->parts, count, from, numbers);
    store(wanted->bytes, count * (int64_t)wanted->parts, numbers, to);
}

void element_format_convert(const struct element_format *format, int64_t count, const void *from,
                            sct_type type, void *to) {
    const struct element_kind *wanted = kind_of_type(type);
    assert(wanted);
    for (int64_t at = 0; at < count; at += CHUNK)
        convert_chunk(format, count - at < CHUNK ? count - at : CHUNK,
                      (const unsigned char *)from + (size_t)at * element_format_bytes(format, type),
                      wanted, (char *)to + (size_t)at * sct_type_bytes(type));
}
