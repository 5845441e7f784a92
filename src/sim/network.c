/* network.c - finds the rates of flows by progressive filling.
 *
 * Only a few routes are filled again: those that a change touches, then those whose flows turn out
 * not to keep their rates. The result is that of filling all routes: each flow either has the rate
 * of a lone flow, or crosses a full link on which no flow is faster. */
#include "sim/network.h"

#include <math.h>

/* Relative differences below this are rounding. */
static const double rounding = 1e-11;

/* Prefetch distance in the list of routes. */
enum { AHEAD = 8 };

/* True if the link's flows, all of one kind, could fill it if nothing else limited them. */
static bool can_bind(const sct_network *network, const sct_sim_link *link, int kind) {
    return (double)link->flows * network->cap[kind] > link->capacity * (1 + rounding);
}

static void gather(sct_network *network, int64_t route) {
    sct_course *course = &network->course[route];
    if (course->seen == network->settling)
        return;
    course->seen = network->settling;
    network->gathered.route[network->gathered.count++] = route;
}

/* Gathers the routes whose rates are likely to change: those with new or ended flows, and those
 * limited by a link whose flows changed. */
static void gather_changes(sct_network *network) {
    network->settling = ++network->round;
    network->gathered.count = 0;
    for (int64_t i = 0; i < network->renewed.count; i++) {
        int64_t index = network->renewed.route[i];
        if (network->route[index].flows > 0)
            gather(network, index);
        else
            network->route[index].renewed = false;
    }
    network->renewed.count = 0;
    for (int64_t i = 0; i < network->touches; i++) {
        int64_t index = network->touched[i];
        sct_sim_link *link = &network->link[index];
        link->touched = false;
        for (int64_t j = 0; j < link->routes; j++)
            if (network->course[link->hook[j] / SCT_ROUTE_LINKS].bound == index)
                gather(network, link->hook[j] / SCT_ROUTE_LINKS);
    }
    network->touches = 0;
}

static double share_of(const sct_sim_link *link) {
    return fmax(0, link->left) / (double)link->unfixed;
}

/* Registers a link that may limit gathered flows. */
static void involve(sct_network *network, int64_t index) {
    sct_sim_link *link = &network->link[index];
    link->seen = network->round;
    link->unfixed = 0;
    link->level = INFINITY;
    link->most = 0;
    network->involved[network->involves++] = index;
}

/* The capacity left for gathered flows while the others keep their rates. */
static double left_of(const sct_network *network, const sct_sim_link *link) {
    double left = link->capacity;
    for (int64_t i = 0; i < link->routes && !link->all; i++) {
        int64_t route = link->hook[i] / SCT_ROUTE_LINKS;
        const sct_course *course = &network->course[route];
        if (course->seen != network->settling)
            left -= course->rate * (double)network->route[route].flows;
    }
    return left;
}

/* Prefetches a route from memory: routes are many and far apart. */
static void look_ahead(const sct_network *network, int64_t route) {
    __builtin_prefetch(&network->course[route]);
    __builtin_prefetch(&network->route[route]);
}

static void involve_all(sct_network *network) {
    const sct_sim_routes *gathered = &network->gathered;
    network->round++;
    network->looked += gathered->count;
    network->involves = 0;
    for (int64_t i = 0; i < gathered->count; i++) {
        const sct_route *route = &network->route[gathered->route[i]];
        if (i + AHEAD < gathered->count)
            look_ahead(network, gathered->route[i + AHEAD]);
        network->course[gathered->route[i]].fair = -1;
        network->waiting[route->kind]++;
        for (int which = 0; which < route->links; which++) {
            sct_sim_link *link = &network->link[route->link[which]];
            if (link->seen != network->round && can_bind(network, link, route->kind))
                involve(network, route->link[which]);
            link->unfixed += route->flows;
        }
    }
    for (int64_t i = 0; i < network->involves; i++) {
        sct_sim_link *link = &network->link[network->involved[i]];
        link->all = link->unfixed == link->flows;
        network->looked += link->routes;
        link->left = left_of(network, link);
        sct_priority_queue_set(&network->shares, network->involved[i], share_of(link));
    }
}

