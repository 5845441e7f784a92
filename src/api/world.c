/* world.c - worlds: a fabric and a device for each rank. */
#include "api/world.h"
#include "api/engine.h"

#include "base/checked.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/status.h"
#include "fabric/bootstrap.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVE_BUFFER = 1 << 20 };

static sct_status check_options(const sct_engine *engine, const sct_world_options *options) {
    sct_status status = sct_check_size("world options", options->size,
                                       offsetof(sct_world_options, wait_seconds), sizeof *options);
    if (status)
        return status;
    if (options->engine && strcmp(options->engine, engine->name) != 0)
        return sct_engine_missing(options->engine, engine->name);
    return SCT_OK;
}

static sct_status check_path(const sct_engine *engine, sct_path path) {
    if ((unsigned)path > SCT_PATH_NVSHMEM)
        return sct_fail(SCT_BAD_ARGUMENT, "path: %d is not a path", (int)path);
    if (path == SCT_PATH_NVSHMEM && !engine->has_nvshmem)
        return sct_fail(SCT_BAD_ARGUMENT, "path: NVSHMEM is for the engine cuda; this world has %s",
                        engine->name);
    return SCT_OK;
}

/* The limit on waiting, from the environment if the options have none. */
static sct_status resolve_limit(sct_world_options *resolved) {
    int64_t seconds;
    if (resolved->wait_seconds < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "wait_seconds: %d is negative", resolved->wait_seconds);
    sct_status status = sct_setting("SECTILE_WAIT_SECONDS", 0, INT_MAX, 0, &seconds);
    if (resolved->wait_seconds == 0)
        resolved->wait_seconds = (int)seconds;
    return status;
}

/* Copies the options in the caller's version of the struct, with those of the engine, and checks
 * them. */
static sct_status resolve_options(const sct_engine *engine, const sct_world_options *options,
                                  sct_world_options *resolved, sct_engine_options *own) {
    *resolved = (sct_world_options){.size = sizeof *resolved};
    sct_status status = options ? check_options(engine, options) : SCT_OK;
    if (options && !status)
        memcpy(resolved, options, options->size);
    const void *given = resolved->engine_options;
    *own = (sct_engine_options){.size = 0};
    resolved->engine_options = own;
    if (!status)
        status = check_path(engine, resolved->path);
    if (!status)
        status = sct_engine_options_resolve(engine, given, own);
    return status ? status : resolve_limit(resolved);
}

/* The options of a world that must be equal on all ranks, besides the name of its engine: first
 * those of all engines. */
enum { OF_WORLD = 3, COMMON = OF_WORLD + SCT_ENGINE_COMMON, ENGINE_NAME = 16 };

typedef struct common_options {
    char engine[ENGINE_NAME];
    int count, value[COMMON];
} common_options;

static common_options common_of(const sct_engine *engine, const sct_world_options *options,
                                const char *name[COMMON]) {
    static const char *const of_world[OF_WORLD] = {"path", "wait_seconds", "interrupted"};
    common_options common = {
        .value = {(int)options->path, options->wait_seconds, options->interrupted != NULL}};
    snprintf(common.engine, sizeof common.engine, "%s", engine->name);
    memcpy(name, of_world, sizeof of_world);
    common.count = OF_WORLD + sct_engine_options_common(engine, options->engine_options,
                                                        name + OF_WORLD, common.value + OF_WORLD);
    return common;
}

/* `name` has those of the options of this rank's engine. */
static sct_status compare(int ranks, const common_options *all, const char *const *name) {
    for (int r = 1; r < ranks; r++)
        if (strncmp(all[r].engine, all[0].engine, ENGINE_NAME) != 0)
            return sct_fail(SCT_DISAGREE, "rank %d asks for engine=%.*s, but rank 0 for %.*s", r,
                            ENGINE_NAME, all[r].engine, ENGINE_NAME, all[0].engine);
    for (int r = 1; r < ranks; r++)
        for (int i = 0; i < all[0].count; i++)
            if (all[r].value[i] != all[0].value[i])
                return sct_fail(SCT_DISAGREE, "rank %d asks for %s=%d, but rank 0 for %d", r,
                                name[i], all[r].value[i], all[0].value[i]);
    return SCT_OK;
}

