/* routes.c - adds flows to routes and removes them.
 *
 * Flows of a route have the same rate at any time, so a flow ends when the route has carried a
 * known number of bytes per flow. That order never changes, whatever the rates. */
#include "sim/network.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

sct_status sct_network_create(const sct_machine *machine, int ranks, sct_network *network) {
    *network = (sct_network){.machine = machine, .ranks = ranks, .unused = -1};
    sct_status status = sct_links_create(network);
    if (status)
        sct_network_clear(network);
    return status;
}

void sct_network_clear(sct_network *network) {
    for (int64_t i = 0; network->link && i < network->fixed + network->room; i++)
        free(network->link[i].hook);
    free(network->link);
    free(network->flow);
    free(network->route);
    free(network->course);
    free(network->routes);
    free(network->renewed.route);
    free(network->gathered.route);
    free(network->changed.route);
    free(network->touched);
    free(network->involved);
    sct_priority_queue_clear(&network->shares);
    *network = (sct_network){.ranks = 0};
}

/* Grows a table; on lack of memory returns it unchanged and clears `ok`. */
static void *longer(void *table, int64_t count, size_t bytes, bool *ok) {
    void *grown = realloc(table, (size_t)count * bytes);
    if (grown)
        return grown;
    *ok = false;
    return table;
}

/* Grows to this many flows, routes and pair links. */
static bool grow(sct_network *network, int64_t flows) {
    int64_t links = network->fixed + flows;
    bool ok = true;
    network->flow = longer(network->flow, flows, sizeof *network->flow, &ok);
    network->route = longer(network->route, flows, sizeof *network->route, &ok);
    network->course = longer(network->course, flows, sizeof *network->course, &ok);
    network->link = longer(network->link, links, sizeof *network->link, &ok);
    network->routes = longer(network->routes, flows, sizeof(int64_t), &ok);
    network->renewed.route = longer(network->renewed.route, flows, sizeof(int64_t), &ok);
    network->gathered.route = longer(network->gathered.route, flows, sizeof(int64_t), &ok);
    network->changed.route = longer(network->changed.route, flows, sizeof(int64_t), &ok);
    network->touched = longer(network->touched, links, sizeof(int64_t), &ok);
    network->involved = longer(network->involved, links, sizeof(int64_t), &ok);
    return ok;
}

/* The hash chain of routes between two ranks. */
static int64_t *between(const sct_network *network, int kind, int from, int to) {
    uint64_t ranks = (uint64_t)network->ranks;
    uint64_t number = ((uint64_t)kind * ranks + (uint64_t)to) * ranks + (uint64_t)from;
    return &network->routes[number % (uint64_t)network->room];
}

static void list_route(sct_network *network, int64_t index) {
    sct_route *route = &network->route[index];
    int64_t *place = between(network, route->kind, route->from, route->to);
    route->next = *place;
    *place = index;
}

sct_status sct_network_reserve(sct_network *network, int64_t flows) {
    int64_t before = network->room;
    if (!grow(network, flows))
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld flows", (long long)flows);
    network->room = flows;
    for (int64_t i = 0; i < flows; i++)
        network->routes[i] = -1;
    for (int64_t i = 0; i < before; i++)
        if (network->route[i].flows > 0)
            list_route(network, i);
    for (int64_t i = flows - 1; i >= before; i--) {
        network->link[network->fixed + i] = (sct_sim_link){.capacity = INFINITY};
        network->route[i] = (sct_route){.next = network->unused};
        network->unused = i;
    }
    return sct_priority_queue_grow(&network->shares, network->fixed + flows);
}

static sct_status hook_in(sct_network *network, int64_t route, int which) {
    sct_sim_link *link = &network->link[network->route[route].link[which]];
    int64_t *hook = sct_memory_grow(link->hook, link->routes, &link->room, sizeof *hook);
    if (!hook)
        return sct_no_memory("the flows of a link");
    link->hook = hook;
    network->route[route].place[which] = (int32_t)link->routes;
    hook[link->routes++] = route * SCT_ROUTE_LINKS + which;
    return SCT_OK;
}

static void hook_out(sct_network *network, const sct_route *route, int which) {
    sct_sim_link *link = &network->link[route->link[which]];
    int64_t last = link->hook[--link->routes];
    int32_t place = route->place[which];
    link->hook[place] = last;
    network->route[last / SCT_ROUTE_LINKS].place[last % SCT_ROUTE_LINKS] = place;
}

