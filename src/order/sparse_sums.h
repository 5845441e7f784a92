/* sparse_sums.h - many numbered sums, most of them zero. Setting all to zero takes no longer than
 * the additions did. */
#ifndef SCT_ORDER_SPARSE_SUMS_H
#define SCT_ORDER_SPARSE_SUMS_H

#include <sectile/sectile.h>

typedef struct sct_sparse_sums {
    double *sum;     /* by number */
    int64_t *number; /* numbers of the sums that are not zero */
    int64_t count;
    double most; /* the greatest sum */
} sct_sparse_sums;

sct_status sct_sparse_sums_create(int64_t numbers, sct_sparse_sums *sums);
void sct_sparse_sums_clear(sct_sparse_sums *sums);
/* Sets all sums to zero. */
void sct_sparse_sums_reset(sct_sparse_sums *sums);
/* `more` must not be negative. */
void sct_sparse_sums_add(sct_sparse_sums *sums, int64_t number, double more);

#endif
