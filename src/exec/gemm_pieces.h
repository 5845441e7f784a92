/* gemm_pieces.h - a product in portions, between which a rank answers others.
 *
 * Where nobody else answers for it, a rank that is busy with one long product keeps all those
 * waiting that need what it has. */
#ifndef SCT_EXEC_GEMM_PIECES_H
#define SCT_EXEC_GEMM_PIECES_H

#include "device/device.h"

/* Portions of a product, as far as they cost a BLAS little: sizes of m, k and n. */
typedef struct sct_portion {
    int64_t m, k, n;
} sct_portion;

/* The portions take at most so many multiplications, unless they would be too small. */
sct_portion sct_portion_choose(const sct_gemm_work *gemm, double most);
/* As many multiplications as take some milliseconds. */
double sct_portion_most(sct_type type);

/* Called between portions. */
typedef struct sct_interlude {
    void (*play)(void *context);
    void *context;
} sct_interlude;

sct_status sct_portion_submit(const sct_device *device, sct_stream *stream,
                              const sct_command *product, sct_portion size,
                              const sct_interlude *interlude);

#endif
