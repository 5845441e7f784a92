/* wisdom.h - which work layout was the fastest when it was measured, by product, and how fast ranks
 * and links were; and its text.
 *
 * The text begins with a line that names its version. The next line has the rates, if they are
 * known. Each other line is an entry: what stays, the work layout, and the key of the product. */
#ifndef SCT_PLANNER_WISDOM_H
#define SCT_PLANNER_WISDOM_H

#include "planner/rates.h"

#include <stdbool.h>

/* `stay` and `work` are those of sct_options, for plans of such products. */
typedef struct sct_wisdom_entry {
    struct sct_wisdom_entry *next;
    char *key;
    sct_stay stay;
    const sct_layout *work; /* NULL: that of the stationary matrix */
} sct_wisdom_entry;

typedef struct sct_wisdom {
    sct_wisdom_entry *first;
    sct_rates rates;
} sct_wisdom;

/* True if options leave open who computes what, and whose choice may change the bits of C. */
bool sct_wisdom_matters(const sct_options *options);

/* Makes an entry with the key of a product, whose `stay` and `work` are to be set. The key is the
 * same on all ranks. The options have the size of this version, or are NULL. */
sct_status sct_wisdom_entry_create(const sct_problem *problem, const sct_options *options,
                                   sct_wisdom_entry **entry);
void sct_wisdom_entry_destroy(sct_wisdom_entry *entry);

/* The entry with a key; NULL: none. */
const sct_wisdom_entry *sct_wisdom_find(const sct_wisdom *wisdom, const char *key);
/* Moves all entries but those whose keys are there already, which are destroyed; and adds the
 * rates. */
void sct_wisdom_move(sct_wisdom *from, sct_wisdom *to);
void sct_wisdom_clear(sct_wisdom *wisdom);

/* Reads a text into wisdom, which is empty if this fails. */
sct_status sct_wisdom_parse(const char *text, sct_wisdom *wisdom);
/* As sct_layout_print. */
size_t sct_wisdom_print(const sct_wisdom *wisdom, char *text, size_t bytes);

#endif
