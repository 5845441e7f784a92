/* pieces.h - cuts a product into pieces whose matrices fit into a limited memory.
 *
 * The pieces of C are computed one after another, column of pieces by column, each as a sum over
 * the pieces of k. A piece of A or B that is needed again at once is kept, otherwise it is read
 * again. */
#ifndef CLI_VALUES_PIECES_H
#define CLI_VALUES_PIECES_H

#include <stdbool.h>
#include <stdint.h>

enum { DIMENSIONS = 3 }; /* m, n and k */

struct pieces {
    int64_t all[DIMENSIONS];   /* indices of each dimension */
    int64_t size[DIMENSIONS];  /* indices of a piece; the last one may have fewer */
    int64_t count[DIMENSIONS]; /* pieces of each dimension; at least 1 */
};

/* One piece of the product. */
struct piece {
    int64_t at[DIMENSIONS];
};

/* The whole as one piece. */
struct pieces pieces_whole(int64_t m, int64_t n, int64_t k);

/* Finds the pieces for which the fewest bytes are read, and of these the fewest. `bytes` are those
 * of the whole A, B and C; k is only cut if `cuts_k`. False if there are none that small, or they
 * would be too many. */
bool pieces_choose(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit,
                   bool cuts_k, struct pieces *pieces);
/* The least limit, to 2 %, but at least the given one, for which there are pieces that are worth
 * their time. */
double pieces_least(int64_t m, int64_t n, int64_t k, const double bytes[3], double limit,
                    bool cuts_k);

/* The bytes of the largest piece of A, B and C together. */
double pieces_bytes(const struct pieces *pieces, const double bytes[3]);

/* The number of pieces of the product, and one of them in order. */
int64_t pieces_count(const struct pieces *pieces);
struct piece pieces_get(const struct pieces *pieces, int64_t number);

/* Where a piece begins and ends in a dimension. */
int64_t pieces_begin(const struct pieces *pieces, const struct piece *piece, int dimension);
int64_t pieces_end(const struct pieces *pieces, const struct piece *piece, int dimension);

#endif
