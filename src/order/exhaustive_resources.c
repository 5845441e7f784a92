/* exhaustive_resources.c - makes the table of resource uses, and drops redundant resources. */
#include "order/exhaustive_resources.h"

#include "base/status.h"

#include <stdlib.h>

void sct_exhaustive_resources_clear(sct_exhaustive_resources *uses) {
    free(uses->use);
}

/* Numbers the used resources, the rank first; column[r]: number of resource r. */
static int number_channels(const sct_graph *graph, const int64_t *slice, int transfers,
                           int *column) {
    int columns = 1;
    for (int i = 0; i < transfers; i++) {
        const sct_graph_slice *moved = &graph->slice[slice[i]];
        for (int64_t t = moved->first_use; t < moved->first_use + moved->uses; t++) {
            int64_t resource = graph->use[t].resource;
            if (resource != SCT_RESOURCE_RANK && column[resource] == 0)
                column[resource] = columns++;
        }
    }
    return columns;
}

static void take_tolls(const sct_graph *graph, const int64_t *slice, const int *column,
                       sct_exhaustive_resources *uses) {
    for (int i = 0; i < uses->transfers; i++) {
        const sct_graph_slice *moved = &graph->slice[slice[i]];
        for (int64_t t = moved->first_use; t < moved->first_use + moved->uses; t++) {
            const sct_resource_use *use = &graph->use[t];
            uses->use[i * uses->resources + column[use->resource]] = use->seconds;
        }
    }
}

static bool one_goes_through(const sct_exhaustive_resources *uses, int resource) {
    int through = 0;
    for (int i = 0; i < uses->transfers; i++)
        through += uses->use[i * uses->resources + resource] > 0;
    return through <= 1;
}

/* True if no transfer uses the resource for longer than the other one. */
static bool hidden_by(const sct_exhaustive_resources *uses, int resource, int other) {
    for (int i = 0; i < uses->transfers; i++) {
        const double *use = &uses->use[i * uses->resources];
        if (use[resource] > use[other])
            return false;
    }
    return true;
}

/* Of two resources with equal use, the later one is redundant. */
static bool is_hidden(const sct_exhaustive_resources *uses, int resource) {
    for (int other = 0; other < uses->resources; other++)
        if (other != resource && hidden_by(uses, resource, other) &&
            (other < resource || !hidden_by(uses, other, resource)))
            return true;
    return false;
}

/* Drops redundant resources. kept: scratch, one entry per resource. */
static void leave_out(sct_exhaustive_resources *uses, int *kept) {
    int resources = 1;
    kept[0] = 0;
    for (int resource = 1; resource < uses->resources; resource++)
        if (!one_goes_through(uses, resource) && !is_hidden(uses, resource))
            kept[resources++] = resource;
    for (int i = 0; i < uses->transfers; i++)
        for (int resource = 0; resource < resources; resource++)
            uses->use[i * resources + resource] = uses->use[i * uses->resources + kept[resource]];
    uses->resources = resources;
}

sct_status sct_exhaustive_resources_create(const sct_graph *graph, const int64_t *slice,
                                           int transfers, sct_exhaustive_resources *uses) {
    int *column = calloc((size_t)graph->resources + 1, sizeof *column);
    if (!column)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld resources", (long long)graph->resources);
    int resources = number_channels(graph, slice, transfers, column);
    size_t room = ((size_t)transfers + 1) * (size_t)resources;
    sct_exhaustive_resources made = {
        .transfers = transfers, .resources = resources, .use = calloc(room, sizeof *made.use)};
    sct_status status = SCT_OK;
    if (made.use) {
        take_tolls(graph, slice, column, &made);
        leave_out(&made, column);
        *uses = made;
    } else {
        status = sct_fail(SCT_NO_MEMORY, "no memory for the uses of %d transfers", transfers);
    }
    free(column);
    return status;
}
