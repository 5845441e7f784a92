/* mpi_module.c - recognises what started the tool, and loads the module of an MPI. */
#include "ranks/mpi_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The environment variables by which a launcher is recognised, and the one with the rank. The most
 * specific come first: PMIX_RANK alone is from a scheduler that starts Open MPI. */
static const struct {
    const char *variable, *rank, *mpi;
} signs[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi"},
             {"PMI_RANK", "PMI_RANK", "mpich"},
             {"PMIX_RANK", "PMIX_RANK", "openmpi"}};

static const char *const mpis[] = {"openmpi", "mpich"};

enum { SIGNS = sizeof signs / sizeof *signs, MPIS = sizeof mpis / sizeof *mpis };

struct launch launch_find(void) {
    for (int i = 0; i < SIGNS; i++) {
        const char *rank = getenv(signs[i].rank);
        if (getenv(signs[i].variable))
            return (struct launch){.mpi = signs[i].mpi, .rank = rank ? atoi(rank) : -1};
    }
    sct_bootstrap ranks;
    sct_status status = sct_bootstrap_launched(&ranks);
    return (struct launch){.launched = status != SCT_NO_ENGINE,
                           .rank = status == SCT_OK ? ranks.rank : -1};
}

/* MPICH's mpiexec would wait forever unless it is told by its start protocol, PMI. It gets a second
 * to pass on this process's messages first. */
void launch_abort(const struct launch *launch, enum code code) {
    const char *wire = getenv("PMI_FD");
    if (!launch->mpi || strcmp(launch->mpi, "mpich") != 0 || !wire)
        return;
    sleep(1);
    dprintf(atoi(wire), "cmd=abort exitcode=%d\n", (int)code);
}

/* The path of a module: installed, or beside the tool in a build folder. */
static bool find_module(const char *mpi, char path[PATH_MAX]) {
    static const char *const folders[] = {SECTILE_MODULES "/", ""};
    char tool[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);
    while (length > 0 && tool[length - 1] != '/')
        length--;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (snprintf(path, PATH_MAX, "%.*s%ssectile_cli_%s.so", (int)length, tool, folders[i],
                     mpi) < PATH_MAX &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

/* The same for any of the MPIs if `mpi` is NULL. */
static bool find_any(const char *mpi, char path[PATH_MAX]) {
    for (int i = 0; i < MPIS; i++)
        if ((!mpi || strcmp(mpi, mpis[i]) == 0) && find_module(mpis[i], path))
            return true;
    return false;
}

static const struct engine *load(const char *path) {
    /* RTLD_GLOBAL, because plug-ins of an MPI look up its symbols. */
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const struct engine *engine = module ? dlsym(module, ENGINE_SYMBOL) : NULL;
    if (!engine)
        report_error("--engine: 'mpi' is not available: %s", dlerror());
    else if (engine->size != sizeof *engine)
        report_error("--engine: 'mpi' is not available: %s belongs to another version of sectile",
                     path);
    else
        return engine;
    return NULL;
}

enum code launch_start(const char *mpi, const struct engine **engine, int *process,
                       int *processes) {
    char path[PATH_MAX];
    if (!find_any(mpi, path)) {
        report_error("--engine: 'mpi' is not available%s%s; available: threads",
                     mpi ? " for the MPI that started this process, " : "", mpi ? mpi : "");
        return CODE_NO_ENGINE;
    }
    const struct engine *loaded = load(path);
    if (!loaded)
        return CODE_NO_ENGINE;
    if (loaded->start(process, processes) == 0) {
        *engine = loaded;
        return CODE_DONE;
    }
    report_error("the MPI of %s could not be started", path);
    return CODE_FAILED;
}
