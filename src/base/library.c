/* library.c - see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

void *sct_library_open(const char *file) {
    static const char here = 0;
    char path[PATH_BYTES];
    Dl_info this;
    const char *end = dladdr(&here, &this) ? strrchr(this.dli_fname, '/') : NULL;
    int folder = end ? (int)(end - this.dli_fname) + 1 : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, end ? this.dli_fname : "", file);
    bool beside = length < (int)sizeof path && access(path, F_OK) == 0;
    return dlopen(beside ? path : file, RTLD_NOW | RTLD_LOCAL);
}
