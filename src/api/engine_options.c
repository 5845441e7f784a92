/* engine_options.c - copies the options of an engine, in the caller's version of their struct, and
 * checks them as the engine says. */
#include "api/engine.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

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
