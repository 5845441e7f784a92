/* archive.c - fuzzes .npz archives. Any bytes are an archive or are refused with a one-line reason;
 * of an archive, each member that is called for is unpacked, or is refused. An input is a whole
 * file, which begins with the name of a member and a line end. */
#include "fuzz/fuzz.h"

#include "files/zip.h"
#include "output/spool.h"
#include "support/check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void unpack(int fd, size_t size, const struct zip_member *member) {
    char why[WHY_BYTES] = "";
    CHECK(member->at <= size && member->stored <= size - member->at);
    CHECK(member->packed || member->stored == member->bytes);
    char start[100];
    size_t begun;
    if (zip_peek(fd, member, start, sizeof start, &begun, why))
        CHECK(begun == (member->bytes < sizeof start ? member->bytes : sizeof start));
    else
        fuzz_check_refusal(why);
    int to = memfd_create("unpacked", MFD_CLOEXEC);
    if (!CHECK(to != -1))
        return;
    if (member->packed ? zip_unpack(fd, member, to, NULL, NULL, why)
                       : zip_check(fd, member, NULL, NULL, why))
        CHECK(!member->packed || lseek(to, 0, SEEK_END) == (off_t)member->bytes);
    else
        fuzz_check_refusal(why);
    close(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct zip_member member;
    char name[64], why[WHY_BYTES] = "";
    fuzz_input input = {bytes, length};
    fuzz_line(&input, name, sizeof name);
    /* The user's word is repeated as it is. */
    for (char *at = name; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '_';
    int fd = memfd_create("archive", MFD_CLOEXEC);
    if (CHECK(fd != -1 && spool_write(fd, input.at, input.left))) {
        if (zip_find(fd, input.left, name, &member, why))
            unpack(fd, input.left, &member);
        else
            fuzz_check_refusal(why);
    }
    close(fd);
    if (check_failures())
        abort();
    return 0;
}
