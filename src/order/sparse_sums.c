/* sparse_sums.c - sums that remember which entries are not zero. */
#include "order/sparse_sums.h"
#include "base/checked.h"

#include "base/status.h"

#include <stdlib.h>

sct_status sct_sparse_sums_create(int64_t numbers, sct_sparse_sums *sums) {
    size_t room = (size_t)numbers + 1;
    *sums = (sct_sparse_sums){.sum = calloc(room, sizeof *sums->sum),
                              .number = calloc(room, sizeof *sums->number)};
    if (sums->sum && sums->number)
        return SCT_OK;
    sct_sparse_sums_clear(sums);
    return sct_fail(SCT_NO_MEMORY, "no memory for %lld sums", (long long)numbers);
}

void sct_sparse_sums_clear(sct_sparse_sums *sums) {
    free(sums->sum);
    free(sums->number);
    *sums = (sct_sparse_sums){.count = 0};
}

void sct_sparse_sums_reset(sct_sparse_sums *sums) {
    for (int64_t i = 0; i < sums->count; i++)
        sums->sum[sums->number[i]] = 0;
    sums->count = 0;
    sums->most = 0;
}

void sct_sparse_sums_add(sct_sparse_sums *sums, int64_t number, double more) {
    if (more != 0 && sums->sum[number] == 0)
        sums->number[sums->count++] = number;
    sums->sum[number] += more;
    sums->most = sct_larger(sums->most, sums->sum[number]);
}
