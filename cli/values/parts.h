/* parts.h - cuts a product into parts whose matrices fit into a limited memory.
 *
 * The parts of C are computed one after another, column of parts by column, each as a sum over the
 * parts of k. A part of A or B that is needed again at once is kept, otherwise it is read again. */
#ifndef CLI_VALUES_PARTS_H
#define CLI_VALUES_PARTS_H

#include <stdbool.h>
#include <stdint.h>

enum { DIMENSIONS = 3 }; /* m, n and k */

struct parts {
    int64_t all[DIMENSIONS];   /* indices of each dimension */
    int64_t size[DIMENSIONS];  /* indices of a part; the last one may have fewer */
    int64_t count[DIMENSIONS]; /* parts of each dimension; at least 1 */
};

/* One part of the product. */
struct part {
    int64_t at[DIMENSIONS];
};

/* The whole as one part. */
struct parts parts_whole(int64_t m, int64_t n, int64_t k);

/* Finds the parts for which the fewest bytes are read, and of these the fewest. `bytes` are those
 * of the whole A, B and C; k is only cut if `cuts_k`. False if there are none that small. */
bool parts_choose(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit, bool cuts_k,
                  struct parts *parts);

/* The bytes of the largest part of A, B and C together. */
double parts_bytes(const struct parts *parts, const double bytes[3]);

/* The number of parts of the product, and one of them in order. */
int64_t parts_count(const struct parts *parts);
struct part parts_get(const struct parts *parts, int64_t number);

/* Where a part begins and ends in a dimension. */
int64_t parts_begin(const struct parts *parts, const struct part *part, int dimension);
int64_t parts_end(const struct parts *parts, const struct part *part, int dimension);

#endif
