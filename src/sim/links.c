/* links.c - the links of a machine, and which of them a route uses. */
#include "sim/network.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* The ranks in a group of a level; below the first level each rank is alone. */
static int64_t group_size(const sct_network *network, int level) {
    if (level < 0)
        return 1;
    int64_t size = network->machine->level[level].ranks;
    return size > 0 ? sct_min(size, network->ranks) : network->ranks;
}

static int64_t groups(const sct_network *network, int level) {
    return (network->ranks - 1) / group_size(network, level) + 1;
}

/* Link numbers. Per level: two ports per rank, two uplinks per group of the level below, and one
 * total per group. The first of a pair is outgoing. */
static int64_t port(const sct_network *network, int level, int rank) {
    return network->base[level] + 2 * (int64_t)rank;
}

static int64_t uplink(const sct_network *network, int level, int rank) {
    return network->base[level] + 2 * (network->ranks + rank / group_size(network, level - 1));
}

static int64_t total(const sct_network *network, int level, int rank) {
    return network->base[level] + 2 * (network->ranks + groups(network, level - 1)) +
           rank / group_size(network, level);
}

static void set_capacities(sct_network *network, int64_t from, int64_t until, double capacity) {
    for (int64_t i = from; i < until; i++)
        network->link[i] = (sct_sim_link){.capacity = capacity};
}

/* Makes the links of a level. A link that is never slower than a wider one used by the same flows
 * is left out. */
static void make_level(sct_network *network, int kind) {
    enum { PAIR, PORT, UPLINK, TOTAL, WIDTHS };
    const sct_level *level = &network->machine->level[kind];
    /* The processors at both ends limit a flow too. */
    double ends = level->processor > 0 ? 1 / level->processor : INFINITY;
    double capacity[] = {level->pair, fmin(level->port, ends), level->uplink, level->total};
    const int64_t grain[] = {1, 1, group_size(network, kind - 1), group_size(network, kind)};
    network->cap[kind] = INFINITY;
    network->grain[kind] = grain[TOTAL];
    for (int width = TOTAL; width >= PAIR; width--)
        if (capacity[width] < network->cap[kind]) {
            network->cap[kind] = capacity[width];
            network->grain[kind] = grain[width];
        } else {
            capacity[width] = INFINITY;
        }
    int64_t ports = port(network, kind, 0), uplinks = uplink(network, kind, 0);
    int64_t totals = total(network, kind, 0), end = network->base[kind + 1];
    network->pair[kind] = capacity[PAIR];
    set_capacities(network, ports, uplinks, capacity[PORT]);
    set_capacities(network, uplinks, totals, capacity[UPLINK]);
    set_capacities(network, totals, end, capacity[TOTAL]);
}

/* Makes the links for copies within a rank's memory. */
static void make_memories(sct_network *network) {
    int kind = network->machine->levels;
    double capacity = network->machine->memory;
    set_capacities(network, network->base[kind], network->fixed, capacity);
    network->cap[kind] = capacity;
    network->grain[kind] = 1;
}

typedef struct capped_kind {
    double cap;
    int kind;
} capped_kind;

static int compare_caps(const void *left, const void *right) {
    const capped_kind *l = left, *r = right;
    return l->cap != r->cap ? (l->cap < r->cap ? -1 : 1) : l->kind - r->kind;
}

/* Sorts the few kinds of flows by the rate of a lone flow. */
static void sort_kinds(sct_network *network) {
    capped_kind sorted[SCT_MACHINE_LEVELS + 1];
    int kinds = network->machine->levels + 1;
    for (int kind = 0; kind < kinds; kind++)
        sorted[kind] = (capped_kind){network->cap[kind], kind};
    qsort(sorted, (size_t)kinds, sizeof *sorted, compare_caps);
    for (int i = 0; i < kinds; i++)
        network->by_cap[i] = sorted[i].kind;
}

sct_status sct_links_create(sct_network *network) {
    int levels = network->machine->levels;
    for (int kind = 0; kind < levels; kind++)
        network->base[kind + 1] = total(network, kind, 0) + groups(network, kind);
    network->fixed = network->base[levels] + network->ranks;
    if (network->fixed > INT32_MAX / 2)
        return sct_fail(SCT_TOO_LARGE, "%d ranks have too many links to be simulated",
                        network->ranks);
    network->link = calloc((size_t)network->fixed, sizeof *network->link);
    if (!network->link)
        return sct_fail(SCT_NO_MEMORY, "no memory for the links of %d ranks", network->ranks);
    for (int kind = 0; kind < levels; kind++)
        make_level(network, kind);
    make_memories(network);
    sort_kinds(network);
    return SCT_OK;
}

static void take(const sct_network *network, int64_t link, sct_route *route) {
    if (!isinf(network->link[link].capacity))
        route->link[route->links++] = (int32_t)link;
}

void sct_links_take(sct_network *network, int64_t index) {
    sct_route *route = &network->route[index];
    int kind = route->kind;
    route->links = 0;
    if (kind == network->machine->levels) {
        take(network, network->base[kind] + route->from, route);
        return;
    }
    network->link[network->fixed + index].capacity = network->pair[kind];
    take(network, network->fixed + index, route);
    take(network, port(network, kind, route->from), route);
    take(network, port(network, kind, route->to) + 1, route);
    take(network, uplink(network, kind, route->from), route);
    take(network, uplink(network, kind, route->to) + 1, route);
    take(network, total(network, kind, route->from), route);
}
