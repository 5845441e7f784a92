/* gemm_pieces.h - splits a product into pieces, between which the rank serves others.
 *
 * Without a service thread, a rank that is busy with one long product delays all ranks that need
 * its data. */
#ifndef SCT_EXEC_GEMM_PIECES_H
#define SCT_EXEC_GEMM_PIECES_H

#include "device/device.h"
#include "fabric/fabric.h"

/* Chooses pieces of at most so many multiplications, unless they would be too small for the BLAS.
 */
sct_gemm_size sct_gemm_pieces_choose(const sct_gemm_work *gemm, double most);
/* The number of multiplications of some milliseconds. */
double sct_gemm_pieces_limit(sct_type type);

/* Submits the pieces, and has the fabric make progress after each. */
sct_status sct_gemm_pieces_submit(const sct_device *device, sct_stream *stream,
                                  const sct_command *product, sct_gemm_size size,
                                  sct_fabric *fabric);

#endif
