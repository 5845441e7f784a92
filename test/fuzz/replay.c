/* replay.c - the main of a fuzzer without libFuzzer: runs it on each file named, and on each file
 * in each folder named. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_PATH = 4096 };

static bool fail(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    return false;
}

/* The buffer is exactly as large as the file, so that sanitizers and valgrind see reads beyond its
 * end. */
static bool read_file(FILE *file, size_t length, uint8_t *bytes) {
    return bytes && fread(bytes, 1, length, file) == length;
}

static bool replay_file(const char *path, size_t length) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(path, "cannot be opened");
    uint8_t *bytes = malloc(length + (length == 0));
    bool read = read_file(file, length, bytes);
    fclose(file);
    if (read)
        LLVMFuzzerTestOneInput(bytes, length);
    free(bytes);
    return read || fail(path, "cannot be read");
}

static bool replay(const char *path, long *files);

static bool replay_folder(const char *path, long *files) {
    DIR *folder = opendir(path);
    if (!folder)
        return fail(path, "cannot be opened");
    bool done = true;
    for (const struct dirent *entry; done && (entry = readdir(folder));) {
        char inside[MOST_PATH];
        int length = snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            done = length < MOST_PATH ? replay(inside, files) : fail(path, "is too long");
    }
    closedir(folder);
    return done;
}

static bool replay(const char *path, long *files) {
    struct stat about;
    if (stat(path, &about) != 0)
        return fail(path, "is not there");
    if (S_ISDIR(about.st_mode))
        return replay_folder(path, files);
    ++*files;
    return replay_file(path, (size_t)about.st_size);
}

int main(int count, char **arguments) {
    long files = 0;
    for (int i = 1; i < count; i++)
        if (!replay(arguments[i], &files))
            return 1;
    fprintf(stderr, "%ld inputs\n", files);
    return files == 0;
}
