/* keys.h - the keys of a file that describes a machine: one table, which says what may
 * stand there, where it goes and what holds if it is not there. Reading and printing walk through
 * it. */
#ifndef SCT_MACHINE_KEYS_H
#define SCT_MACHINE_KEYS_H

#include "machine/machine.h"

typedef enum sct_key_kind {
    /* Numbers; absent they are infinite, not known, 0, 1, 0, 0, 0. */
    SCT_KEY_RATE,
    SCT_KEY_PEAK,
    SCT_KEY_AMOUNT,
    SCT_KEY_SHARE,
    SCT_KEY_PART,
    SCT_KEY_COUNT, /* int */
    SCT_KEY_RANKS, /* int64_t */
    SCT_KEY_NUMBERS,

    SCT_KEY_TRUTH = SCT_KEY_NUMBERS, /* bool; false */
    SCT_KEY_NAME,                    /* char[SCT_MACHINE_NAME] */
    SCT_KEY_LINE,                    /* char *, allocated */
    SCT_KEY_LINES,                   /* char *, allocated: a list of lines, each ended by '\n' */
    SCT_KEY_OBJECT,                  /* keys of their own, of the same struct */
    SCT_KEY_LINKS                    /* a list of objects, one for each level */
} sct_key_kind;

typedef struct sct_key {
    const char *name; /* NULL: behind the last */
    sct_key_kind kind;
    size_t offset;
    const struct sct_key *inside; /* of an object, or of each in a list */
    bool needed;
} sct_key;

/* Of numbers: which are allowed. */
typedef struct sct_key_range {
    double low, high;
    bool above_low, below_high; /* the bound itself is not allowed */
    bool whole;
    double absent;
    const char *words;
} sct_key_range;

extern const sct_key sct_machine_keys[];
const sct_key_range *sct_key_range_of(const sct_key *key);

/* A number of any kind, in the struct at `base` that the key is of. */
double sct_key_number(const sct_key *key, const void *base);
void sct_key_set_number(const sct_key *key, double number, void *base);

/* What else a key stands for. */
void *sct_key_place(const sct_key *key, const void *base);

#endif
