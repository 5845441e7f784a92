/* element.c - elements: in memory, generated from a seed by any rank; and blocks of them, of whose
 * lines each of several threads sets a part. */
#include "values/element.h"

#include <pthread.h>

bool element_is_complex(sct_type type) {
    return type == SCT_CF32 || type == SCT_CF64;
}

static bool is_half(sct_type type) {
    return type == SCT_F16 || type == SCT_BF16;
}

static bool is_single(sct_type type) {
    return type == SCT_F32 || type == SCT_CF32;
}

int element_bits(sct_type type) {
    static const int bits[] = {[SCT_F32] = 24,  [SCT_F64] = 53, [SCT_CF32] = 24,
                               [SCT_CF64] = 53, [SCT_F16] = 11, [SCT_BF16] = 8};
    return bits[type];
}

void element_store(sct_type type, struct number number, void *at) {
    if (is_half(type)) {
        const float part = (float)number.re;
        sct_half_narrow(type, 1, &part, at);
    } else if (is_single(type)) {
        float *parts = at;
        parts[0] = (float)number.re;
        if (element_is_complex(type))
            parts[1] = (float)number.im;
    } else {
        double *parts = at;
        parts[0] = number.re;
        if (element_is_complex(type))
            parts[1] = number.im;
    }
}

struct number element_load(sct_type type, const void *at) {
    bool complex = element_is_complex(type);
    if (is_half(type)) {
        float wide;
        sct_half_widen(type, 1, at, &wide);
        return (struct number){wide, 0};
    }
    if (is_single(type)) {
        const float *parts = at;
        return (struct number){parts[0], complex ? parts[1] : 0};
    }
    const double *parts = at;
    return (struct number){parts[0], complex ? parts[1] : 0};
}

struct number element_round(sct_type type, struct number number) {
    double memory[2];
    element_store(type, number, memory);
    return element_load(type, memory);
}

void *element_at(sct_type type, const sct_block *block, int64_t row, int64_t col) {
    int64_t index = block->order == SCT_ROW_MAJOR ? row * block->ld + col : col * block->ld + row;
    return (char *)block->data + (size_t)index * sct_type_bytes(type);
}

/* The mixing step of splitmix64. */
static uint64_t mix(uint64_t bits) {
    bits += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

static uint64_t hash(const struct source *source, int matrix, int64_t row, int64_t col) {
    uint64_t bits = mix(source->seed + ((uint64_t)matrix << 56));
    return mix(mix(bits ^ (uint64_t)row) ^ (uint64_t)col);
}

/* Between the random reals of a type, in [-1, 1). */
static const double steps[] = {[SCT_F32] = 0x1p-23,  [SCT_F64] = 0x1p-52, [SCT_CF32] = 0x1p-23,
                               [SCT_CF64] = 0x1p-52, [SCT_F16] = 0x1p-10, [SCT_BF16] = 0x1p-7};

/* A random integer; or a random real with as many bits as the type holds, so that a product tests
 * all of them. */
static double part(const struct source *source, uint64_t bits) {
    if (source->most > 0)
        return (double)((int64_t)(bits >> 32) % (2 * source->most + 1) - source->most);
    int kept = element_bits(source->type);
    return (double)(bits >> (64 - kept)) * steps[source->type] - 1;
}

struct number source_element(const struct source *source, int matrix, int64_t row, int64_t col) {
    uint64_t bits = hash(source, matrix, row, col);
    struct number number = {part(source, bits), 0};
    if (element_is_complex(source->type))
        number.im = part(source, mix(bits));
    return number;
}

int64_t source_draw(const struct source *source, int kind, int64_t index, int64_t limit) {
    return (int64_t)(hash(source, kind, index, -1) >> 1) % limit;
}

/* ---- Blocks ---- */

/* FEW_ELEMENTS: those that are set in the time that it takes to start some threads. */
enum { MOST_THREADS = 256, FEW_ELEMENTS = 1 << 15 };

struct fill {
    sct_type type;
    const sct_slice *bounds;
    const sct_block *block;
    block_fill_value *value;
    const void *context;
};

/* What one thread does: these lines, which are rows or columns by the order of the block. */
struct share {
    const struct fill *fill;
    int64_t from, to;
    pthread_t thread;
    bool started;
};

static void fill_line(const struct fill *fill, int64_t line) {
    const sct_block *block = fill->block;
    size_t bytes = sct_type_bytes(fill->type);
    bool by_rows = block->order == SCT_ROW_MAJOR;
    int64_t length = by_rows ? block->cols : block->rows;
    char *element = (char *)block->data + (size_t)(line * block->ld) * bytes;
    for (int64_t at = 0; at < length; at++, element += bytes) {
        int64_t row = fill->bounds->rows.lo + (by_rows ? line : at);
        int64_t col = fill->bounds->cols.lo + (by_rows ? at : line);
        element_store(fill->type, fill->value(fill->context, row, col), element);
    }
}

static void *fill_lines(void *context) {
    const struct share *share = context;
    for (int64_t line = share->from; line < share->to; line++)
        fill_line(share->fill, line);
    return NULL;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void block_fill(sct_type type, const sct_slice *bounds, const sct_block *block, int threads,
                block_fill_value *value, const void *context) {
    struct fill fill = {type, bounds, block, value, context};
    struct share shares[MOST_THREADS];
    int64_t lines = block->order == SCT_ROW_MAJOR ? block->rows : block->cols;
    int64_t count = smaller(smaller(threads, MOST_THREADS),
                            smaller(lines, 1 + block->rows * block->cols / FEW_ELEMENTS));
    for (int64_t i = 0; i < count; i++) {
        shares[i] =
            (struct share){.fill = &fill, .from = lines * i / count, .to = lines * (i + 1) / count};
        /* The first share is the caller's. */
        shares[i].started =
            i > 0 && pthread_create(&shares[i].thread, NULL, fill_lines, &shares[i]) == 0;
    }
    for (int64_t i = 0; i < count; i++)
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            fill_lines(&shares[i]);
}
