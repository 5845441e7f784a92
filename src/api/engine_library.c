/* engine_library.c - engines in libraries of their own, which are loaded when a world asks for
 * them.
 */
#include "api/engine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 16, PATH_BYTES = 4096 };

static bool is_name(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    return length > 0 && length < NAME_BYTES && !name[length];
}

/* Opens a library that lies beside this one, or else where the system looks for libraries. It stays
 * loaded. */
static void *open_library(const char *file) {
    char path[PATH_BYTES];
    Dl_info here;
    const char *end = dladdr(&sct_engine_threads, &here) ? strrchr(here.dli_fname, '/') : NULL;
    int folder = end ? (int)(end - here.dli_fname) + 1 : 0;
    int length = snprintf(path, sizeof path, "%.*s%s", folder, end ? here.dli_fname : "", file);
    void *library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return library ? library : dlopen(file, RTLD_NOW | RTLD_LOCAL);
}

const sct_engine *sct_engine_load(const char *name) {
    char symbol[NAME_BYTES + 16], file[NAME_BYTES + 32];
    if (!is_name(name))
        return NULL;
    snprintf(symbol, sizeof symbol, "sct_engine_%s", name);
    snprintf(file, sizeof file, "libsectile_%s.so.%d", name, SCT_VERSION_MAJOR);
    const sct_engine *engine = dlsym(RTLD_DEFAULT, symbol);
    if (engine)
        return engine;
    void *library = open_library(file);
    return library ? dlsym(library, symbol) : NULL;
}
