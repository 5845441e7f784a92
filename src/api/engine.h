/* engine.h - an engine: the table that joins a fabric and a device for each rank of a world, as in
 * engine_host.c. A new engine begins not here but in the contracts, fabric/fabric.h or
 * device/device.h.
 *
 * An engine in its own library is found by its name, as sct_engine_load says; or it offers a
 * function like sct_world_create, which passes its table to sct_world_create_on. */
#ifndef SCT_API_ENGINE_H
#define SCT_API_ENGINE_H

#include "device/group.h"
#include "fabric/fabric.h"

/* Collective over the bootstrap; fails on all ranks or on none. */
typedef sct_status sct_fabric_opener(const sct_bootstrap *bootstrap,
                                     const sct_world_options *options, sct_fabric **fabric);

/* An int among an engine's options. */
typedef struct sct_engine_field {
    const char *name;
    size_t offset;
    int most;    /* its values are 0 to this */
    bool common; /* equal on all ranks */
} sct_engine_field;

/* At most so many fields of an engine's options must be equal on all ranks. */
enum { SCT_ENGINE_COMMON = 4 };
/* Memory for the options struct of any engine. */
typedef union sct_engine_options {
    size_t size;
    void *aligned;
    char bytes[128];
} sct_engine_options;

typedef struct sct_engine {
    const char *name;
    /* The engine's options, a struct that begins with its size: the size that this release knows;
     * the fields that are numbers, which are checked; and a function that completes and checks the
     * other fields, or NULL. The functions below receive the whole struct, with zeros where the
     * caller gave nothing. */
    size_t options_bytes;
    const sct_engine_field *fields; /* the last has no name */
    sct_status (*resolve)(void *engine_options);
    /* Likewise. For a fabric between devices, which needs the device; otherwise NULL, and the two
     * below open one after the other. The opener is for ranks that are processes. */
    sct_status (*open)(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_fabric **fabric, sct_device **device);
    sct_fabric_opener *open_fabric;
    /* Local. */
    sct_status (*open_device)(const sct_world_options *options, int rank, sct_device **device);
    bool has_nvshmem; /* as a path */
} sct_engine;

/* The engines of sct_world_create. */
extern const sct_engine sct_engine_threads, sct_engine_processes;

/* Collective over the bootstrap: opens the fabric between the ranks. If they are threads of one
 * process, it is that of threads; if they are processes, `processes` opens it. */
SCT_API sct_status sct_engine_open_ranks(const sct_bootstrap *bootstrap,
                                         const sct_world_options *options,
                                         sct_fabric_opener *processes, sct_fabric **ranks);

/* An open_device for ranks that compute on the host. */
SCT_API sct_status sct_engine_open_host(const sct_world_options *options, int rank,
                                        sct_device **device);

/* An `open` for devices with memory of their own, one for each rank. The ranks are threads of one
 * process, or processes. The opener may fail on some ranks. */
typedef sct_status sct_device_opener(int rank, bool processes, const sct_world_options *options,
                                     sct_device **device);
SCT_API sct_status sct_engine_open_devices(const sct_bootstrap *bootstrap,
                                           const sct_world_options *options,
                                           sct_fabric_opener *processes, sct_device_opener *opener,
                                           sct_fabric **fabric, sct_device **device);

/* Collective over ranks that are processes, or NULL: prepares their devices for each other. */
typedef sct_status sct_device_connector(sct_fabric *ranks, const sct_world_options *options,
                                        sct_device *device);

/* The same for the devices that `list` names. Rank 0 opens them as a group if ranks are threads; a
 * rank that is a process opens a group of its own. If a host has more ranks than devices,
 * consecutive ranks share a device; if it has fewer, the ranks use devices that are spread evenly
 * over the list. */
SCT_API sct_status sct_engine_open_group(const sct_bootstrap *bootstrap,
                                         const sct_world_options *options, const char *list,
                                         sct_fabric_opener *processes,
                                         const sct_device_grouping *grouping,
                                         sct_device_connector *connect, sct_fabric **fabric,
                                         sct_device **device);

/* Copies the options that a caller gives, or NULL, and checks them. */
sct_status sct_engine_options_resolve(const sct_engine *engine, const void *given,
                                      sct_engine_options *resolved);
/* The numbers that must be equal on all ranks, with their names. Returns how many there are. */
int sct_engine_options_common(const sct_engine *engine, const void *options, const char **names,
                              int *values);

/* The engine `sct_engine_NAME` of the program, or of the library libsectile_NAME; NULL: there is
 * none. */
const sct_engine *sct_engine_load(const char *name);

/* Fails with the reason why a world does not have this engine, but another one. */
sct_status sct_engine_missing(const char *name, const char *other);

/* Like sct_world_create, for ranks that meet in the way of this engine, such as by MPI.
 * options->engine is NULL or the name of this engine; or the name of an engine with devices, whose
 * ranks then meet by `open_fabric` of this one. */
SCT_API sct_status sct_world_create_on(const sct_engine *engine, const sct_bootstrap *bootstrap,
                                       const sct_world_options *options, sct_world **world);

#endif
