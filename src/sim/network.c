/* network.c - opens and closes flows, and finds their rates by progressive filling.
 *
 * Only a few flows are filled anew: those that changes touch; then also those of whom it turns out
 * that they cannot keep the rates they had. The result is that of filling all: each flow is as fast
 * as it can be alone, or some full link has it that has no faster one. */
#include "sim/network.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* What differs by such a share is the same, but for rounding. */
static const double rounding = 1e-11;

/* How many flows later one is looked at that memory is asked for now. */
enum { AHEAD = 8 };

sct_status sct_network_create(const sct_machine *machine, int ranks, sct_network *network) {
    *network = (sct_network){.machine = machine, .ranks = ranks};
    sct_status status = sct_links_create(network);
    if (status)
        sct_network_clear(network);
    return status;
}

void sct_network_clear(sct_network *network) {
    for (int64_t i = 0; network->link && i < network->fixed + network->room; i++)
        free(network->link[i].hook);
    free(network->link);
    free(network->pairs);
    free(network->flow);
    free(network->course);
    free(network->opened.flow);
    free(network->gathered.flow);
    free(network->changed.flow);
    free(network->touched);
    free(network->involved);
    sct_clock_clear(&network->shares);
    *network = (sct_network){.ranks = 0};
}

static bool grow_list(int64_t **list, int64_t count) {
    int64_t *grown = realloc(*list, (size_t)count * sizeof *grown);
    if (grown)
        *list = grown;
    return grown;
}

/* Links are as many as there can be with so many flows: each may be of another pair. */
static bool grow_links(sct_network *network, int64_t flows) {
    int64_t count = network->fixed + flows;
    sct_link *link = realloc(network->link, (size_t)count * sizeof *link);
    if (!link)
        return false;
    network->link = link;
    for (int64_t i = network->fixed + network->room; i < count; i++) {
        link[i] = (sct_link){.next = network->unused};
        network->unused = i;
    }
    return grow_list(&network->touched, count) && grow_list(&network->involved, count);
}

sct_status sct_network_reserve(sct_network *network, int64_t flows) {
    if (flows <= network->room)
        return SCT_OK;
    sct_flow *flow = realloc(network->flow, (size_t)flows * sizeof *flow);
    network->flow = flow ? flow : network->flow;
    sct_course *course = realloc(network->course, (size_t)flows * sizeof *course);
    network->course = course ? course : network->course;
    if (!flow || !course || !grow_list(&network->opened.flow, flows) ||
        !grow_list(&network->gathered.flow, flows) || !grow_list(&network->changed.flow, flows) ||
        !grow_links(network, flows))
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld flows", (long long)flows);
    network->room = flows;
    return sct_clock_grow(&network->shares, network->fixed + flows);
}

static void touch(sct_network *network, int64_t index) {
    sct_link *link = &network->link[index];
    if (!link->touched)
        network->touched[network->touches++] = index;
    link->touched = true;
}

static sct_status hook_in(sct_network *network, int64_t flow, int which) {
    int64_t index = network->flow[flow].link[which];
    sct_link *link = &network->link[index];
    if (link->flows == link->room) {
        if (!grow_list(&link->hook, 2 * link->room + 4))
            return sct_fail(SCT_NO_MEMORY, "no memory for the flows of a link");
        link->room = 2 * link->room + 4;
    }
    network->flow[flow].place[which] = (int32_t)link->flows;
    link->hook[link->flows++] = flow * SCT_FLOW_LINKS + which;
    link->wanted += network->cap[network->flow[flow].kind];
    touch(network, index);
    return SCT_OK;
}

static void hook_out(sct_network *network, int64_t flow, int which) {
    int64_t index = network->flow[flow].link[which], place = network->flow[flow].place[which];
    sct_link *link = &network->link[index];
    int64_t last = link->hook[--link->flows];
    link->hook[place] = last;
    network->flow[last / SCT_FLOW_LINKS].place[last % SCT_FLOW_LINKS] = (int32_t)place;
    link->wanted = link->flows > 0 ? link->wanted - network->cap[network->flow[flow].kind] : 0;
    touch(network, index);
}

