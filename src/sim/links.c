/* links.c - which links a machine has, and which of them lie between two ranks. */
#include "sim/network.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* Consecutive ranks in a group of a level; below the first level each is alone. */
static int64_t group_size(const sct_network *network, int level) {
    if (level < 0)
        return 1;
    int64_t size = network->machine->level[level].ranks;
    return size > 0 ? sct_min(size, network->ranks) : network->ranks;
}

static int64_t groups(const sct_network *network, int level) {
    return (network->ranks - 1) / group_size(network, level) + 1;
}

/* Of each level: two ports of each rank, two uplinks of each group of the level below, and what
 * each group can do in all. The first of a pair goes out, the second in. */
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
        network->link[i] = (sct_link){.capacity = capacity};
}

static void make_level(sct_network *network, int kind) {
    const sct_level *level = &network->machine->level[kind];
    int64_t end = network->base[kind + 1];
    /* An end that spends all of its time on what flows can do no more. */
    double ends = level->processor > 0 ? 1 / level->processor : INFINITY;
    double port_most = fmin(level->port, ends);
    set_capacities(network, port(network, kind, 0), uplink(network, kind, 0), port_most);
    set_capacities(network, uplink(network, kind, 0), total(network, kind, 0), level->uplink);
    set_capacities(network, total(network, kind, 0), end, level->total);
    network->cap[kind] = fmin(fmin(level->pair, port_most), fmin(level->uplink, level->total));
}

/* The kinds of flows by what they get alone; there are few. */
static void sort_kinds(sct_network *network) {
    for (int kind = 0; kind <= network->machine->levels; kind++) {
        int at = kind;
        for (; at > 0 && network->cap[network->by_cap[at - 1]] > network->cap[kind]; at--)
            network->by_cap[at] = network->by_cap[at - 1];
        network->by_cap[at] = kind;
    }
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
    network->pairs = malloc((size_t)network->ranks * sizeof *network->pairs);
    if (!network->link || !network->pairs)
        return sct_fail(SCT_NO_MEMORY, "no memory for the links of %d ranks", network->ranks);
    for (int kind = 0; kind < levels; kind++)
        make_level(network, kind);
    set_capacities(network, network->base[levels], network->fixed, network->machine->memory);
    network->cap[levels] = network->machine->memory;
    for (int rank = 0; rank < network->ranks; rank++)
        network->pairs[rank] = -1;
    network->unused = -1;
    sort_kinds(network);
    return SCT_OK;
}

/* The link of a pair, which has one while it has flows. */
static int64_t pair(sct_network *network, int from, int to, double capacity) {
    int64_t index = network->pairs[from];
    while (index >= 0 && network->link[index].to != to)
        index = network->link[index].next;
    if (index < 0) {
        index = network->unused;
        sct_link *link = &network->link[index];
        network->unused = link->next;
        link->capacity = capacity;
        link->to = to;
        link->next = network->pairs[from];
        network->pairs[from] = index;
    }
    network->link[index].users++;
    return index;
}

static void take(const sct_network *network, int64_t link, sct_flow *flow) {
    if (!isinf(network->link[link].capacity))
        flow->link[flow->links++] = (int32_t)link;
}

void sct_links_take(sct_network *network, int from, int to, sct_flow *flow) {
    flow->links = 0;
    flow->kind = network->machine->levels;
    if (from == to) {
        take(network, network->base[flow->kind] + from, flow);
        return;
    }
    const sct_level *level = sct_machine_level(network->machine, from, to);
    flow->kind = (int)(level - network->machine->level);
    /* A pair that could do no less than its ports never holds a flow up. */
    if (level->pair < level->port)
        take(network, pair(network, from, to, level->pair), flow);
    take(network, port(network, flow->kind, from), flow);
    take(network, port(network, flow->kind, to) + 1, flow);
    take(network, uplink(network, flow->kind, from), flow);
    take(network, uplink(network, flow->kind, to) + 1, flow);
    take(network, total(network, flow->kind, from), flow);
}

void sct_links_release(sct_network *network, int from, const sct_flow *flow) {
    int64_t index = flow->links > 0 ? flow->link[0] : 0;
    sct_link *link = &network->link[index];
    if (index < network->fixed || --link->users > 0)
        return;
    int64_t *place = &network->pairs[from];
    while (*place != index)
        place = &network->link[*place].next;
    *place = link->next;
    link->next = network->unused;
    network->unused = index;
}
