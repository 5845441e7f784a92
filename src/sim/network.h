/* network.h - flows of bytes on a machine's links, which share them max-min fairly.
 *
 * A flow uses, at its level, the link of its pair of ranks, the outgoing and incoming port, the
 * uplinks of both groups and the level's total; or the rank's memory for a copy within it. Flows
 * that use the same links form one route and have the same rate. Max-min fair: no flow can get more
 * except at the cost of one that has no more. When flows come and go, only routes whose rates may
 * change are recomputed. */
#ifndef SCT_SIM_NETWORK_H
#define SCT_SIM_NETWORK_H

#include "base/priority_queue.h"
#include "machine/machine.h"

enum { SCT_ROUTE_LINKS = 6, SCT_FLOW_KINDS = SCT_MACHINE_LEVELS + 1 };

typedef struct sct_flow {
    int64_t route, later[2]; /* heap children: flows of the route that end no earlier; -1: none */
    double end;              /* the flow ends when its route has carried this many bytes per flow */
} sct_flow;

/* The frequently used data of a route. */
typedef struct sct_course {
    double rate, fair; /* per flow; and the rate being computed, negative while unknown */
    int64_t bound;     /* the link that limits it; -1: none */
    uint64_t seen;     /* round in which it was last gathered */
} sct_course;

typedef struct sct_route {
    int kind;     /* its level; for copies within a rank, the number of levels */
    int from, to; /* first rank of each group of ranks that are alike for these links */
    int links;
    int32_t link[SCT_ROUTE_LINKS], place[SCT_ROUTE_LINKS]; /* and its index among each link's hooks
                                                            */
    int64_t flows, first;                                  /* number of flows; the one that ends
                                                            * first */
    double soonest;                                        /* end of that flow */
    double carried, since; /* bytes carried per flow, up to the time `since` */
    bool renewed;          /* flows have changed since rates were computed */
    int64_t next;          /* next in its hash chain or in the free list */
} sct_route;

typedef struct sct_sim_link {
    double capacity;
    int64_t flows, routes, room;
    int64_t *hook; /* for each route: route * SCT_ROUTE_LINKS + index of the link in it */
    bool touched;  /* its flows have changed */
    /* While rates are computed: capacity left, for how many unfixed flows, the rate of those it
     * limits, and the highest rate. */
    double left, level, most;
    int64_t unfixed;
    bool all; /* all its flows are gathered */
    uint64_t seen;
} sct_sim_link;

typedef struct sct_sim_routes {
    int64_t count, *route;
} sct_sim_routes;

typedef struct sct_network {
    const sct_machine *machine;
    int ranks;
    int64_t base[SCT_FLOW_KINDS]; /* first link of each level; then of memories */
    int64_t fixed;                /* number of links that are not of pairs; pair links follow, one
                                   * per route */
    sct_sim_link *link;
    int64_t room; /* capacity for flows, and for routes */
    sct_flow *flow;
    sct_route *route;
    sct_course *course;
    int64_t *routes, unused; /* hash table by end points; the free list */
    sct_sim_routes renewed, gathered, changed;
    int64_t *touched, touches;
    int64_t *involved, involves;     /* links that may limit gathered flows */
    sct_priority_queue shares;       /* links by share per unfixed flow */
    double pair[SCT_FLOW_KINDS];     /* by kind: rate of a pair */
    int64_t grain[SCT_FLOW_KINDS];   /* by kind: number of ranks that are alike */
    double cap[SCT_FLOW_KINDS];      /* by kind: rate of a lone flow */
    int by_cap[SCT_FLOW_KINDS];      /* kinds by rate of a lone flow, slowest first */
    int64_t waiting[SCT_FLOW_KINDS]; /* by kind: unfixed routes */
    uint64_t round, settling;        /* filling rounds; first round of this settling */
    int64_t looked;                  /* visits of routes, as a measure of work */
} sct_network;

/* routes.c */
sct_status sct_network_create(const sct_machine *machine, int ranks, sct_network *network);
void sct_network_clear(sct_network *network);
/* Makes room for flows with numbers below `flows`. */
sct_status sct_network_reserve(sct_network *network, int64_t flows);
sct_status sct_network_open(sct_network *network, int64_t flow, int from, int to, double bytes,
                            double now);
/* Ends the first flow of a route. */
void sct_network_close(sct_network *network, int64_t route);
/* The time at which the first flow of a route ends at its current rate; infinite without flows. */
double sct_network_end(const sct_network *network, int64_t route);
/* Accounts for what a route has carried until now. */
void sct_network_carry(sct_network *network, int64_t route, double now);

/* network.c: recomputes rates after changes. Lists the routes with changed rates or flows in
 * `changed`. */
void sct_network_settle(sct_network *network, double now);

/* links.c: makes all links except those of pairs. */
sct_status sct_links_create(sct_network *network);
/* Finds the links of a route. */
void sct_links_take(sct_network *network, int64_t route);

#endif