sct_status sct_network_open(sct_network *network, int64_t index, int from, int to, double bytes,
                            double now) {
    sct_flow *flow = &network->flow[index];
    *flow = (sct_flow){.left = bytes, .since = now};
    network->course[index] = (sct_course){.bound = -1};
    sct_links_take(network, from, to, flow);
    sct_status status = SCT_OK;
    for (int i = 0; i < flow->links && !status; i++)
        status = hook_in(network, index, i);
    network->opened.flow[network->opened.count++] = index;
    return status;
}

void sct_network_close(sct_network *network, int64_t index, int from) {
    sct_flow *flow = &network->flow[index];
    for (int i = 0; i < flow->links; i++)
        hook_out(network, index, i);
    sct_links_release(network, from, flow);
}

/* Whether its flows could fill it if nothing else held them up. */
static bool can_bind(const sct_link *link) {
    return link->wanted > link->capacity * (1 + rounding);
}

static void gather(sct_network *network, int64_t flow) {
    sct_course *course = &network->course[flow];
    if (course->seen == network->settling)
        return;
    course->seen = network->settling;
    network->gathered.flow[network->gathered.count++] = flow;
}

/* Those whose rates are likely to be others: new flows, and those that a link held up which has
 * other flows now. */
static void gather_changes(sct_network *network) {
    network->settling = ++network->round;
    network->gathered.count = 0;
    for (int64_t i = 0; i < network->opened.count; i++)
        gather(network, network->opened.flow[i]);
    network->opened.count = 0;
    for (int64_t i = 0; i < network->touches; i++) {
        int64_t index = network->touched[i];
        sct_link *link = &network->link[index];
        link->touched = false;
        for (int64_t j = 0; j < link->flows; j++)
            if (network->course[link->hook[j] / SCT_FLOW_LINKS].bound == index)
                gather(network, link->hook[j] / SCT_FLOW_LINKS);
    }
    network->touches = 0;
}

static double share_of(const sct_link *link) {
    return fmax(0, link->left) / (double)link->unfixed;
}

/* A link that may hold up flows that are gathered. */
static void involve(sct_network *network, int64_t index) {
    sct_link *link = &network->link[index];
    link->seen = network->round;
    link->unfixed = 0;
    link->level = INFINITY;
    link->most = 0;
    network->involved[network->involves++] = index;
}

/* What is left for them when the others keep what they have. */
static double left_of(const sct_network *network, const sct_link *link) {
    double left = link->capacity;
    for (int64_t i = 0; i < link->flows && !link->all; i++) {
        const sct_course *course = &network->course[link->hook[i] / SCT_FLOW_LINKS];
        left -= course->seen == network->settling ? 0 : course->rate;
    }
    return left;
}

/* Asks memory for a flow that is looked at a few flows later: there are many, and they lie apart.
 */
static void look_ahead(const sct_network *network, int64_t flow) {
    __builtin_prefetch(&network->course[flow]);
    __builtin_prefetch(&network->flow[flow]);
}

static void involve_all(sct_network *network) {
    network->round++;
    network->involves = 0;
    for (int64_t i = 0; i < network->gathered.count; i++) {
        const sct_flow *flow = &network->flow[network->gathered.flow[i]];
        if (i + AHEAD < network->gathered.count)
            look_ahead(network, network->gathered.flow[i + AHEAD]);
        network->course[network->gathered.flow[i]].fair = -1;
        network->waiting[flow->kind]++;
        for (int which = 0; which < flow->links; which++) {
            sct_link *link = &network->link[flow->link[which]];
            if (link->seen != network->round && can_bind(link))
                involve(network, flow->link[which]);
            link->unfixed++;
        }
    }
    for (int64_t i = 0; i < network->involves; i++) {
        sct_link *link = &network->link[network->involved[i]];
        link->all = link->unfixed == link->flows;
        link->left = left_of(network, link);
        sct_clock_set(&network->shares, network->involved[i], share_of(link));
    }
}

