/* network.h - flows of bytes on a machine's links, which share them max-min fairly.
 *
 * A flow takes up some links: of its level what the pair of ranks has, the port that it leaves by
 * and the one that it comes in by, the uplinks of the two groups and the total; a rank's copy for
 * itself, the rank's memory. Flows that take up the same links are one route, and equally fast. No
 * flow can have more but at the cost of one that has no more than it has. Where flows come and go,
 * only those routes are looked at again whose rates that changes. */
#ifndef SCT_SIM_NETWORK_H
#define SCT_SIM_NETWORK_H

#include "machine/machine.h"
#include "sim/event_queue.h"

enum { SCT_ROUTE_LINKS = 6, SCT_FLOW_KINDS = SCT_MACHINE_LEVELS + 1 };

typedef struct sct_flow {
    int64_t route, later[2]; /* flows of the route that end no earlier; -1: none */
    double end;              /* it has ended when its route has carried so many bytes for each */
} sct_flow;

/* What is looked at most of a route. */
typedef struct sct_course {
    double rate, fair; /* of each flow, and the rate that is being found; negative: not yet */
    int64_t bound;     /* the link that holds it up; -1: none does */
    uint64_t seen;     /* when it was last gathered */
} sct_course;

typedef struct sct_route {
    int kind;     /* its level, or for a rank's own copies the number of levels */
    int from, to; /* the first of the ranks that are alike at each end */
    int links;
    int32_t link[SCT_ROUTE_LINKS], place[SCT_ROUTE_LINKS]; /* and where among its hooks it is */
    int64_t flows, first;                                  /* and the one that ends first */
    double soonest;                                        /* the end of that flow */
    double carried, since; /* bytes for each of its flows, at a time */
    bool renewed;          /* flows have come or gone since rates were found */
    int64_t next;          /* of those with one place in `routes`, or of those not in use */
} sct_route;

typedef struct sct_link {
    double capacity;
    int64_t flows, routes, room;
    int64_t *hook; /* of each route: it * SCT_ROUTE_LINKS + which of its links this is */
    bool touched;  /* its flows are not those that were settled */
    /* While rates are found: what is left for how many flows that have none yet, what those got
     * that it holds up, and the most that one got. */
    double left, level, most;
    int64_t unfixed;
    bool all; /* of its flows are gathered */
    uint64_t seen;
} sct_link;

typedef struct sct_routes {
    int64_t count, *route;
} sct_routes;

typedef struct sct_network {
    const sct_machine *machine;
    int ranks;
    int64_t base[SCT_FLOW_KINDS]; /* the first link of each level; then of memories */
    int64_t fixed;                /* links that are not of pairs; those are one for each route */
    sct_link *link;
    int64_t room; /* for flows, and for as many routes */
    sct_flow *flow;
    sct_route *route;
    sct_course *course;
    int64_t *routes, unused; /* by what is between, the first of them; those not in use */
    sct_routes renewed, gathered, changed;
    int64_t *touched, touches;
    int64_t *involved, involves;     /* links that may hold up flows that are gathered */
    sct_clock shares;                /* of links: what each unfixed flow would get */
    double pair[SCT_FLOW_KINDS];     /* what each kind has between two ranks */
    int64_t grain[SCT_FLOW_KINDS];   /* so many ranks are alike to the links of a kind */
    double cap[SCT_FLOW_KINDS];      /* what a lone flow of each kind gets */
    int by_cap[SCT_FLOW_KINDS];      /* kinds, the slowest first */
    int64_t waiting[SCT_FLOW_KINDS]; /* unfixed routes of each kind */
    uint64_t round, settling;        /* of filling, and the first of these rounds */
    int64_t looked;                  /* how often a route was looked at to find rates */
} sct_network;

/* routes.c */
sct_status sct_network_create(const sct_machine *machine, int ranks, sct_network *network);
void sct_network_clear(sct_network *network);
/* Makes room for flows with numbers below `flows`. */
sct_status sct_network_reserve(sct_network *network, int64_t flows);
sct_status sct_network_open(sct_network *network, int64_t flow, int from, int to, double bytes,
                            double now);
/* Closes the first flow of a route. */
void sct_network_close(sct_network *network, int64_t route);
/* When the first flow of a route ends if the rate stays; never, if it has none. */
double sct_network_end(const sct_network *network, int64_t route);
/* Counts what a route has carried until now. */
void sct_network_carry(sct_network *network, int64_t route, double now);

/* network.c: finds the rates again after flows have come and gone; routes are listed in `changed`
 * that have another rate, or other flows. */
void sct_network_settle(sct_network *network, double now);

/* links.c: makes the links that are not of pairs, and says what they can do. */
sct_status sct_links_create(sct_network *network);
/* Finds the links of a route between two ranks. */
void sct_links_take(sct_network *network, int64_t route);

#endif
