/* sparse_sums.h - sums by number, most of which are zero: they are cleared in the time that it took
 * to add to them. */
#ifndef SCT_ORDER_SPARSE_SUMS_H
#define SCT_ORDER_SPARSE_SUMS_H

#include <sectile/sectile.h>

typedef struct sct_sums {
    double *sum;     /* by number */
    int64_t *number; /* of those that are not zero */
    int64_t count;
    double most;
} sct_sums;

sct_status sct_sums_create(int64_t numbers, sct_sums *sums);
void sct_sums_clear(sct_sums *sums);
/* All are zero again. */
void sct_sums_reset(sct_sums *sums);
/* What is added is not negative. */
void sct_sums_add(sct_sums *sums, int64_t number, double more);

#endif
