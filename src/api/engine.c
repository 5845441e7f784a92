/* engine.c - the options of an engine, in the caller's version of their struct, are copied and
 * checked as the engine says; engines in libraries of their own are loaded when a world asks for
 * them. */
#include "api/engine.h"

#include "base/library.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- Options ---- */

static int value_of(const sct_engine_field *field, const void *options) {
    int value;
    memcpy(&value, (const char *)options + field->offset, sizeof value);
    return value;
}

static sct_status check_fields(const sct_engine *engine, const void *options) {
    for (const sct_engine_field *field = engine->fields; field->name; field++) {
        int value = value_of(field, options);
        if (value < 0 || value > field->most)
            return sct_fail(SCT_BAD_ARGUMENT, "options of the engine %s: %s: %d is not in 0 to %d",
                            engine->name, field->name, value, field->most);
    }
    return SCT_OK;
}

sct_status sct_engine_options_resolve(const sct_engine *engine, const void *given,
                                      sct_engine_options *resolved) {
    char name[64];
    snprintf(name, sizeof name, "options of the engine %s", engine->name);
    *resolved = (sct_engine_options){.size = engine->options_bytes};
    if (given) {
        size_t size;
        memcpy(&size, given, sizeof size);
        sct_status status = sct_check_size(name, size, sizeof size, engine->options_bytes);
        if (status)
            return status;
        memcpy(resolved, given, size);
    }
    sct_status status = engine->resolve ? engine->resolve(resolved) : SCT_OK;
    return status ? status : check_fields(engine, resolved);
}

int sct_engine_options_common(const sct_engine *engine, const void *options, const char **names,
                              int *values) {
    int count = 0;
    for (const sct_engine_field *field = engine->fields; field->name; field++)
        if (field->common) {
            names[count] = field->name;
            values[count++] = value_of(field, options);
        }
    return count;
}

/* ---- Libraries ---- */

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
