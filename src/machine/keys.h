/* keys.h - the keys of a machine description: one table says what each may hold, where it is
 * stored, and its default. Reading and printing follow it. */
#ifndef SCT_MACHINE_KEYS_H
#define SCT_MACHINE_KEYS_H

#include "machine/machine.h"

typedef enum sct_key_kind {
    /* Numbers, each kind with its default. */
    SCT_KEY_RATE,     /* infinite */
    SCT_KEY_PEAK,     /* unknown */
    SCT_KEY_AMOUNT,   /* 0 */
    SCT_KEY_SHARE,    /* 1 */
    SCT_KEY_PART,     /* 0 */
    SCT_KEY_COUNT,    /* int64_t; 0 */
    SCT_KEY_ELEMENTS, /* that of machine.h */
    SCT_KEY_BYTES,    /* that of machine.h */
    SCT_KEY_NUMBERS,

    SCT_KEY_TRUTH = SCT_KEY_NUMBERS, /* bool; default false */
    SCT_KEY_NAME,                    /* char[SCT_MACHINE_NAME] */
    SCT_KEY_LINE,                    /* char *, allocated */
    SCT_KEY_LINES,                   /* char *, allocated: a list of lines, each ended by '\n' */
    SCT_KEY_OBJECT,                  /* an object with keys of its own, stored in the same struct */
    SCT_KEY_LINKS                    /* list of objects, one per level */
} sct_key_kind;

typedef struct sct_key {
    const char *name; /* NULL: end of the table */
    sct_key_kind kind;
    size_t offset;
    const struct sct_key *inside; /* keys of the object, or of each object in a list */
    bool needed;
} sct_key;

/* The allowed range of a number. */
typedef struct sct_key_range {
    double low, high;
    bool above_low, below_high; /* the bound is excluded */
    double absent;
    const char *words;
} sct_key_range;

extern const sct_key sct_machine_keys[];
const sct_key_range *sct_key_range_of(const sct_key *key);

/* Reads, and writes, a number of any kind in the struct at `base`. */
double sct_key_number(const sct_key *key, const void *base);
void sct_key_set_number(const sct_key *key, double number, void *base);

/* The address of a value that is no number. */
void *sct_key_place(const sct_key *key, const void *base);

#endif
