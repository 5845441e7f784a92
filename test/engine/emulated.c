/* emulated.c - the engine for tests: its options, and how it opens fabrics and devices. */
#include "engine/emulated.h"

#include "api/engine.h"
#include "engine/devices.h"
#include "engine/far_fabric.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

SCT_API extern const sct_engine sct_engine_emulated;

/* ---- Options ---- */

static const sct_engine_field fields[] = {
    {"ranks_per_node", offsetof(emulated_options, ranks_per_node), INT_MAX, true},
    {"host", offsetof(emulated_options, host), 1, true},
    {"deferred", offsetof(emulated_options, deferred), 1, false},
    {"delay_us", offsetof(emulated_options, delay_us), INT_MAX, false},
    {"wrapped_alone", offsetof(emulated_options, wrapped_alone), 1, true},
    {0}};

/* Sets the number that a word such as "host" or "delay_us=20" names. */
static sct_status read_word(const char *word, size_t length, emulated_options *options) {
    size_t name = strcspn(word, "=,");
    for (const sct_engine_field *field = fields; field->name; field++)
        if (strlen(field->name) == name && !strncmp(field->name, word, name)) {
            int value = name < length ? atoi(word + name + 1) : 1;
            memcpy((char *)options + field->offset, &value, sizeof value);
            return SCT_OK;
        }
    if (name == strlen("seed") && !strncmp(word, "seed=", name + 1)) {
        options->seed = strtoull(word + name + 1, NULL, 10);
        return SCT_OK;
    }
    return sct_fail(SCT_BAD_ARGUMENT, "options of the engine emulated: '%.*s' is none", (int)length,
                    word);
}

static sct_status resolve(void *engine_options) {
    emulated_options *options = engine_options;
    sct_status status = SCT_OK;
    for (const char *word = options->text; word && *word && !status;) {
        size_t length = strcspn(word, ",");
        status = read_word(word, length, options);
        word += length;
        word += *word == ',';
    }
    return status;
}

static const emulated_options *own_of(const sct_world_options *options) {
    return options->engine_options;
}

/* ---- Opening ---- */

static sct_status open_device(int rank, bool processes, const sct_world_options *options,
                              sct_device **device) {
    const emulated_options *own = own_of(options);
    int per_node = own->ranks_per_node > 0 ? own->ranks_per_node : 1;
    return (processes ? device_emulated_shared : device_emulated)(
        own->seed + (uint64_t)rank, own->delay_us, rank / per_node, device);
}

static sct_status open_host_device(const sct_world_options *options, int rank,
                                   sct_device **device) {
    const emulated_options *own = own_of(options);
    return own->deferred ? device_deferred(own->seed + (uint64_t)rank, own->delay_us, device)
                         : sct_engine_open_host(options, rank, device);
}

static sct_status open_host(const sct_bootstrap *bootstrap, const sct_world_options *options,
                            sct_fabric_opener *processes, sct_fabric **fabric,
                            sct_device **device) {
    sct_fabric *opened;
    sct_status status = sct_engine_open_ranks(bootstrap, options, processes, &opened);
    if (!status && !opened->processes)
        status = far_fabric_open(own_of(options), opened);
    if (status)
        return status;
    sct_device *made = NULL;
    status = sct_fabric_agree(opened, open_host_device(options, opened->rank, &made));
    if (!status) {
        *fabric = opened;
        *device = made;
        return SCT_OK;
    }
    opened->ops->close(opened);
    if (made)
        made->ops->close(made);
    return status;
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_fabric **fabric, sct_device **device) {
    if (own_of(options)->host)
        return open_host(bootstrap, options, processes, fabric, device);
    return sct_engine_open_devices(bootstrap, options, processes, open_device, fabric, device);
}

const sct_engine sct_engine_emulated = {.name = "emulated",
                                        .options_bytes = sizeof(emulated_options),
                                        .fields = fields,
                                        .resolve = resolve,
                                        .open = open};
