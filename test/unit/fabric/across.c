/* across.c - lines of a process's memory are read, and added to, whatever lies between them. What
 * is near enough to short ones is read in vain; memory between them that nobody may read is not
 * touched. Lines that nobody may read are refused, also if they take several calls. */
#include "fabric/processes/cma.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SHORT = 1024, FEW = 2, MANY = 3000 };

static sct_cma *across;

/* Lines of the process's own memory, and where they go. */
typedef struct lines {
    char *from;
    size_t pitch, width;
    int64_t count;
} lines;

static bool is_read(lines l, char *to) {
    const sct_transfer copy = {.from = l.from,
                               .from_pitch = l.pitch,
                               .to = to,
                               .to_pitch = l.width,
                               .lines = l.count,
                               .width = l.width};
    return sct_cma_get(across, getpid(), &copy) == SCT_OK && sct_cma_finish(across) == SCT_OK;
}

static char byte_of(int64_t line, size_t at) {
    return (char)(7 * line + 3 * (int64_t)at + 1);
}

static void check_read(lines l) {
    char *to = calloc((size_t)l.count, l.width);
    int64_t wrong = 0;
    for (int64_t line = 0; line < l.count; line++)
        for (size_t at = 0; at < l.width; at++)
            l.from[(size_t)line * l.pitch + at] = byte_of(line, at);
    CHECK_CASE(is_read(l, to), "%zu bytes, %zu apart, are not read", l.width, l.pitch);
    for (int64_t line = 0; line < l.count; line++)
        for (size_t at = 0; at < l.width; at++)
            wrong += to[(size_t)line * l.width + at] != byte_of(line, at);
    CHECK_CASE(wrong == 0, "%zu bytes, %zu apart: %lld are wrong", l.width, l.pitch,
               (long long)wrong);
    free(to);
}

/* Calls that write memory of a process: the library finds this function before that of the system.
 */
static int writes;

ssize_t process_vm_writev(pid_t process, const struct iovec *here, unsigned long heres,
                          const struct iovec *there, unsigned long theres, unsigned long flags) {
    writes++;
    return syscall(SYS_process_vm_writev, process, here, heres, there, theres, flags);
}

/* Adds ones to each element of lines, which come as several pieces side by side, and leaves alone
 * what lies between the lines. Returns the calls that write. */
static int check_added(size_t width, size_t pitch, int64_t count, size_t pieces) {
    size_t per_line = width / sizeof(double), between = pitch / sizeof(double);
    double *to = malloc((size_t)count * pitch), *ones = malloc((size_t)count * width);
    sct_bands bands = {{0}};
    int64_t wrong = 0;
    for (size_t i = 0; i < (size_t)count * between; i++)
        to[i] = (double)i;
    for (size_t i = 0; i < (size_t)count * per_line; i++)
        ones[i] = 1 + (double)(i % per_line);
    writes = 0;
    for (size_t i = 0; i < pieces; i++) {
        size_t lo = per_line * i / pieces, hi = per_line * (i + 1) / pieces;
        const sct_transfer sum = {.from = (char *)(ones + lo),
                                  .from_pitch = width,
                                  .to = (char *)(to + lo),
                                  .to_pitch = pitch,
                                  .lines = count,
                                  .width = (hi - lo) * sizeof(double),
                                  .bands = &bands,
                                  .type = SCT_F64,
                                  .block_lines = count};
        CHECK(sct_cma_add(across, getpid(), &sum) == SCT_OK);
    }
    CHECK(sct_cma_finish(across) == SCT_OK);
    for (size_t i = 0; i < (size_t)count * between; i++) {
        size_t at = i % between;
        wrong += to[i] != (double)(i + (at < per_line ? 1 + at : 0));
    }
    CHECK_CASE(wrong == 0, "%zu bytes, %zu apart, %zu pieces: %lld are wrong", width, pitch, pieces,
               (long long)wrong);
    free(to);
    free(ones);
    return writes;
}

static void check_refused(lines l) {
    char *to = malloc((size_t)l.count * l.width);
    CHECK_CASE(!is_read(l, to), "%zu bytes, %zu apart, are read", l.width, l.pitch);
    free(across);
    CHECK(sct_cma_create(&across) == SCT_OK);
    free(to);
}

static char *map(size_t bytes, int access) {
    char *memory = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return CHECK(memory != MAP_FAILED) ? memory : NULL;
}

int main(void) {
    static const size_t widths[] = {100, SHORT, SHORT + 1, 4096};
    static const size_t gaps[] = {0, 1, 2048, 2049};
    size_t page = (size_t)sysconf(_SC_PAGESIZE), large = (size_t)MANY * 2 * page;
    CHECK(sct_cma_create(&across) == SCT_OK);
    char *memory = map(large, PROT_READ | PROT_WRITE);
    for (size_t w = 0; w < sizeof widths / sizeof *widths && memory; w++)
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
            check_read((lines){memory, widths[w] + gaps[g], widths[w], FEW});
            check_read((lines){memory, widths[w] + gaps[g], widths[w], MANY});
        }
    check_added(96, 96, MANY, 1);
    check_added(96, 136, MANY, 5);
    check_added(1 << 19, (1 << 19) + 8, FEW, 1);
    check_added(1 << 19, (1 << 19) + 8, FEW, 100);
    int whole = check_added(SHORT, SHORT, MANY, 1), in_pieces = check_added(SHORT, SHORT, MANY, 8);
    CHECK_CASE(in_pieces == whole, "%d calls write what %d could", in_pieces, whole);
    if (memory && CHECK(mprotect(memory + page, page, PROT_NONE) == 0))
        check_read((lines){memory + page - 100, page + 100, 100, FEW});
    if (memory && CHECK(mprotect(memory, large, PROT_NONE) == 0)) {
        check_refused((lines){memory, 101, 100, MANY});
        check_refused((lines){memory, page, 100, MANY});
        check_refused((lines){memory, page, 2000, MANY});
    }
    free(across);
    return check_report("across");
}
