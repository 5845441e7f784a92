/* engine_library.c - engines in libraries of their own, which are loaded when a world asks for
 * them.
 */
#include "api/engine.h"

#include "base/library.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 16 };

static bool is_name(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    return length > 0 && length < NAME_BYTES && !name[length];
}

static void *open_engine(const char *name) {
    char file[NAME_BYTES + 32];
    snprintf(file, sizeof file, "libsectile_%s.so." SECTILE_SOVERSION, name);
    return sct_library_open(file);
}

const sct_engine *sct_engine_load(const char *name) {
    char symbol[NAME_BYTES + 16];
    if (!is_name(name))
        return NULL;
    snprintf(symbol, sizeof symbol, "sct_engine_%s", name);
    const sct_engine *engine = dlsym(RTLD_DEFAULT, symbol);
    if (engine)
        return engine;
    void *library = open_engine(name);
    return library ? dlsym(library, symbol) : NULL;
}

/* Whether an engine is in a library that is loaded by its name. */
static bool has_library(const char *name) {
    return !strcmp(name, "opencl") || !strcmp(name, "cuda");
}

static bool exists(const char *name) {
    static const char *const built_in[] = {"threads", "processes", "mpi"};
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (!strcmp(name, built_in[i]))
            return true;
    return has_library(name);
}

sct_status sct_engine_missing(const char *name, const char *other) {
    if (!exists(name))
        return sct_fail(SCT_NO_ENGINE,
                        "engine \"%.*s\" does not exist; engines: threads, processes, mpi, "
                        "opencl, cuda",
                        NAME_BYTES, name);
    if (!strcmp(name, "mpi"))
        return sct_fail(SCT_NO_ENGINE, "engine \"mpi\" is for the ranks of a communicator: "
                                       "sct_world_create_mpi, or World.from_mpi in Python");
    if (!has_library(name))
        return sct_fail(SCT_NO_ENGINE, "engine \"%s\" is for sct_world_create; this world has %s",
                        name, other);
    bool opens = open_engine(name) != NULL;
    return sct_fail(SCT_NO_ENGINE, "engine \"%s\" is not available: %s", name,
                    opens ? "its library is not one of this version" : dlerror());
}
