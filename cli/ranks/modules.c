/* modules.c - finds what started the tool, and loads the module of an MPI; and the module of
 * processes that meet without MPI, by the allgather of their bootstrap. */
#include "ranks/modules.h"

#include "ranks/start_watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The MPIs that the processes of launchers have; a scheduler that offers PMIx starts Open MPI. */
static const struct {
    const char *launcher, *mpi;
} started[] = {{"openmpi", "openmpi"}, {"pmi", "mpich"}, {"pmix", "openmpi"}};

static const char *const mpis[] = {"openmpi", "mpich"};

enum { STARTED = sizeof started / sizeof *started, MPIS = sizeof mpis / sizeof *mpis };

/* MPICH's mpiexec would wait forever unless it is informed by its start protocol, PMI. It gets a
 * second to pass on this process's messages first. */
void launch_abort(const struct launch *launch, enum code code) {
    const char *wire = getenv("PMI_FD"), *name = launch->launcher.name;
    if (!name || strcmp(name, "pmi") != 0 || !wire)
        return;
    sleep(1);
    char text[40];
    int length = snprintf(text, sizeof text, "cmd=abort exitcode=%d\n", (int)code);
    send(atoi(wire), text, (size_t)length, MSG_NOSIGNAL); /* it may be gone */
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

/* What the system does not say counts as one, since other processes may be waiting. */
static bool is_socket(const char *number) {
    struct stat about;
    char *end;
    long fd = strtol(number, &end, 10);
    if (*end != '\0' || fd < 0 || fd > INT_MAX)
        return false;
    return fstat((int)fd, &about) == 0 ? S_ISSOCK(about.st_mode) : errno != EBADF;
}

/* Whether a process may listen at this address: always true if it is on another host. On this host,
 * nobody listens if the port can be bound. This does not connect, which could disturb an mpiexec.
 */
static bool may_listen(const struct addrinfo *address) {
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool taken = fd != -1 && bind(fd, address->ai_addr, address->ai_addrlen) == 0;
    if (fd != -1)
        close(fd);
    return !taken;
}

/* Whether mpiexec may be at HOST:PORT. */
static bool may_answer(const char *place) {
    char host[256];
    const char *colon = strchr(place, ':');
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    bool answers = false;
    if (!colon || colon[1] == '\0')
        return false;
    snprintf(host, sizeof host, "%.*s", (int)(colon - place), place);
    if (getaddrinfo(host, colon + 1, &wanted, &found) != 0)
        return false;
    for (const struct addrinfo *at = found; at; at = at->ai_next)
        answers = answers || may_listen(at);
    freeaddrinfo(found);
    return answers;
}

/* Fails if MPICH, whose messages about that say little, could not reach its mpiexec, or would wait
 * for ever. */
static enum code check_mpich(void) {
    const char *wire = getenv("PMI_FD"), *port = getenv("PMI_PORT");
    bool by_port = !wire && port;
    const char *lacking = !getenv("PMI_RANK")   ? "PMI_RANK"
                          : !getenv("PMI_SIZE") ? "PMI_SIZE"
                                                : NULL;
    if (wire && is_socket(wire) && lacking) {
        report_error("PMI_FD is set, but %s is not: something has removed a part of what mpiexec "
                     "has set; unset all variables PMI_* for a process that works alone",
                     lacking);
        return CODE_NO_ENGINE;
    }
    if (wire ? is_socket(wire) : !port || (getenv("PMI_ID") && may_answer(port)))
        return CODE_DONE;
    report_error("%s: '%s' leads to no mpiexec%s: it is left from another program, or what has "
                 "started this one has closed the connection; unset the variables PMI_*, or set "
                 "SECTILE_LAUNCHER=none for a process that works alone",
                 by_port ? "PMI_PORT" : "PMI_FD", by_port ? port : wire,
                 by_port && !getenv("PMI_ID") ? ", and there is no PMI_ID" : "");
    return CODE_NO_ENGINE;
}

/* Whether processes of this launcher cannot find each other without PMI, by whose variables another
 * one is recognised. */
static bool starts_only(const char *launcher) {
    static const char *const names[] = {"flux", "pals", "mvapich", "jsrun"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(launcher, names[i]) == 0)
            return true;
    return false;
}

enum code launcher_find(sct_launcher *launcher) {
    if (sct_launcher_find(launcher) == SCT_OK)
        return CODE_DONE;
    report_error(
        "%s; correct or unset this variable of a launcher, or set SECTILE_LAUNCHER=none for "
        "a process that works alone",
        sct_last_reason());
    return CODE_NO_ENGINE;
}

/* A process that has been started alone may have several ranks, unless an mpiexec has started it:
 * its user expects MPI. */
enum code launch_find(struct launch *launch) {
    char path[PATH_MAX];
    *launch = (struct launch){.launcher.size = sizeof launch->launcher};
    enum code code = launcher_find(&launch->launcher);
    const sct_launcher *launcher = &launch->launcher;
    if (code != CODE_DONE || !launcher->name)
        return code;
    for (int i = 0; i < STARTED; i++)
        if (strcmp(launcher->name, started[i].launcher) == 0)
            launch->mpi = started[i].mpi;
    if (!launch->mpi)
        launch->launched =
            (launcher->rank >= 0 && launcher->ranks > 1 && !starts_only(launcher->name)) ||
            strcmp(launcher->name, "sectile launch") == 0;
    else if (strcmp(launcher->name, "openmpi") != 0 && !find_module(launch->mpi, path)) {
        launch->launched = true;
        launch->mpi = NULL;
    }
    if (!launch->mpi || strcmp(launch->mpi, "mpich") != 0)
        return CODE_DONE;
    launch->in_doubt = !getenv("PMI_FD");
    return check_mpich();
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

/* Starts MPI, which writes to its mpiexec: if that is gone, MPI reports it, and SIGPIPE would end
 * the process without a word. */
static int start_mpi(const struct engine *engine, int rank, int *process, int *processes) {
    const char *port = getenv("PMI_FD") ? NULL : getenv("PMI_PORT");
    char waited_for[160];
    snprintf(waited_for, sizeof waited_for,
             port ? "the mpiexec at PMI_PORT, %s" : "mpiexec and the other processes", port);
    struct start_watch watch;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    start_watch_begin(&watch, rank, waited_for);
    int failed = engine->start(process, processes);
    start_watch_end(&watch);
    signal(SIGPIPE, before);
    return failed;
}

enum code launch_start(const struct launch *launch, const struct engine **engine, int *process,
                       int *processes) {
    const char *mpi = launch->mpi;
    char path[PATH_MAX];
    if (!find_any(mpi, path)) {
        report_error(
            mpi ? "--engine: 'mpi' is not available for the MPI that started this process, "
                  "%s; start it by sectile launch, srun --mpi=none or torchrun, or set "
                  "SECTILE_LAUNCHER=none for processes that have nothing to do with each other"
                : "--engine: 'mpi' is not available; available: threads",
            mpi);
        return CODE_NO_ENGINE;
    }
    const struct engine *loaded = load(path);
    if (!loaded)
        return CODE_NO_ENGINE;
    if (start_mpi(loaded, launch->launcher.rank, process, processes) == 0) {
        *engine = loaded;
        return CODE_DONE;
    }
    report_error("the MPI of %s could not be started", path);
    return CODE_FAILED;
}

sct_status launched_start(int *rank, int *ranks) {
    sct_bootstrap all;
    sct_status status = sct_bootstrap_launched(&all);
    if (status == SCT_OK) {
        *rank = all.rank;
        *ranks = all.ranks;
    }
    return status;
}

static int start(int *rank, int *ranks) {
    return launched_start(rank, ranks) != SCT_OK;
}

static sct_status create_world(const sct_world_options *options, sct_world **world) {
    sct_bootstrap all;
    sct_status status = sct_bootstrap_launched(&all);
    return status == SCT_OK ? sct_world_create(&all, options, world) : status;
}

static bool gather_all(const sct_bootstrap *ranks, char *all, size_t bytes) {
    return ranks->allgather(ranks->context, all + (size_t)ranks->rank * bytes, bytes, all) == 0;
}

/* An allgather in a thread of its own, so that the process can give up waiting for it. */
struct gathering {
    sct_bootstrap ranks;
    size_t bytes;
    bool gathered;
    char all[];
};

static void *gather_now(void *arg) {
    struct gathering *g = arg;
    g->gathered = gather_all(&g->ranks, g->all, g->bytes);
    return NULL;
}

/* False if it fails or does not end in time. If it does not end, its thread keeps its memory. */
static bool gather_within(const sct_bootstrap *ranks, char *all, size_t bytes, double seconds) {
    size_t room = (size_t)ranks->ranks * bytes;
    struct gathering *g = malloc(sizeof *g + room);
    pthread_t thread;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += (time_t)seconds + 1;
    if (g) {
        *g = (struct gathering){.ranks = *ranks, .bytes = bytes};
        memcpy(g->all, all, room);
    }
    if (!g || pthread_create(&thread, NULL, gather_now, g) != 0) {
        free(g);
        return false;
    }
    if (pthread_timedjoin_np(thread, NULL, &end) != 0)
        return false;
    bool gathered = g->gathered;
    if (gathered)
        memcpy(all, g->all, room);
    free(g);
    return gathered;
}

static bool gather(void *all, int bytes, double seconds) {
    sct_bootstrap ranks;
    return sct_bootstrap_launched(&ranks) == SCT_OK &&
           (seconds < 0 ? gather_all(&ranks, all, (size_t)bytes)
                        : gather_within(&ranks, all, (size_t)bytes, seconds));
}

/* The other processes send as much, which is little. */
static bool spread(void *bytes, int count, int from, double seconds) {
    sct_bootstrap ranks;
    char *all = NULL;
    if (sct_bootstrap_launched(&ranks) == SCT_OK)
        all = calloc((size_t)ranks.ranks, (size_t)count);
    if (!all)
        return false;
    memcpy(all + (size_t)ranks.rank * (size_t)count, bytes, (size_t)count);
    bool spread = gather(all, count, seconds);
    if (spread)
        memcpy(bytes, all + (size_t)from * (size_t)count, (size_t)count);
    free(all);
    return spread;
}

/* The others are ended by sectile launch, or notice that a connection is lost. */
__attribute__((noreturn)) static void end_all(int code) {
    fflush(NULL);
    _exit(code);
}

static void stop(void) {}

const struct engine launched_engine = {.size = sizeof(struct engine),
                                       .start = start,
                                       .create_world = create_world,
                                       .gather = gather,
                                       .spread = spread,
                                       .abort = end_all,
                                       .stop = stop};
