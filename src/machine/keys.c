/* keys.c - the table of keys of a machine description; docs/machines.md explains them. */
#include "machine/keys.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>

static const sct_key peaks[] = {
    {"f32", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_F32]), NULL, false},
    {"f64", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_F64]), NULL, false},
    {"cf32", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_CF32]), NULL, false},
    {"cf64", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_CF64]), NULL, false},
    {"f16", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_F16]), NULL, false},
    {"bf16", SCT_KEY_PEAK, offsetof(struct sct_machine, peak[SCT_BF16]), NULL, false},
    {.name = NULL},
};

static const sct_key halves[] = {
    {"m", SCT_KEY_AMOUNT, offsetof(struct sct_machine, half[SCT_DIM_M]), NULL, false},
    {"n", SCT_KEY_AMOUNT, offsetof(struct sct_machine, half[SCT_DIM_N]), NULL, false},
    {"k", SCT_KEY_AMOUNT, offsetof(struct sct_machine, half[SCT_DIM_K]), NULL, false},
    {.name = NULL},
};

static const sct_key in_flight[] = {
    {"gets", SCT_KEY_COUNT, offsetof(struct sct_machine, gets), NULL, false},
    {"accumulates", SCT_KEY_COUNT, offsetof(struct sct_machine, accumulates), NULL, false},
    {"products", SCT_KEY_COUNT, offsetof(struct sct_machine, products), NULL, false},
    {.name = NULL},
};

static const sct_key links[] = {
    {"ranks", SCT_KEY_COUNT, offsetof(sct_level, ranks), NULL, false},
    {"pair", SCT_KEY_RATE, offsetof(sct_level, pair), NULL, false},
    {"port", SCT_KEY_RATE, offsetof(sct_level, port), NULL, false},
    {"uplink", SCT_KEY_RATE, offsetof(sct_level, uplink), NULL, false},
    {"total", SCT_KEY_RATE, offsetof(sct_level, total), NULL, false},
    {"latency", SCT_KEY_AMOUNT, offsetof(sct_level, latency), NULL, false},
    {"accumulate", SCT_KEY_SHARE, offsetof(sct_level, accumulate), NULL, false},
    {"processor", SCT_KEY_AMOUNT, offsetof(sct_level, processor), NULL, false},
    {"in_place", SCT_KEY_TRUTH, offsetof(sct_level, in_place), NULL, false},
    {"by_rank", SCT_KEY_TRUTH, offsetof(sct_level, by_rank), NULL, false},
    {.name = NULL},
};

const sct_key sct_machine_keys[] = {
    {"name", SCT_KEY_NAME, offsetof(struct sct_machine, name), NULL, true},
    {"about", SCT_KEY_LINE, offsetof(struct sct_machine, about), NULL, false},
    {"notes", SCT_KEY_LINES, offsetof(struct sct_machine, notes), NULL, false},
    {"ranks", SCT_KEY_COUNT, offsetof(struct sct_machine, ranks), NULL, false},
    {"peak", SCT_KEY_OBJECT, 0, peaks, true},
    {"top", SCT_KEY_SHARE, offsetof(struct sct_machine, top), NULL, false},
    {"half", SCT_KEY_OBJECT, 0, halves, false},
    {"capacity", SCT_KEY_RATE, offsetof(struct sct_machine, capacity), NULL, false},
    {"memory", SCT_KEY_RATE, offsetof(struct sct_machine, memory), NULL, false},
    {"panel", SCT_KEY_ELEMENTS, offsetof(struct sct_machine, panel), NULL, false},
    {"product", SCT_KEY_AMOUNT, offsetof(struct sct_machine, product), NULL, false},
    {"barrier", SCT_KEY_AMOUNT, offsetof(struct sct_machine, barrier), NULL, false},
    {"slowed", SCT_KEY_PART, offsetof(struct sct_machine, slowed), NULL, false},
    {"ahead", SCT_KEY_BYTES, offsetof(struct sct_machine, ahead), NULL, false},
    {"in_flight", SCT_KEY_OBJECT, 0, in_flight, false},
    {"links", SCT_KEY_LINKS, offsetof(struct sct_machine, level), links, true},
    {.name = NULL},
};

const sct_key_range *sct_key_range_of(const sct_key *key) {
    static const char rate[] = "a number above 0", amount[] = "a number of 0 or more";
    static const sct_key_range ranges[SCT_KEY_NUMBERS] = {
        [SCT_KEY_RATE] = {0, DBL_MAX, true, false, INFINITY, rate},
        [SCT_KEY_PEAK] = {0, DBL_MAX, true, false, 0, rate},
        [SCT_KEY_AMOUNT] = {0, DBL_MAX, false, false, 0, amount},
        [SCT_KEY_SHARE] = {0, 1, true, false, 1, "a number above 0 and up to 1"},
        [SCT_KEY_PART] = {0, 1, false, true, 0, "a number from 0 to below 1"},
        [SCT_KEY_COUNT] = {0, INT_MAX, false, false, 0, "a whole number from 0 to 2147483647"},
        [SCT_KEY_ELEMENTS] = {0, DBL_MAX, true, false, SCT_MACHINE_PANEL, rate},
        [SCT_KEY_BYTES] = {0, DBL_MAX, true, false, SCT_MACHINE_AHEAD, rate},
    };
    return &ranges[key->kind];
}

void *sct_key_place(const sct_key *key, const void *base) {
    return (char *)base + key->offset;
}

double sct_key_number(const sct_key *key, const void *base) {
    const void *at = sct_key_place(key, base);
    return key->kind == SCT_KEY_COUNT ? (double)*(const int64_t *)at : *(const double *)at;
}

void sct_key_set_number(const sct_key *key, double number, void *base) {
    void *at = sct_key_place(key, base);
    if (key->kind == SCT_KEY_COUNT)
        *(int64_t *)at = (int64_t)number;
    else
        *(double *)at = number;
}