/* Collective over the bootstrap: which options differ. */
static sct_status find_difference(const sct_bootstrap *bootstrap, const common_options *mine,
                                  const char *const *name) {
    common_options *all = calloc((size_t)bootstrap->ranks, sizeof *all);
    sct_status status =
        all ? SCT_OK
            : sct_fail(SCT_NO_MEMORY, "no memory to compare the options of %d ranks",
                       bootstrap->ranks);
    status = sct_bootstrap_agree(bootstrap, status);
    if (!status)
        status = sct_bootstrap_gather(bootstrap, mine, sizeof *mine, all);
    if (!status)
        status = compare(bootstrap->ranks, all, name);
    free(all);
    return status;
}

/* Collective over the bootstrap. Returns the failure of the lowest rank, or a failure if options
 * differ. */
static sct_status agree_on_options(const sct_bootstrap *bootstrap, sct_status status,
                                   const sct_engine *engine, const sct_world_options *options) {
    const char *name[COMMON];
    const common_options mine = common_of(engine, options, name);
    const uint64_t hash = sct_hash_more(sct_hash_of_nothing, &mine, sizeof mine);
    uint64_t ends[] = {hash, ~hash}; /* reduced to the least, and the complement of the greatest */
    status = sct_bootstrap_agree(bootstrap, status);
    if (!status)
        status = sct_bootstrap_reduce(bootstrap, SCT_LEAST, ends, 2);
    return status || ends[0] == ~ends[1] ? status : find_difference(bootstrap, &mine, name);
}

/* Collective over the bootstrap. */
static sct_status open_engine(const sct_engine *engine, sct_fabric_opener *processes,
                              const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_world *world) {
    if (engine->open)
        return engine->open(bootstrap, options, processes, &world->fabric, &world->device);
    return engine->open_fabric(bootstrap, options, &world->fabric);
}

static sct_status open_device(const sct_engine *engine, const sct_world_options *options,
                              sct_world *world) {
    sct_status status = SCT_OK;
    if (!world->device)
        status = engine->open_device(options, world->fabric->rank, &world->device);
    return status ? status : world->device->ops->stream_open(world->device, &world->stream);
}

/* Collective. Ranks must plan alike, so plans are for GPUs only if all ranks have the same kind. */
static sct_status open_devices(const sct_engine *engine, const sct_world_options *options,
                               sct_world *world) {
    sct_collective_call mine = {.status = open_device(engine, options, world)};
    if (!mine.status && world->device->gpu)
        mine.number = world->device->half_products ? SCT_GPUS_HALVES : SCT_GPUS_WIDENING;
    sct_common common;
    sct_status status = sct_calls_compare(world->fabric, &mine, &common);
    world->gpus = common.number ? (sct_gpus)mine.number : SCT_GPUS_NONE;
    return status;
}

static void log_world(const sct_engine *engine, const sct_world *world) {
    const sct_fabric *fabric = world->fabric;
    char device[200];
    if (!sct_log_wants(SCT_LOG_INFO, fabric->rank))
        return;
    world->device->ops->describe(world->device, device, sizeof device);
    sct_log_write(SCT_LOG_INFO, fabric->rank,
                  "sectile %s: engine %s, %d ranks, of which %d share memory; this one computes on "
                  "%s",
                  sct_version(), engine->name, fabric->size, fabric->ranks_per_node, device);
}

static int64_t now(void) {
    return sct_now_ns();
}

static void dismantle(sct_world *world) {
    sct_exec_context context = sct_world_context(world);
    sct_recent_clear(&world->recent);
    sct_scratch_clear(&context);
    sct_trials_clear(&world->trials);
    if (world->stream)
        world->device->ops->stream_close(world->stream);
    if (world->fabric)
        world->fabric->ops->close(world->fabric);
    if (world->device)
        world->device->ops->close(world->device);
    free(world);
}

/* Without these a rank cannot reach the others. */
static sct_status check_bootstrap(const sct_bootstrap *bootstrap) {
    sct_status status = sct_check_given("bootstrap", bootstrap);
    if (!status)
        status = sct_check_size("bootstrap", bootstrap->size, sizeof *bootstrap, sizeof *bootstrap);
    if (!status && !bootstrap->allgather)
        status = sct_fail(SCT_BAD_ARGUMENT, "the bootstrap's allgather is NULL");
    if (!status &&
        (bootstrap->ranks < 1 || bootstrap->rank < 0 || bootstrap->rank >= bootstrap->ranks))
        status = sct_fail(SCT_BAD_ARGUMENT, "bootstrap: there is no rank %d among %d ranks",
                          bootstrap->rank, bootstrap->ranks);
    return status;
}

