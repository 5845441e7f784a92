/* npy.h - headers of NumPy's .npy files that hold a matrix, or a stack of matrices. */
#ifndef CLI_FILES_NPY_H
#define CLI_FILES_NPY_H

#include "files/element_format.h"
#include "output/refuse.h"

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stddef.h>

struct npy_header {
    sct_type type; /* as which elements are read: f64 for integers */
    sct_order order;
    int64_t rows, cols;
    size_t offset; /* offset of the first element */
    struct element_format format;
    bool stacked;  /* three dimensions: one matrix after another, in C order */
    int64_t count; /* of these matrices */
};

/* The number of matrices in a file. */
int64_t npy_matrices(const struct npy_header *header);
/* The bytes of one matrix; fits, as npy_parse and npy_format check. */
size_t npy_matrix_bytes(const struct npy_header *header);

/* True if a file that begins with these bytes claims to be a .npy file. */
enum { NPY_MAGIC_BYTES = 6 };
bool npy_begins(const unsigned char *bytes, size_t length);

/* Large enough for every header that npy_format writes. */
#define NPY_HEADER_BYTES 128

/* Parses the header of a file of `size` bytes that begins with these `length` bytes, which may be
 * anything, and checks the size. On failure, `why` says why in one line, perhaps with a hint how to
 * convert the file called `name`. */
bool npy_parse(const unsigned char *bytes, size_t length, size_t size, const char *name,
               struct npy_header *header, char why[WHY_BYTES]);

/* The size of the header alone of a file that begins with these bytes, which may be anything. False
 * with the reason. */
bool npy_header_bytes(const unsigned char *bytes, size_t length, size_t *size, char why[WHY_BYTES]);

/* The size of the whole file that begins with these bytes, which may be anything. False with the
 * reason. */
bool npy_announces(const unsigned char *bytes, size_t length, const char *name, size_t *size,
                   char why[WHY_BYTES]);

/* Writes a header for elements as they are in memory, sets its `offset`, and returns the size of
 * the whole file; 0 if that overflows.
 */
size_t npy_format(struct npy_header *header, unsigned char bytes[NPY_HEADER_BYTES]);

#endif
