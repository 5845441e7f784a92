/* market.c - fuzzes the text format of Matrix Market. Any bytes are read or are refused with a
 * one-line reason; what is read has a header that fits. An input is a whole file. */
#include "fuzz/fuzz.h"

#include "files/matrix_market.h"
#include "output/spool.h"
#include "support/check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file that was written is a .npy file with this header. */
static void check_written(int to, const struct npy_header *header) {
    unsigned char start[NPY_HEADER_BYTES];
    char why[WHY_BYTES] = "";
    struct npy_header again;
    off_t bytes = lseek(to, 0, SEEK_END);
    ssize_t length = spool_read(to, start, sizeof start, 0);
    CHECK(length > 0);
    CHECK_CASE(npy_parse(start, (size_t)length, (size_t)bytes, "again", &again, why), "%s", why);
    CHECK(again.rows == header->rows && again.cols == header->cols && again.type == header->type);
    CHECK(again.order == SCT_COL_MAJOR && again.offset == header->offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct npy_header header;
    char why[WHY_BYTES] = "";
    int fd = memfd_create("text", MFD_CLOEXEC), to = memfd_create("elements", MFD_CLOEXEC);
    if (CHECK(fd != -1 && to != -1 && spool_write(fd, bytes, length))) {
        if (matrix_market_read(fd, length, to, &header, why)) {
            if (matrix_market_begins(bytes, length))
                fuzz_file_line((fuzz_input){bytes, length}, "copy", " -o copied.npy");
            check_written(to, &header);
        } else {
            fuzz_check_refusal(why);
        }
    }
    close(fd);
    close(to);
    if (check_failures())
        abort();
    return 0;
}