/* `processes` opens the fabric of an engine with devices whose ranks are processes. */
static sct_status create(const sct_engine *engine, sct_fabric_opener *processes,
                         const sct_bootstrap *bootstrap, const sct_world_options *options,
                         sct_world **world) {
    sct_world_options chosen;
    sct_engine_options own;
    sct_status status = check_bootstrap(bootstrap);
    if (status)
        return status;
    status = resolve_options(engine, options, &chosen, &own);
    if (!status)
        status = sct_check_output("world", world);
    if (!status)
        status = sct_deadline_check();
    sct_world *made = calloc(1, sizeof *made);
    if (!status && !made)
        status = sct_no_memory("a world");
    if ((status = agree_on_options(bootstrap, status, engine, &chosen)) ||
        (status = open_engine(engine, processes, bootstrap, &chosen, made))) {
        free(made);
        return status;
    }
    made->fabric->calls = 1; /* this one */
    made->trials.now = now;
    made->recent.most =
        chosen.recent_calls ? (int)sct_max(chosen.recent_calls, 0) : SCT_RECENT_CALLS;
    status = open_devices(engine, &chosen, made);
    if (!status)
        made->fabric->record = made->device->ops->record;
    sct_fabric_leave(made->fabric, status);
    if (status)
        dismantle(made);
    else
        *world = made;
    if (!status)
        log_world(engine, made);
    return status;
}

/* An engine of the library, or of a library of its own. Where there is none of this name, the
 * engine threads stands in, and refuses the name in turn. */
static const sct_engine *find_engine(const char *name) {
    static const sct_engine *const engines[] = {&sct_engine_threads, &sct_engine_processes};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (!strcmp(name, engines[i]->name))
            return engines[i];
    const sct_engine *loaded = sct_engine_load(name);
    return loaded ? loaded : &sct_engine_threads;
}

static const sct_engine *named_engine(const sct_world_options *options) {
    bool named =
        options && options->size >= offsetof(sct_world_options, engine_options) && options->engine;
    return named ? find_engine(options->engine) : &sct_engine_threads;
}

sct_status sct_world_create(const sct_bootstrap *bootstrap, const sct_world_options *options,
                            sct_world **world) {
    return create(named_engine(options), sct_engine_processes.open_fabric, bootstrap, options,
                  world);
}

sct_status sct_world_create_on(const sct_engine *engine, const sct_bootstrap *bootstrap,
                               const sct_world_options *options, sct_world **world) {
    const sct_engine *named = named_engine(options);
    return create(named->open ? named : engine, engine->open_fabric, bootstrap, options, world);
}

void sct_world_destroy(sct_world *world) {
    if (!world)
        return;
    sct_fabric_enter(world->fabric);
    dismantle(world);
}

int sct_world_rank(const sct_world *world) {
    return world->fabric->rank;
}

int sct_world_size(const sct_world *world) {
    return world->fabric->size;
}

int sct_world_ranks_per_node(const sct_world *world) {
    return world->fabric->ranks_per_node;
}

sct_gpus sct_world_gpus(const sct_world *world) {
    return world->gpus;
}

sct_path sct_world_path(const sct_world *world) {
    return world->fabric->path;
}

sct_status sct_world_barrier(sct_world *world) {
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    sct_fabric_enter(world->fabric);
    return sct_fabric_leave(world->fabric, world->fabric->ops->barrier(world->fabric));
}

static sct_status different_sizes(sct_fabric *fabric, size_t bytes) {
    sct_odd_rank odd;
    sct_status status = sct_fabric_find_odd(fabric, bytes, &odd);
    return status
               ? status
               : sct_fail(SCT_DISAGREE, "rank %d gathers %" PRIu64 " byte%s, but rank 0 %" PRIu64,
                          odd.rank, odd.word, odd.word == 1 ? "" : "s", odd.word_of_0);
}

