/* gemm_pieces.c - splits a product: first along k, which costs least, then across the lines of C,
 * then along them. */
#include "exec/gemm_pieces.h"

#include "base/checked.h"

enum { LEAST_K = 256, LEAST_LINES = 256, LEAST_LENGTH = 512 };

double sct_gemm_pieces_limit(sct_type type) {
    double speed = sct_type_part(type) == SCT_F32 ? 2 : 1; /* relative to f64 */
    return 2e8 * speed / (sct_type_complex(type) ? 4 : 1);
}

static bool halve(int64_t *size, int64_t least) {
    if (*size <= least)
        return false;
    *size = sct_max(least, (*size + 1) / 2);
    return true;
}

sct_gemm_size sct_gemm_pieces_choose(const sct_gemm_work *gemm, double most) {
    sct_gemm_size size = {gemm->m, gemm->k, gemm->n};
    bool by_rows = gemm->order == SCT_ROW_MAJOR;
    int64_t *lines = by_rows ? &size.m : &size.n, *length = by_rows ? &size.n : &size.m;
    while ((double)size.m * (double)size.k * (double)size.n > most &&
           (halve(&size.k, LEAST_K) || halve(lines, LEAST_LINES) || halve(length, LEAST_LENGTH)))
        continue;
    return size;
}

sct_status sct_gemm_pieces_submit(const sct_device *device, sct_stream *stream,
                                  const sct_command *product, sct_gemm_size size,
                                  sct_fabric *fabric) {
    const sct_gemm_work *gemm = &product->gemm;
    sct_gemm_size from;
    sct_status status = SCT_OK;
    for (from.m = 0; from.m < gemm->m; from.m += size.m)
        for (from.n = 0; from.n < gemm->n; from.n += size.n)
            for (from.k = 0; from.k < gemm->k && !status; from.k += size.k) {
                sct_command command = *product;
                command.gemm = sct_gemm_part(product->type, gemm, from, size);
                status = device->ops->submit(stream, &command);
                fabric->ops->progress(fabric);
            }
    return status;
}
