/* npy.c - fuzzes headers of .npy files. Any bytes are parsed or refused with a one-line reason; a
 * parsed header is written and parsed again. An input is a whole file. */
#include "fuzz/fuzz.h"

#include "files/npy.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

/* The written file has as many elements as the input, so it is not much longer. */
static void check_again(const struct npy_header *header) {
    struct npy_header written = *header, again;
    unsigned char start[NPY_HEADER_BYTES];
    char why[WHY_BYTES] = "";
    size_t bytes = npy_format(&written, start);
    CHECK(written.offset <= sizeof start && bytes >= written.offset);
    unsigned char *file = calloc(bytes, 1);
    if (!file)
        return;
    memcpy(file, start, written.offset);
    bool read = npy_parse(file, bytes, bytes, "again.npy", &again, why);
    CHECK_CASE(read && again.type == header->type && again.order == header->order &&
                   again.rows == header->rows && again.cols == header->cols &&
                   npy_matrices(&again) == npy_matrices(header) && again.offset == written.offset,
               "%s: %lld x %lld: %s", (const char *)start + 10, (long long)header->rows,
               (long long)header->cols, why);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct npy_header header;
    char why[WHY_BYTES] = "";
    if (npy_parse(bytes, length, length, "input.npy", &header, why)) {
        fuzz_file_line((fuzz_input){bytes, length}, "copy", " --type cf32 -o copied.npy");
        check_again(&header);
    } else {
        fuzz_check_refusal(why);
    }
    if (check_failures())
        abort();
    return 0;
}
