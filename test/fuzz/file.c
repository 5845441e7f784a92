/* file.c - command lines that read a fuzzer's input from a file in the current folder. */
#include "fuzz/fuzz.h"

#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME = 64, LINE = 200 };

/* FNV-1a: equal inputs get equal names. */
static uint64_t hash(fuzz_input file) {
    uint64_t value = 0xcbf29ce484222325u;
    for (size_t i = 0; i < file.left; i++)
        value = (value ^ file.at[i]) * 0x100000001b3u;
    return value;
}

static void write_file(const char *name, fuzz_input file) {
    FILE *out = fopen(name, "wb");
    if (!CHECK_CASE(out != NULL, "%s cannot be made", name))
        return;
    size_t written = fwrite(file.at, 1, file.left, out);
    CHECK_CASE(fclose(out) == 0 && written == file.left, "%s cannot be written", name);
}

void fuzz_file_line(fuzz_input file, const char *verb, const char *more) {
    char name[NAME], line[LINE];
    if (!check_prints_lines())
        return;
    snprintf(name, sizeof name, "%s-%016" PRIx64, verb, hash(file));
    snprintf(line, sizeof line, "sectile %s %s%s", verb, name, more);
    write_file(name, file);
    check_line(line);
}