static sct_status gather(sct_world *world, const void *mine, size_t bytes, void *all) {
    sct_status status = sct_check_given("mine", mine);
    if (!status)
        status = sct_check_given("all", all);
    const sct_collective_call begun = {.status = status, .kind = SCT_CALL_GATHER, .number = bytes};
    sct_fabric *fabric = world->fabric;
    sct_common common;
    if ((status = sct_calls_compare(fabric, &begun, &common)))
        return status;
    return common.number ? fabric->ops->exchange(fabric, mine, bytes, all)
                         : different_sizes(fabric, bytes);
}

sct_status sct_world_gather(sct_world *world, const void *mine, size_t bytes, void *all) {
    sct_status status = sct_check_given("world", world);
    if (status)
        return status;
    sct_fabric_enter(world->fabric);
    return sct_fabric_leave(world->fabric, gather(world, mine, bytes, all));
}

sct_status sct_world_check(sct_world *world, sct_status status, const char *said) {
    sct_status given = sct_check_given("world", world);
    if (given)
        return given;
    if ((unsigned)status > SCT_FAILED)
        status = sct_fail(SCT_BAD_ARGUMENT, "status: there is no status %d", (int)status);
    else if (status)
        status = sct_fail(status, "%s", said ? said : sct_status_name(status));
    sct_request_text request = sct_request_begin("check");
    if (!status && said)
        sct_request_add_word(&request, "call", said);
    sct_fabric_enter(world->fabric);
    return sct_fabric_leave(world->fabric, sct_world_agree(world, status, &request));
}

sct_traffic sct_world_traffic(const sct_world *world) {
    return (sct_traffic){.bytes_got = world->fabric->bytes_got,
                         .bytes_accumulated = world->fabric->bytes_accumulated,
                         .bytes_in_place = world->bytes_in_place};
}

sct_exec_context sct_world_context(sct_world *world) {
    return (sct_exec_context){world->fabric, world->device, &world->bytes_in_place,
                              &world->scratch};
}

/* Bytes in which any part of a matrix fits into each half. */
static size_t room_for(const sct_matrix *matrix) {
    int64_t elements = sct_max(matrix->layout->rows.extent, 1), bytes;
    int64_t twice = 2 * (int64_t)sct_type_bytes(matrix->type);
    bool fits = sct_multiply_fits(elements, sct_max(matrix->layout->cols.extent, 1), &elements) &&
                sct_multiply_fits(elements, twice, &bytes);
    return fits && bytes < MOVE_BUFFER ? (size_t)bytes : MOVE_BUFFER;
}

sct_status sct_world_open_mover(sct_world *world, const sct_matrix *matrix, size_t limit,
                                sct_mover *mover) {
    size_t element = sct_type_bytes(matrix->type), bytes = room_for(matrix);
    bytes = limit && limit < bytes ? limit : bytes;
    *mover = (sct_mover){.context = sct_world_context(world), .buffer_bytes = bytes};
    if (bytes < element)
        return sct_fail(SCT_WORKSPACE, "a workspace of %zu byte%s is too small by %zu byte%s",
                        bytes, bytes == 1 ? "" : "s", element - bytes,
                        element - bytes == 1 ? "" : "s");
    mover->buffer = world->device->ops->alloc(world->device, bytes);
    if (!mover->buffer)
        return sct_fail(SCT_NO_MEMORY, "no memory for a buffer of %zu bytes", bytes);
    return world->device->ops->stream_open(world->device, &mover->stream);
}

void sct_world_close_mover(sct_mover *mover) {
    sct_mover_close(mover);
    if (mover->stream)
        mover->context.device->ops->stream_close(mover->stream);
    if (mover->buffer)
        mover->context.device->ops->release(mover->context.device, mover->buffer);
}

/* ---- Memory of the host ---- */

sct_status sct_world_alloc_host(sct_world *world, size_t bytes, void **memory) {
    sct_status status = sct_check_given("world", world);
    if (!status)
        status = sct_check_output("memory", memory);
    if (status)
        return status;
    void *made = world->device->ops->alloc_host(world->device, bytes);
    if (!made)
        return sct_fail(SCT_NO_MEMORY, "no memory of the host for %zu bytes", bytes);
    *memory = made;
    return SCT_OK;
}

void sct_world_free_host(sct_world *world, void *memory) {
    if (world && memory)
        world->device->ops->release_host(world->device, memory);
}
