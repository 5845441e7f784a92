/* processes.c - what processes can do together once they have met, without MPI. */
#include "fabric/processes/processes.h"

#include "fabric/bootstrap.h"
#include "fabric/processes/collective.h"

#include <stdlib.h>

typedef struct sct_plain_process {
    sct_process process;
    const sct_bootstrap *bootstrap; /* NULL once the ranks have joined */
} sct_plain_process;

/* Once ranks have joined, they exchange by a table in shared memory, or by messages. */
static sct_status gather(sct_process *process, const void *mine, size_t bytes, void *all) {
    const sct_bootstrap *bootstrap = ((const sct_plain_process *)process)->bootstrap;
    return bootstrap ? sct_bootstrap_gather(bootstrap, mine, bytes, all)
                     : sct_process_gather(process, mine, bytes, all);
}

static sct_status reduce(sct_process *process, sct_reduction how, uint64_t *words, size_t count) {
    const sct_bootstrap *bootstrap = ((const sct_plain_process *)process)->bootstrap;
    return bootstrap ? sct_bootstrap_reduce(bootstrap, how, words, count)
                     : sct_process_allreduce(process, how, words, count);
}

static sct_status connect_by_sockets(sct_process *process, sct_wire **wire, sct_path *path) {
    *path = SCT_PATH_SOCKETS;
    return sct_process_connect(process, wire);
}

static void discard(sct_process *process) {
    sct_process_discard(process);
    free(process);
}

static void leave_and_discard(sct_process *process) {
    sct_process_leave(process);
    discard(process);
}

static const sct_process_ops ops = {.gather = gather,
                                    .reduce = reduce,
                                    .choose_path = sct_process_serve,
                                    .connect = connect_by_sockets,
                                    .close = leave_and_discard,
                                    .discard = discard};

sct_status sct_fabric_processes(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                sct_fabric **fabric) {
    if (options->path != SCT_PATH_AUTO && options->path != SCT_PATH_SOCKETS)
        return sct_fail(SCT_NO_ENGINE, "path: without MPI there are sockets only");
    sct_plain_process first = {sct_process_begin(&ops, bootstrap, options), bootstrap};
    sct_process *self;
    sct_status status = sct_process_join(&first.process, sizeof first, options, &self);
    /* if a rank could not map the table, those of one node need the service for messages, too */
    if (!status && sct_process_synchronises_by_messages(self) && (status = sct_process_serve(self)))
        discard(self);
    if (status)
        return status;
    ((sct_plain_process *)self)->bootstrap = NULL;
    *fabric = &self->base;
    return SCT_OK;
}