static sct_status make_route(sct_network *network, int kind, int from, int to, int64_t *made) {
    int64_t index = network->unused;
    sct_route *route = &network->route[index];
    network->unused = route->next;
    *route =
        (sct_route){.kind = kind, .from = from, .to = to, .first = -1, .renewed = route->renewed};
    network->course[index] = (sct_course){.bound = -1};
    sct_links_take(network, index);
    sct_status status = SCT_OK;
    for (int i = 0; i < route->links && !status; i++)
        status = hook_in(network, index, i);
    list_route(network, index);
    *made = index;
    return status;
}

static void unmake_route(sct_network *network, int64_t index) {
    sct_route *route = &network->route[index];
    int64_t *place = between(network, route->kind, route->from, route->to);
    while (*place != index)
        place = &network->route[*place].next;
    *place = route->next;
    for (int i = 0; i < route->links; i++)
        hook_out(network, route, i);
    route->next = network->unused;
    network->unused = index;
}

/* Finds or makes the route between two ranks. */
static sct_status find_route(sct_network *network, int from, int to, int64_t *found) {
    const sct_machine *machine = network->machine;
    int kind = machine->levels;
    if (from != to)
        kind = (int)(sct_machine_level(machine, from, to) - machine->level);
    from -= (int)(from % network->grain[kind]);
    to -= (int)(to % network->grain[kind]);
    const sct_route *route;
    for (int64_t i = *between(network, kind, from, to); i >= 0; i = route->next) {
        route = &network->route[i];
        *found = i;
        if (route->kind == kind && route->from == from && route->to == to)
            return SCT_OK;
    }
    return make_route(network, kind, from, to, found);
}

/* Accounts for one flow more or less, and a new first flow. */
static void renew(sct_network *network, int64_t index, int more) {
    sct_route *route = &network->route[index];
    route->flows += more;
    if (route->flows > 0)
        route->soonest = network->flow[route->first].end;
    for (int i = 0; i < route->links; i++) {
        sct_sim_link *link = &network->link[route->link[i]];
        link->flows += more;
        if (!link->touched)
            network->touched[network->touches++] = route->link[i];
        link->touched = true;
    }
    if (!route->renewed)
        network->renewed.route[network->renewed.count++] = index;
    route->renewed = true;
}

/* Merges two skew heaps of flows; either may be empty. */
static int64_t join(sct_flow *flow, int64_t heap, int64_t other) {
    int64_t joined, *place = &joined;
    while (heap >= 0 && other >= 0) {
        bool sooner =
            flow[heap].end < flow[other].end || (flow[heap].end == flow[other].end && heap < other);
        int64_t first = sooner ? heap : other;
        other = sooner ? other : heap;
        *place = first;
        place = &flow[first].later[0];
        heap = flow[first].later[1];
        flow[first].later[1] = flow[first].later[0];
    }
    *place = heap >= 0 ? heap : other;
    return joined;
}

void sct_network_carry(sct_network *network, int64_t index, double now) {
    sct_route *route = &network->route[index];
    if (now > route->since)
        route->carried += network->course[index].rate * (now - route->since);
    route->since = now;
}

sct_status sct_network_open(sct_network *network, int64_t index, int from, int to, double bytes,
                            double now) {
    int64_t which;
    sct_status status = find_route(network, from, to, &which);
    if (status)
        return status;
    sct_network_carry(network, which, now);
    sct_route *route = &network->route[which];
    network->flow[index] =
        (sct_flow){.route = which, .later = {-1, -1}, .end = route->carried + bytes};
    route->first = join(network->flow, route->first, index);
    renew(network, which, 1);
    return SCT_OK;
}

void sct_network_close(sct_network *network, int64_t index) {
    sct_route *route = &network->route[index];
    const sct_flow *flow = &network->flow[route->first];
    route->first = join(network->flow, flow->later[0], flow->later[1]);
    renew(network, index, -1);
    if (route->flows == 0)
        unmake_route(network, index);
}

double sct_network_end(const sct_network *network, int64_t index) {
    const sct_route *route = &network->route[index];
    if (route->flows == 0)
        return INFINITY;
    double left = route->soonest - route->carried;
    return left > 0 ? route->since + left / network->course[index].rate : route->since;
}