static void fix(sct_network *network, int64_t index, double rate, int64_t bound) {
    const sct_route *route = &network->route[index];
    network->course[index].fair = rate;
    network->course[index].bound = bound;
    network->waiting[route->kind]--;
    for (int i = 0; i < route->links; i++) {
        sct_sim_link *link = &network->link[route->link[i]];
        link->left -= rate * (double)route->flows;
        link->unfixed -= route->flows;
        link->most = fmax(link->most, rate);
    }
}

/* The link with the lowest share per flow; -1: none. Shares only grow as flows are fixed, so a
 * stale entry is simply updated and reinserted. */
static int64_t fullest(sct_network *network, double *share) {
    sct_priority_queue *shares = &network->shares;
    for (;;) {
        sct_keyed least = sct_priority_queue_first(shares);
        *share = least.key;
        if (least.item < 0)
            return -1;
        const sct_sim_link *link = &network->link[least.item];
        if (link->unfixed == 0) {
            sct_priority_queue_drop(shares, least.item);
            continue;
        }
        *share = share_of(link);
        if (*share <= least.key)
            return least.item;
        sct_priority_queue_set(shares, least.item, *share);
    }
}

static void fix_kind(sct_network *network, int kind) {
    for (int64_t i = 0; i < network->gathered.count && network->waiting[kind] > 0; i++) {
        int64_t route = network->gathered.route[i];
        if (network->route[route].kind == kind && network->course[route].fair < 0)
            fix(network, route, network->cap[kind], -1);
    }
}

static void fix_link(sct_network *network, int64_t index, double share) {
    sct_sim_link *link = &network->link[index];
    link->level = share;
    for (int64_t i = 0; i < link->routes && link->unfixed > 0; i++) {
        int64_t route = link->hook[i] / SCT_ROUTE_LINKS;
        const sct_course *course = &network->course[route];
        if (i + AHEAD < link->routes)
            look_ahead(network, link->hook[i + AHEAD] / SCT_ROUTE_LINKS);
        if (course->seen == network->settling && course->fair < 0)
            fix(network, route, share, index);
    }
    sct_priority_queue_drop(&network->shares, index);
}

/* Raises the rates of gathered flows together. A flow is fixed when it reaches the rate of a lone
 * flow, or a link on its route is full. */
static void fill(sct_network *network) {
    int kinds = network->machine->levels + 1;
    for (int next = 0;;) {
        double share;
        int64_t link = fullest(network, &share);
        if (next < kinds && network->cap[network->by_cap[next]] <= share)
            fix_kind(network, network->by_cap[next++]);
        else if (link >= 0)
            fix_link(network, link, share);
        else
            return;
    }
}

/* True if a route that was not gathered keeps its rate: it is no faster than the others on links
 * that now limit others, and no slower on the link that limited it, which is still full. */
static bool can_keep(const sct_sim_link *link, const sct_course *course, bool holds) {
    bool full = link->left <= link->capacity * rounding;
    return course->rate <= link->level * (1 + rounding) &&
           (!holds || (full && course->rate >= link->most * (1 - rounding)));
}

/* Gathers the routes that cannot keep their rates; true if there are any. */
static bool gather_more(sct_network *network) {
    int64_t before = network->gathered.count;
    for (int64_t i = 0; i < network->involves; i++) {
        int64_t index = network->involved[i];
        const sct_sim_link *link = &network->link[index];
        for (int64_t j = 0; j < link->routes && !link->all; j++) {
            int64_t route = link->hook[j] / SCT_ROUTE_LINKS;
            const sct_course *course = &network->course[route];
            if (course->seen != network->settling &&
                !can_keep(link, course, course->bound == index))
                gather(network, route);
        }
    }
    return network->gathered.count > before;
}

static void adopt(sct_network *network, int64_t index, double now) {
    sct_route *route = &network->route[index];
    sct_course *course = &network->course[index];
    if (course->rate == course->fair && !route->renewed)
        return;
    sct_network_carry(network, index, now);
    course->rate = course->fair;
    route->renewed = false;
    network->changed.route[network->changed.count++] = index;
}

void sct_network_settle(sct_network *network, double now) {
    gather_changes(network);
    do {
        involve_all(network);
        fill(network);
    } while (gather_more(network));
    network->changed.count = 0;
    for (int64_t i = 0; i < network->gathered.count; i++)
        adopt(network, network->gathered.route[i], now);
}
