/* across.c - lines of a process's memory are read whatever lies between them. What is near enough
 * is read in vain; memory between them that nobody may read is not touched. Lines that nobody may
 * read are refused, also if they take several calls. */
#include "fabric/processes/across.h"
#include "support/check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 100, LINES = 2, MANY = 1200 };

static void mark(char *line, char first) {
    for (int i = 0; i < WIDTH; i++)
        line[i] = (char)(first + i);
}

/* Reads two lines, `pitch` bytes apart, of which the first is at `from`. */
static void check_read(char *from, size_t pitch) {
    char to[LINES][WIDTH], expected[LINES][WIDTH];
    for (int line = 0; line < LINES; line++) {
        mark(from + (size_t)line * pitch, (char)(3 * line));
        mark(expected[line], (char)(3 * line));
    }
    const sct_transfer copy = {.from = from,
                               .from_pitch = pitch,
                               .to = to[0],
                               .to_pitch = WIDTH,
                               .lines = LINES,
                               .width = WIDTH};
    memset(to, 0, sizeof to);
    CHECK_CASE(sct_across_read(getpid(), &copy), "lines %zu bytes apart are not read", pitch);
    CHECK_CASE(memcmp(to, expected, sizeof to) == 0, "lines %zu bytes apart are read wrongly",
               pitch);
}

/* Reads many lines of memory that cannot be read. */
static void check_refused(const char *from, size_t pitch) {
    static char to[MANY][WIDTH];
    const sct_transfer copy = {.from = from,
                               .from_pitch = pitch,
                               .to = to[0],
                               .to_pitch = WIDTH,
                               .lines = MANY,
                               .width = WIDTH};
    CHECK_CASE(!sct_across_read(getpid(), &copy), "lines %zu bytes apart are read", pitch);
}

int main(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(memory != MAP_FAILED))
        return check_report("across");
    check_read(memory, WIDTH);
    check_read(memory, WIDTH + 1);
    check_read(memory, WIDTH + 2048);
    check_read(memory, WIDTH + 2049);
    CHECK(mprotect(memory + page, page, PROT_NONE) == 0);
    check_read(memory + page - WIDTH, page + WIDTH);
    munmap(memory, 3 * page);
    size_t large = (size_t)MANY * page;
    memory = mmap(NULL, large, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(memory != MAP_FAILED))
        return check_report("across");
    check_refused(memory, WIDTH + 1);
    check_refused(memory, page);
    munmap(memory, large);
    return check_report("across");
}
