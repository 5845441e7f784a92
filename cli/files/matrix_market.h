/* matrix_market.h - reads dense matrices in the text format of Matrix Market. */
#ifndef CLI_FILES_MATRIX_MARKET_H
#define CLI_FILES_MATRIX_MARKET_H

#include "files/npy.h"

/* True if a file that begins with these bytes claims to be in this format. */
bool matrix_market_begins(const unsigned char *bytes, size_t length);

/* Reads the header of a file of `size` bytes, which may have any content, into `header`. If only
 * the first `start` bytes have been read, the header must end within these; SIZE_MAX: the file has
 * been read whole. False with the reason. */
bool matrix_market_peek(int fd, size_t size, size_t start, struct npy_header *header,
                        char why[WHY_BYTES]);

/* More than the numbers of such a matrix need in a text, with what separates them. */
size_t matrix_market_most_bytes(const struct npy_header *header);

/* Writes the matrix in a file of `size` bytes, which may be anything, to the empty file `to`, as
 * f64 or cf64 in Fortran order; `header` says where. False with the reason. */
bool matrix_market_read(int fd, size_t size, int to, struct npy_header *header,
                        char why[WHY_BYTES]);

#endif
