/* world_mpi.c - the engine of ranks that are processes of an MPI job, and compute on the host. */
#include "api/engine.h"
#include "base/log.h"
#include "base/status.h"
#include "fabric/mpi/mpi.h"
#include "launch/launcher.h"

#include <limits.h>
#include <sectile/sectile_launch.h>
#include <sectile/sectile_mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const sct_engine_field fields[] = {
    {"ranks_per_node", offsetof(sct_processes_options, ranks_per_node), INT_MAX, true}, {0}};

static const sct_engine engine = {.name = "mpi",
                                  .options_bytes = sizeof(sct_processes_options),
                                  .fields = fields,
                                  .open_fabric = sct_fabric_mpi,
                                  .open_device = sct_engine_open_host};

/* Whether the launcher is one by which the processes of this MPI find each other. */
static bool is_known(const char *launcher) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(version, &length);
    bool open_mpi = strncmp(version, "Open MPI", strlen("Open MPI")) == 0;
    return strcmp(launcher, "openmpi") == 0 || strcmp(launcher, "pmix") == 0
               ? open_mpi
               : !open_mpi && strcmp(launcher, "pmi") == 0;
}

/* Whether a communicator is that of all processes, which is not the library's to use. */
static bool is_of_all(MPI_Comm comm) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    MPI_Comm_get_name(comm, name, &length);
    return strcmp(name, "MPI_COMM_WORLD") == 0;
}

static void warn(const char *variable, int processes) {
    char number[16] = "several";
    if (processes > 0)
        snprintf(number, sizeof number, "%d", processes);
    sct_log_write(SCT_LOG_WARNING, 0,
                  "%s says that this is one of %s processes, but its communicator has no other, so "
                  "that each does all the work: start them by the mpiexec of the MPI that they are "
                  "linked to, or by srun with a --mpi that it knows",
                  variable, number);
}

/* Whether a process with a communicator of its own is one of several. Where its MPI knows the
 * launcher, one process is meant if it has been split from the others. A launcher need not say how
 * many there are. */
static bool has_others(MPI_Comm comm, const sct_launcher *launcher) {
    bool known = launcher->name && is_known(launcher->name);
    return launcher->ranks > 1 ? !known || is_of_all(comm)
                               : launcher->ranks == 0 && launcher->rank >= 0 && !known;
}

/* A process that its MPI does not recognise as one of several does the work of all. */
static void warn_if_alone(MPI_Comm comm, int ranks) {
    sct_launcher launcher = {.size = sizeof launcher};
    if (ranks > 1 || comm == MPI_COMM_SELF)
        return;
    if (sct_launcher_find(&launcher) != SCT_OK)
        sct_log_write(SCT_LOG_WARNING, 0,
                      "%s, so that this process may be one of several that each do all the work",
                      sct_last_reason());
    else if (has_others(comm, &launcher))
        warn(launcher.variable, launcher.ranks);
    else if (launcher.outer)
        warn(launcher.outer, launcher.outer_ranks);
    else if (!launcher.name && sct_launcher_is_lost())
        warn("PMIX_RANK", 0);
}

sct_status sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                sct_world **world) {
    sct_mpi_start start;
    sct_status status = sct_mpi_start_create(comm, &start);
    if (status != SCT_OK)
        return status;
    status = sct_world_create_on(&engine, &start.bootstrap, options, world);
    sct_mpi_start_destroy(&start);
    if (status == SCT_OK)
        warn_if_alone(comm, start.bootstrap.ranks);
    return status;
}