static void fix(sct_network *network, int64_t index, double rate, int64_t bound) {
    const sct_flow *flow = &network->flow[index];
    network->course[index].fair = rate;
    network->course[index].bound = bound;
    network->waiting[flow->kind]--;
    for (int i = 0; i < flow->links; i++) {
        sct_link *link = &network->link[flow->link[i]];
        link->left -= rate;
        link->unfixed--;
        link->most = fmax(link->most, rate);
    }
}

/* The link whose flows get the least; -1: there is none. Shares only grow while others are fixed,
 * so that one which was put down lower is just put down again. */
static int64_t fullest(sct_network *network, double *share) {
    sct_clock *shares = &network->shares;
    for (;;) {
        sct_due least = sct_clock_first(shares);
        *share = least.time;
        if (least.thing < 0)
            return -1;
        const sct_link *link = &network->link[least.thing];
        if (link->unfixed == 0) {
            sct_clock_drop(shares, least.thing);
            continue;
        }
        *share = share_of(link);
        if (*share <= least.time)
            return least.thing;
        sct_clock_set(shares, least.thing, *share);
    }
}

static void fix_kind(sct_network *network, int kind) {
    for (int64_t i = 0; i < network->gathered.count && network->waiting[kind] > 0; i++) {
        int64_t flow = network->gathered.flow[i];
        if (network->flow[flow].kind == kind && network->course[flow].fair < 0)
            fix(network, flow, network->cap[kind], -1);
    }
}

static void fix_link(sct_network *network, int64_t index, double share) {
    sct_link *link = &network->link[index];
    link->level = share;
    for (int64_t i = 0; i < link->flows && link->unfixed > 0; i++) {
        int64_t flow = link->hook[i] / SCT_FLOW_LINKS;
        const sct_course *course = &network->course[flow];
        if (i + AHEAD < link->flows)
            look_ahead(network, link->hook[i + AHEAD] / SCT_FLOW_LINKS);
        if (course->seen == network->settling && course->fair < 0)
            fix(network, flow, share, index);
    }
    sct_clock_drop(&network->shares, index);
}

/* Raises the rates of gathered flows alike; a flow stays behind where it is as fast as it could be
 * alone, or where a link is full. */
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

/* Whether a flow that was not gathered can keep its rate: on a link that now holds up others, no
 * more than they have; on the one that held it up, which still must be full, no less. */
static bool can_keep(const sct_link *link, const sct_course *course, bool holds) {
    bool full = link->left <= link->capacity * rounding;
    return course->rate <= link->level * (1 + rounding) &&
           (!holds || (full && course->rate >= link->most * (1 - rounding)));
}

/* Gathers those that cannot keep their rates; true if there are any. */
static bool gather_more(sct_network *network) {
    int64_t before = network->gathered.count;
    for (int64_t i = 0; i < network->involves; i++) {
        int64_t index = network->involved[i];
        const sct_link *link = &network->link[index];
        for (int64_t j = 0; j < link->flows && !link->all; j++) {
            int64_t flow = link->hook[j] / SCT_FLOW_LINKS;
            const sct_course *course = &network->course[flow];
            if (course->seen != network->settling &&
                !can_keep(link, course, course->bound == index))
                gather(network, flow);
        }
    }
    return network->gathered.count > before;
}

static void adopt(sct_network *network, int64_t index, double now) {
    sct_flow *flow = &network->flow[index];
    sct_course *course = &network->course[index];
    if (course->rate == course->fair)
        return;
    flow->left = fmax(0, flow->left - course->rate * (now - flow->since));
    flow->since = now;
    course->rate = course->fair;
    network->changed.flow[network->changed.count++] = index;
}

void sct_network_settle(sct_network *network, double now) {
    gather_changes(network);
    do {
        involve_all(network);
        fill(network);
    } while (gather_more(network));
    network->changed.count = 0;
    for (int64_t i = 0; i < network->gathered.count; i++)
        adopt(network, network->gathered.flow[i], now);
}

double sct_network_end(const sct_network *network, int64_t index) {
    const sct_flow *flow = &network->flow[index];
    return flow->left > 0 ? flow->since + flow->left / network->course[index].rate : flow->since;
}
